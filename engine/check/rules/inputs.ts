import type { InputPort } from '#shared/catalog.ts';
import type { Fix } from '#shared/problem.ts';
import { type CheckContext, type NodeView } from '../../flow/context.ts';
import type { EdgeLabel } from '../../flow/graph.ts';
import { whyNotEach } from '../../flow/by-param.ts';
import { type FlowKind, itemPort } from '../../flow/ports.ts';

/** Each input: it has an edge if it requires one, only one if it accepts one, and of the kind that it accepts. */
export function checkInputs(context: CheckContext): void {
  const fed = new Set(context.flow.edges.map((edge) => edge.to));
  for (const view of context.nodes.values()) {
    const byPort = Map.groupBy(view.incoming, (edge) => edge.toPort);
    for (const port of view.ports.inputs) {
      const edges = byPort.get(port.name) ?? [];
      if (port.required && !fed.has(`${view.id}.${port.name}`)) reportMissing(context, view, port);
      if (port.many === undefined && edges.length > 1) reportTooMany(context, view, port, edges);
      for (const edge of edges) checkKind(context, view, port, edge);
    }
  }
}

function reportMissing({ report }: CheckContext, { id }: NodeView, port: InputPort): void {
  report({
    code: 'missing-input',
    message: `The input \`${port.name}\` of \`${id}\` needs an edge.`,
    node: id,
    path: ['inputs', port.name],
  });
}

function reportTooMany(
  { report }: CheckContext,
  { id }: NodeView,
  port: InputPort,
  edges: readonly EdgeLabel[],
): void {
  report({
    code: 'too-many-edges',
    message: `The input \`${port.name}\` of \`${id}\` takes one edge, but has ${edges.length}; merge or join them first.`,
    node: id,
    path: ['inputs', port.name],
    nodes: [...new Set([...edges.map((edge) => edge.from), id])],
    fix: { kind: 'insert-merge', title: 'Insert a merge', to: `${id}.${port.name}` },
  });
}

function checkKind(context: CheckContext, view: NodeView, port: InputPort, edge: EdgeLabel): void {
  const from = `${edge.from}.${edge.fromPort}`;
  const kind = context.kinds.get(from);
  if (kind === undefined || port.kind === 'either' || port.kind === kind) return;
  if (kind === 'stream' && view.info && itemPort(view.node, view.info, view.ports) === port) return;
  const fitting = view.ports.inputs.find((other) => other.kind === kind);
  context.report({
    code: 'kind-mismatch',
    message: kindMessage(from, `${view.id}.${port.name}`, kind, fitting && `${view.id}.${fitting.name}`),
    path: ['edges', edge.at, 'to'],
    nodes: [edge.from, edge.to],
    fix: fitting ? undefined : fixOfKind(view, port, kind, from),
  });
}

/** A node that works on a list as a whole gets all items of a stream; any other one runs for each of them, where it can. */
function fixOfKind(view: NodeView, port: InputPort, kind: FlowKind, from: string): Fix | undefined {
  const isStream = kind === 'stream';
  const takesList = view.node.body !== undefined || port.schema?.['type'] === 'array';
  const byEach = isStream && !takesList ? fixByEach(view, port) : undefined;
  return (
    byEach ?? {
      kind: 'insert-operator',
      title: isStream ? 'Collect the items first' : 'Make a stream of it first',
      operator: isStream ? 'core.unstreamify' : 'core.streamify',
      from,
      to: `${view.id}.${port.name}`,
    }
  );
}

function kindMessage(from: string, to: string, kind: FlowKind, fitting: string | undefined): string {
  const instead = fitting && `; connect it to \`${fitting}\` instead.`;
  return kind === 'stream'
    ? `${from} gives a stream, but \`${to}\` takes one value${instead ?? '; collect it first, with `core.unstreamify`.'}`
    : `${from} gives one value, but \`${to}\` takes a stream${instead ?? '; turn it into a stream first, with `core.streamify`.'}`;
}

/** The fix where items arrive at an input for one value. */
export function fixByEach({ id, node, info, ports }: NodeView, port: InputPort): Fix | undefined {
  if (!info || node.each !== undefined || port !== ports.inputs[0] || whyNotEach(node, info, ports))
    return undefined;
  return { kind: 'set-field', title: 'Run the node for each item', node: id, field: 'each', value: {} };
}
