import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { type Flow, type FlowNode, MAX_BODY_DEPTH } from '#shared/flow.ts';
import { hasTemplate } from '../expr/index.ts';
import { mapNodes } from '../flow/bodies.ts';
import { type CheckContext, checkContext, isTrigger, type NodeView } from '../flow/context.ts';
import { operatorInfo } from '../flow/ports.ts';
import { renameNode } from '../flow/rename-node.ts';
import { type ResultNodes, resultNodes, scopeOf } from '../flow/result-nodes.ts';
import { CALL, flowParam, GROUP } from './extract.ts';
import {
  changePart,
  contextWith,
  depthAround,
  depthOf,
  freeId,
  NOTHING_ELSE,
  type Reshaped,
  refused,
} from './graphs.ts';
import { idsIn, outerReads, withReads } from './reads.ts';

/**
 * Puts the flow that a node calls into its body; the called flow itself stays. Node ids that are taken get another name, in
 * expressions too.
 */
export function inlineFlow(
  flow: Flow,
  node: string,
  called: Flow,
  catalog: Catalog,
): Reshaped<{ readonly flow: Flow }> {
  const context = contextWith(flow, node, catalog);
  const view = context?.nodes.get(node);
  if (!context || !view) return refused(`There is no node \`${node}\`.`);
  const start = startOf(view, called, catalog);
  if (typeof start === 'string') return refused(start);
  const found = bodyParts(called, start, catalog);
  if (typeof found === 'string') return refused(found);
  if (depthAround(context) + 1 + depthOf(found.nodes) > MAX_BODY_DEPTH)
    return refused(`Bodies may be only ${MAX_BODY_DEPTH} deep.`);
  const renamed = withFreeIds(found, start, { flow, catalog });
  const body = { start: renamed.start, nodes: renamed.nodes, edges: renamed.edges };
  const operator = view.node.operator === CALL && !takesStream(context, view) ? GROUP : view.node.operator;
  const {
    [flowParam(view.info as OperatorInfo) ?? '']: _flow,
    trigger: _trigger,
    ...params
  } = view.node.params ?? {};
  const holding = (id: string, one: FlowNode) => (id === node ? { ...one, operator, params, body } : one);
  const changed = changePart(flow, undefined, (part) => ({ ...part, nodes: mapNodes(flow.nodes, holding) }));
  return { ok: true, flow: changed, notes: notesOf(flow, called, { start, nodes: found.nodes, catalog }) };
}

/** The trigger at which the node starts the flow; or why it cannot be a body. */
function startOf({ id, node, info }: NodeView, called: Flow, catalog: Catalog): string | NodeView {
  const param = info && info.body !== undefined ? flowParam(info) : undefined;
  if (param === undefined || node.body) return `\`${id}\` calls no flow that could be its body.`;
  if (node.params?.[param] !== called.id) return `\`${id}\` does not call \`${called.id}\`.`;
  const context = checkContext(called, catalog, NOTHING_ELSE, () => {});
  const named = node.params['trigger'];
  if (typeof named === 'string' && hasTemplate(named))
    return `An expression says where \`${called.id}\` starts.`;
  const triggers = [...context.nodes.values()].filter((view) => isTrigger(view) && !view.node.disabled);
  const [start, second] = triggers.filter((view) => named === undefined || view.id === named);
  if (!start || second) return `\`${id}\` does not say at which trigger \`${called.id}\` starts.`;
  if (start.ports.outputs.map(({ name }) => name).join() !== 'out')
    return `The trigger \`${start.id}\` gives more than one value.`;
  return start;
}

type Parts = Pick<Flow, 'nodes' | 'edges'>;

/** The nodes of a run that starts at the trigger, without it; a respond node at the end passes its body on. */
function bodyParts(called: Flow, start: NodeView, catalog: Catalog): string | Parts {
  const context = checkContext(called, catalog, NOTHING_ELSE, () => {});
  const scope = scopeOf(context, start.id);
  const result = resultNodes(context, scope);
  if (!result) return `\`${called.id}\` has an operator that is not known here.`;
  const [respond] = result.responds;
  const ends = [...scope].filter((id) => !context.nodes.get(id)?.outgoing.some(({ to }) => scope.has(to)));
  const why = respond && whyNotAnswer(result, respond, ends.length);
  if (why !== undefined) return `\`${called.id}\` ${why}`;
  const used = [...scope].filter((id) => id !== start.id);
  const nodes = used.map((id): [string, FlowNode] => {
    const node = called.nodes[id] as FlowNode;
    return [id, id === respond?.id ? withoutAnswer(node) : node];
  });
  const reads = outerReads(Object.fromEntries(nodes), new Set(), catalog);
  if (reads.roots.has('trigger') && requestField(start) === undefined)
    return `\`${called.id}\` reads \`trigger\`, the request; let it read \`nodes.${start.id}\` instead.`;
  const isInside = (ref: string): boolean => scope.has(ref.slice(0, ref.indexOf('.')));
  const edges = called.edges.filter(({ from, to }) => isInside(from) && isInside(to));
  return { nodes: readingStart(Object.fromEntries(nodes), start, catalog), edges };
}

