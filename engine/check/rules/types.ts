import type { InputPort } from '#shared/catalog.ts';
import type { Fix } from '#shared/problem.ts';
import {
  type CheckContext,
  contextsOf,
  didYouMean,
  type Finding,
  inBody,
  type NodeView,
  replaceWord,
} from '../../flow/context.ts';
import { formatPath, parsePath } from '../../flow/field-path.ts';
import type { EdgeLabel } from '../../flow/graph.ts';
import { itemPort } from '../../flow/ports.ts';
import { calledSchemas } from '../../types/called-types.ts';
import { type Clash, clashOf } from '../../types/clash.ts';
import { edgeType } from '../../types/edge-type.ts';
import { type FlowTypes, flowTypes, typeOfPort } from '../../types/flow-types.ts';
import { failsTheRun } from '../../types/result-type.ts';
import type { ParamFault } from '../../types/param-types.ts';
import { isFile, kindsOf, type ObjectType, type Type, UNKNOWN } from '../../types/type.ts';
import { shortType } from '../../types/words.ts';
import { fixByEach } from './inputs.ts';
import { checkPick, fixByPick } from './picks.ts';
import { requireOrDefault } from './require-or-default.ts';
import { fromSchema } from '../../types/schema.ts';
import { checkStatementValues } from './statement-values.ts';

/**
 * Types: what expressions do with values, and what edges bring into inputs that declare a type. An error if the node fails
 * whatever the values are; a warning if it may not come to that, or if the mismatch depends on another flow or a database as it is now. An
 * unknown type is never wrong.
 */
export function checkTypes(context: CheckContext): void {
  const isAlone = calledSchemas(context).length === 0 && (context.world.statements ?? []).length === 0;
  if (isAlone) return checkStatementValues(context, checkWith(context));
  const alone = new Set<string>();
  const nulls = new Set<string>();
  checkWith(
    {
      ...context,
      world: { ...context.world, flows: undefined, statements: undefined },
      report: (finding) => void alone.add(placeOf(finding)),
      nearest: () => undefined,
    },
    (view, fault) => void nulls.add(placeOfFault(view, fault)),
  );
  const report = (finding: Finding) =>
    context.report(alone.has(placeOf(finding)) ? finding : { ...finding, severity: 'warning' });
  // Columns that may be null according to the database, but are read as if they never were.
  const told = { ...context, report };
  const types = checkWith(told, (view, fault) => {
    if (!nulls.has(placeOfFault(view, fault))) reportFault(told, view, fault);
  });
  checkCallTypes(context, types);
  checkStatementValues(context, types);
}

function placeOfFault({ id }: NodeView, { path, start }: ParamFault): string {
  return JSON.stringify([id, path, start]);
}

function placeOf({ code, node, path, offset, severity }: Finding): string {
  return JSON.stringify([code, node, path, offset, severity]);
}

/** `onNull` receives the faults of reading null. */
function checkWith(
  context: CheckContext,
  onNull: (view: NodeView, fault: ParamFault) => void = () => {},
): FlowTypes {
  const types = flowTypes(context, (view, fault) =>
    fault.ofNull ? onNull(view, fault) : reportFault(context, view, fault),
  );
  for (const part of contextsOf(context)) {
    const { outside } = part;
    const report = (finding: Finding) => context.report(inBody(finding, outside));
    checkEdges(outside ? { ...part, nearest: context.nearest, report } : context, types);
  }
  return types;
}

function checkEdges(context: CheckContext, types: FlowTypes): void {
  for (const view of context.nodes.values()) {
    if (view.node.disabled) continue;
    if (view.node.each) checkItems(context, view, types);
    for (const edge of view.incoming) {
      const port = view.ports.inputs.find((input) => input.name === edge.toPort);
      if (port?.schema) checkEdge(context, { view, port, edge }, edgeType(types.outputs, edge));
      checkPick(context, edge, types.outputs.get(sourceOf(edge)) ?? UNKNOWN);
    }
  }
}

function reportFault(context: CheckContext, { id }: NodeView, fault: ParamFault): void {
  const { code, path, text, start, certain, replace, declared } = fault;
  const meant = replace && context.nearest(replace.word, replace.candidates);
  const offset = replace ? text.indexOf(replace.word, start) : start;
  const place = { id, path, text, offset };
  context.report({
    code,
    ...(!certain && { severity: 'warning' as const }),
    message: `${fault.message}${didYouMean(meant)}`,
    node: id,
    path,
    offset: start,
    fix: replace && meant !== undefined && offset >= 0 ? replaceWord(place, replace.word, meant) : undefined,
    ...(declared && { fixes: requireOrDefault(context, declared) }),
  });
}

/** Whether the input of a node with `each` can be a list. */
function checkItems(
  context: CheckContext,
  { id, node, ports, incoming }: NodeView,
  { outputs }: FlowTypes,
): void {
  if (node.each?.items !== undefined) return;
  for (const edge of incoming) {
    const from = edgeType(outputs, edge);
    const isStream = context.kinds.get(sourceOf(edge)) === 'stream';
    if (edge.toPort !== ports.inputs[0]?.name || isStream || from.any || from.array) continue;
    context.report({
      code: 'type-mismatch',
      message: `\`${id}\` runs for each item, but \`${sourceOf(edge)}\` gives \`${shortType(from)}\`, which is no list; set \`each.items\`.`,
      node: id,
      path: ['each'],
      nodes: [edge.from, id],
    });
  }
}

interface Arrival {
  readonly view: NodeView;
  readonly port: InputPort;
  readonly edge: EdgeLabel;
}

