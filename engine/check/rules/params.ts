import type { z } from 'zod';
import type { DerivedPorts, OperatorInfo } from '#shared/catalog.ts';
import { type FlowNode, ID_PATTERN } from '#shared/flow.ts';
import { type CheckContext, namesInstead, type NodeView } from '../../flow/context.ts';
import { formatPath, type Path } from '../../flow/field-path.ts';
import { isDynamic, secretReference, visitParams } from '../../flow/param-values.ts';
import { settingAt, settingMessage, unknownSetting } from '../../flow/issue-sentence.ts';
import { ERROR_PORT } from '../../flow/ports.ts';
import { compiledSchema } from '../../flow/schemas.ts';
import { HTTP_TRIGGER, HTTP_TRIGGER_FIELDS } from './triggers.ts';

/** More findings about the params of one node help nobody. */
const MAX_ISSUES = 100;

/** Each node's params match the operator's schema, as far as they are known before a run. */
export function checkParams(context: CheckContext): void {
  for (const view of context.nodes.values()) {
    if (!view.info) continue;
    checkSchema(context, view, view.info);
    checkNames(context, view, view.info);
    checkPortNames(context, view, view.info.derivedInputs, view.info.inputs);
    checkPortNames(context, view, view.info.derivedOutputs, [...view.info.outputs, { name: ERROR_PORT }]);
  }
}

function checkSchema(context: CheckContext, view: NodeView, info: OperatorInfo): void {
  const result = compiledSchema(info.params)?.safeParse(view.node.params ?? {});
  if (!result || result.success) return;
  const dynamic = dynamicPaths(view, info);
  for (const issue of result.error.issues.slice(0, MAX_ISSUES)) {
    const path: Path = ['params', ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))];
    if (isUndecided(path, issue, dynamic) || hasRuleOfItsOwn(view, issue)) continue;
    if (issue.code !== 'unrecognized_keys') {
      context.report({ code: 'bad-param', ...messageOf(issue, path, view.node, info), node: view.id, path });
    } else if (path.length > 1) {
      // `checkNames` reports those at the top.
      issue.keys.forEach((key) => reportUnknown(context, view, [...path, key], ''));
    }
  }
}

function messageOf(issue: z.core.$ZodIssue, path: Path, node: FlowNode, info: OperatorInfo) {
  const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], node);
  const place = settingAt(info.params, path.slice(1));
  if (!secretReference(value)) return { message: settingMessage(issue, place), label: place.label };
  const message = `${place.label}: no secret can stand here; only settings for secrets take one, such as the credentials of an HTTP request.`;
  return { message, label: place.label };
}

function dynamicPaths({ node }: NodeView, info: OperatorInfo): Set<string> {
  const paths = new Set<string>();
  visitParams(node.params, info, (at) => {
    if (isDynamic(at)) paths.add(formatPath(at.path));
  });
  return paths;
}

/** Whether the finding depends on a value that only a run knows: at its place, above it, or within a choice of shapes. */
function isUndecided(path: Path, issue: z.core.$ZodIssue, dynamic: ReadonlySet<string>): boolean {
  if (dynamic.size === 0) return false;
  if (path.some((_, i) => dynamic.has(formatPath(path.slice(0, i + 1))))) return true;
  const prefix = formatPath(path);
  const below = (other: string) => other.startsWith(`${prefix}.`) || other.startsWith(`${prefix}[`);
  return issue.code === 'invalid_union' && [...dynamic].some(below);
}

/** Fields of the HTTP trigger that `checkTriggers` checks, with better messages. */
function hasRuleOfItsOwn({ node }: NodeView, issue: z.core.$ZodIssue): boolean {
  const param = String(issue.path[0]);
  if (node.operator === 'trigger.form') return param === 'path' || param === 'schema';
  return node.operator === HTTP_TRIGGER && HTTP_TRIGGER_FIELDS.includes(param);
}

/** The catalog's schema accepts unknown params, but each is most likely a typo. */
function checkNames(context: CheckContext, view: NodeView, info: OperatorInfo): void {
  const { properties, additionalProperties = false } = info.params;
  if (typeof properties !== 'object' || properties === null || additionalProperties !== false) return;
  const known = Object.keys(properties);
  for (const name of Object.keys(view.node.params ?? {})) {
    if (!known.includes(name))
      reportUnknown(context, view, ['params', name], namesInstead(context, name, known));
  }
}

function reportUnknown(context: CheckContext, view: NodeView, path: Path, advice: string): void {
  context.report({
    code: 'bad-param',
    severity: 'warning',
    message: unknownSetting(view, path) + advice,
    node: view.id,
    path,
  });
}

/** The ports that a param names: valid ids, each once, and different from the operator's own ports. */
function checkPortNames(
  { report }: CheckContext,
  { id, node }: NodeView,
  spec: DerivedPorts | undefined,
  own: readonly { name: string }[],
): void {
  const list: unknown = spec && node.params?.[spec.param];
  if (!spec || !Array.isArray(list)) return;
  const taken = new Set(own.map((port) => port.name));
  list.forEach((entry: unknown, i) => {
    const inObject = typeof entry === 'object' && entry !== null;
    const key = spec.nameKey ?? 'name';
    const name: unknown = inObject ? (entry as Record<string, unknown>)[key] : entry;
    const path = ['params', spec.param, i, ...(inObject ? [key] : [])];
    if (typeof name !== 'string') return;
    const fault = !ID_PATTERN.test(name)
      ? 'is not a valid port name: use a-z, 0-9 and _, starting with a letter'
      : taken.has(name)
        ? 'is the name of another port'
        : undefined;
    taken.add(name);
    if (fault)
      report({ code: 'bad-param', message: `\`${name}\` ${fault}; choose another.`, node: id, path });
  });
}