/** Why the flow does not end with its answer. */
function whyNotAnswer(
  { responds, leaves }: ResultNodes,
  { id, node }: NodeView,
  ends: number,
): string | undefined {
  if (responds.length > 1 || leaves.length > 0 || ends > 1)
    return `goes on after it has answered at \`${id}\`, which a body cannot do.`;
  return Number(node.params?.['status'] ?? 200) >= 400 ? `answers with an error at \`${id}\`.` : undefined;
}

function withoutAnswer({ params, ...node }: FlowNode): FlowNode {
  const body = params?.['body'];
  return { ...node, operator: 'core.map', params: body === undefined ? {} : { value: body } };
}

/** The field of the request with which a caller that is a flow starts the trigger. */
function requestField({ node }: NodeView): 'body' | 'query' | undefined {
  if (node.operator !== 'trigger.http' && node.operator !== 'trigger.manual') return undefined;
  const [method = 'POST'] = (node.params?.['methods'] ?? []) as string[];
  return method === 'GET' || method === 'DELETE' ? 'query' : 'body';
}

/** The nodes with what they read of the request read from the start. */
function readingStart(nodes: Parts['nodes'], start: NodeView, catalog: Catalog): Record<string, FlowNode> {
  const field = requestField(start);
  return withReads(nodes, catalog, (root, [link]) =>
    root === 'trigger' && link?.name === field ? { names: 1, by: `nodes.${start.id}` } : undefined,
  );
}

interface Renamed extends Parts {
  readonly start: string;
}

function withFreeIds(
  parts: Parts,
  start: NodeView,
  { flow, catalog }: { readonly flow: Flow; readonly catalog: Catalog },
): Renamed {
  const taken = idsIn(flow.nodes);
  const own = new Set([...idsIn(parts.nodes), start.id]);
  let body: Flow = {
    format: 2,
    id: flow.id,
    nodes: { holder: { operator: GROUP, body: { start: start.id, ...parts } } },
    edges: [],
  };
  for (const id of own) {
    if (taken.has(id)) body = renameNode(body, id, freeId(flow, id, own), catalog);
  }
  return (body.nodes['holder'] ?? Object.values(body.nodes)[0])?.body as Renamed;
}

function takesStream({ kinds }: CheckContext, { incoming }: NodeView): boolean {
  return incoming.some(({ from, fromPort }) => kinds.get(`${from}.${fromPort}`) === 'stream');
}

interface Inlined {
  readonly start: NodeView;
  readonly nodes: Parts['nodes'];
  readonly catalog: Catalog;
}

/** What a run of the called flow has for itself and a body has not. */
function notesOf(flow: Flow, called: Flow, { start, nodes, catalog }: Inlined): string[] {
  const [rule] = Object.values(operatorInfo(catalog, start.node.operator)?.infer?.outputs ?? {});
  const schema = rule && 'schemaIn' in rule ? start.node.params?.[rule.schemaIn] : undefined;
  const { timezone, concurrency: _concurrency, maxStreamBuffer: _buffer, ...limits } = called.settings ?? {};
  const { roots, clock } = outerReads(nodes, new Set(), catalog);
  const notes: readonly (readonly [boolean, string])[] = [
    [
      schema !== undefined,
      `The trigger \`${start.id}\` of \`${called.id}\` checked the input and filled in defaults; a body does not.`,
    ],
    [
      timezone !== undefined && timezone !== flow.settings?.timezone,
      `\`${called.id}\` has a time zone of its own, ${timezone}.`,
    ],
    [
      Object.keys(limits).length > 0,
      `The settings of \`${called.id}\` hold no more: ${Object.keys(limits).join(', ')}.`,
    ],
    [roots.has('run'), '`run` is now the run of the flow around.'],
    [clock.has('now'), '`now()` is now the start of the run around.'],
    [
      Object.values(nodes).some(({ operator }) => operator.startsWith('state.')),
      'Values of `state` operators belong to a flow; those of the called flow are not found here.',
    ],
  ];
  return notes.filter(([isTrue]) => isTrue).map(([, note]) => note);
}