function sourceOf(edge: EdgeLabel): string {
  return `${edge.from}.${edge.fromPort}`;
}

function checkEdge(context: CheckContext, arrival: Arrival, given: Type): void {
  const { view, port, edge } = arrival;
  const isStream = context.kinds.get(sourceOf(edge)) === 'stream';
  const from = takenOf(arrival, given, isStream);
  const clash = arrives(arrival, isStream) ? clashOf(from, typeOfPort(port.schema ?? {})) : undefined;
  if (!clash) return;
  const sure = clash.certain && !isStream && !port.many && failsTheRun(view);
  const fix = clash.path.length === 0 ? repair(context, arrival, given, clash) : undefined;
  context.report({
    code: 'type-mismatch',
    ...(!sure && { severity: 'warning' as const }),
    message: `${wordsOf(clash, edge, isStream)}${fix ? ` ${fix.title}${fix.kind === 'insert-operator' ? ' between them' : ''}.` : ''}`,
    path: ['edges', edge.at, 'to'],
    nodes: [edge.from, edge.to],
    fix,
  });
}

/** The type of the value that the node uses: with `each` over a list, the type of its items. */
function takenOf({ view: { node, ports }, port }: Arrival, from: Type, isStream: boolean): Type {
  if (node.each === undefined || port !== ports.inputs[0] || isStream) return from;
  return node.each.items === undefined ? (from.array ?? UNKNOWN) : UNKNOWN;
}

/** The fix: a node that accepts the items of the list runs for each item; another value is converted, if the conversion is obvious. */
function repair(
  context: CheckContext,
  { view, port, edge }: Arrival,
  from: Type,
  clash: Clash,
): Fix | undefined {
  const fits = from.array !== undefined && !clashOf(from.array, typeOfPort(port.schema ?? {}));
  const path = edge.pick === undefined ? [] : (parsePath(edge.pick) ?? []);
  return (
    (fits ? fixByEach(view, port) : undefined) ??
    fixByPick({ edge, path }, from, { port, isOnly: true }) ??
    conversion(context, edge, clash) ??
    fixByPick({ edge, path }, from, { port, isOnly: false })
  );
}

/** A stream in place of a value is a mistake of its own. */
function arrives({ view, port }: Arrival, isStream: boolean): boolean {
  return (
    port.kind !== 'value' ||
    !isStream ||
    (view.info !== undefined && itemPort(view.node, view.info, view.ports) === port)
  );
}

function wordsOf({ path, expected, found }: Clash, edge: EdgeLabel, isStream: boolean): string {
  const [from, to] = [`\`${sourceOf(edge)}\``, `\`${edge.to}.${edge.toPort}\``];
  const gives = isStream ? 'gives items of' : 'gives';
  if (path.length === 0 && found)
    return `${from} ${gives} \`${shortType(found)}\`, but ${to} takes \`${shortType(expected)}\`.`;
  const field = `\`${formatPath(path).replaceAll('["*"]', '[]')}\``;
  return found
    ? `${from} gives \`${shortType(found)}\` in ${field}, but ${to} takes \`${shortType(expected)}\`.`
    : `${from} has no ${field}, which ${to} needs (\`${shortType(expected)}\`).`;
}

/** The operator that converts one type into the other, if there is an obvious one. */
function conversion({ catalog }: CheckContext, edge: EdgeLabel, clash: Clash): Fix | undefined {
  const { expected, found } = clash;
  const operator = found && converterOf(found, expected);
  const info =
    operator !== undefined && Object.hasOwn(catalog.operators, operator) && catalog.operators[operator];
  if (!info) return undefined;
  const ends = { from: sourceOf(edge), to: `${edge.to}.${edge.toPort}` };
  return { kind: 'insert-operator', title: `Put ${info.type}`, operator: info.type, ...ends };
}

function converterOf(found: Type, expected: Type): string | undefined {
  const isOnly = (type: Type, kind: 'string' | 'object') =>
    type[kind] !== undefined && kindsOf(type).length === 1;
  const isFileType = (type: Type) => isOnly(type, 'object') && isFile(type.object as ObjectType);
  if (isFileType(expected)) return isOnly(found, 'string') ? 'file.from-text' : undefined;
  if (isFileType(found)) return isOnly(expected, 'string') ? 'file.to-text' : undefined;
  if (isOnly(expected, 'string')) return 'text.format-json';
  return isOnly(found, 'string') ? 'text.parse-json' : undefined;
}

/** Whether the input of a called flow has the type that the flow accepts. Only a warning, since the other flow can change. */
function checkCallTypes(context: CheckContext, { starts }: FlowTypes): void {
  for (const [call, schemas] of calledSchemas(context)) {
    const clash = clashOf(starts.get(call.node) ?? UNKNOWN, fromSchema(schemas.takes));
    if (!clash) continue;
    const param = context.nodes.get(call.node)?.info?.infer?.starts?.param ?? call.param;
    context.report({
      code: 'type-mismatch',
      severity: 'warning',
      message: startWords(call.flow, clash),
      node: call.node,
      path: ['params', param],
    });
  }
}

function startWords(flow: string, { path, expected, found }: Clash): string {
  const takes = `\`${shortType(expected)}\``;
  if (path.length === 0 && found)
    return `The flow \`${flow}\` takes ${takes}, but is started with \`${shortType(found)}\`.`;
  const field = `\`${formatPath(path).replaceAll('["*"]', '[]')}\``;
  return found
    ? `The flow \`${flow}\` takes ${takes} in ${field}, but is started with \`${shortType(found)}\` there.`
    : `The flow \`${flow}\` needs the field ${field} (${takes}), but is started without it.`;
}
