import type { OperatorInfo } from '#shared/catalog.ts';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import type { Fix } from '#shared/problem.ts';
import { replaceReads } from '../expr/index.ts';
import { mapNodes } from './bodies.ts';
import { changeTemplates } from './change-templates.ts';
import { plainOutputs, portsOf } from './ports.ts';

type ReplaceOperator = Extract<Fix, { kind: 'replace-operator' }>;

type Names = Readonly<Record<string, string>>;

/** The fix that puts the newer operator in place of the one that a node has. */
export function replacement(
  id: string,
  node: FlowNode,
  [old, now]: readonly [old: OperatorInfo, now: OperatorInfo],
): ReplaceOperator {
  const { params = {}, inputs = {}, outputs = {} } = old.replacedBy?.map ?? {};
  const isNamed = (info: OperatorInfo) => plainOutputs(portsOf(node, info)).length > 1;
  return {
    kind: 'replace-operator',
    title: `Use ${now.title} (${now.type})`,
    node: id,
    operator: now.type,
    params,
    inputs,
    outputs,
    named: { before: isNamed(old), after: isNamed(now) },
  };
}

/** The flow with another operator in a node: wires, settings and expressions follow the new names, and nothing is removed. */
export function replaceOperator(flow: Flow, fix: ReplaceOperator): Flow {
  const ends = (edges: readonly FlowEdge[]): FlowEdge[] =>
    edges.map((edge) => ({
      ...edge,
      from: renamedEnd(edge.from, fix.node, fix.outputs),
      to: renamedEnd(edge.to, fix.node, fix.inputs),
    }));
  const nodes = mapNodes(
    flow.nodes,
    (id, node) => reading(id === fix.node ? replaced(node, fix) : node, fix),
    (body) => ({ ...body, edges: ends(body.edges) }),
  );
  return { ...flow, nodes, edges: ends(flow.edges) };
}

function renamedEnd(ref: string, node: string, names: Names): string {
  const port = ref.startsWith(`${node}.`) ? ref.slice(node.length + 1) : undefined;
  const to = port === undefined ? undefined : newName(names, port);
  return to === undefined ? ref : `${node}.${to}`;
}

function newName(names: Names, name: string): string | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

function replaced(node: FlowNode, { operator, params, inputs, outputs }: ReplaceOperator): FlowNode {
  const fallback = node.fallback && withNames(node.fallback, outputs);
  const changed = {
    ...node,
    operator,
    ...(node.params && { params: withNames(node.params, params) }),
    ...(fallback && { fallback }),
  };
  return changeTemplates(changed, undefined, (text) =>
    replaceReads(text, (root, [link]) => {
      const to = root === 'inputs' && link ? newName(inputs, link.name) : undefined;
      return to === undefined ? undefined : { names: 1, by: `inputs.${to}` };
    }),
  );
}

/** Where there is something under the new name already, the old one stays beside it. */
function withNames(record: Readonly<Record<string, unknown>>, names: Names): Record<string, unknown> {
  const entries = Object.entries(record).map(([key, value]): [string, unknown] => {
    const to = newName(names, key);
    return [to === undefined || Object.hasOwn(record, to) ? key : to, value];
  });
  return Object.fromEntries(entries);
}

/** What reads an output of the node reads it by its new name. */
function reading(node: FlowNode, { node: id, outputs, named }: ReplaceOperator): FlowNode {
  const [only] = Object.values(outputs);
  return changeTemplates(node, undefined, (text) =>
    replaceReads(text, (root, [link, port]) => {
      if (root !== 'nodes' || link?.name !== id) return undefined;
      const target = `nodes${dotOf(link)}${id}`;
      if (!named.before)
        return named.after && only !== undefined ? { names: 1, by: `${target}.${only}` } : undefined;
      if (port === undefined) return undefined;
      const to = newName(outputs, port.name) ?? port.name;
      return { names: 2, by: named.after ? `${target}${dotOf(port)}${to}` : target };
    }),
  );
}

function dotOf({ optional }: { readonly optional: boolean }): string {
  return optional ? '?.' : '.';
}
