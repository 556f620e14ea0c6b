import { type FlowEdge, splitPortRef } from '#shared/flow.ts';
import { type CheckContext, didYouMean, type NodeView } from '../../flow/context.ts';
import { parsePath } from '../../flow/field-path.ts';
import { ERROR_PORT } from '../../flow/ports.ts';

/** Each edge on its own: both ends exist, and no edge appears twice. */
export function checkEdges(context: CheckContext): void {
  const seen = new Set<string>();
  context.flow.edges.forEach((edge, at) => {
    const key = `${edge.from}>${edge.to}`;
    if (seen.has(key)) reportDuplicate(context, edge, at);
    else checkEnds(context, edge, at);
    if (edge.pick !== undefined) checkPath(context, edge, at);
    seen.add(key);
  });
}

function checkPath({ kinds, report }: CheckContext, edge: FlowEdge, at: number): void {
  const path = parsePath(edge.pick ?? '');
  const place = { path: ['edges', at, 'pick'], nodes: endsOf(edge) };
  if (!path) {
    report({
      code: 'bad-field',
      message: `\`${edge.pick}\` is no path of fields; write it as in an expression, such as \`orders\` or \`order.lines[0]\`.`,
      ...place,
    });
  } else if (kinds.get(edge.from) === 'stream') {
    report({
      code: 'kind-mismatch',
      message: `\`${edge.from}\` gives a stream, of which an edge cannot carry \`${edge.pick}\`; read the field of each item with \`core.map\`.`,
      ...place,
    });
  }
}

function reportDuplicate({ report }: CheckContext, edge: FlowEdge, at: number): void {
  report({
    code: 'duplicate-edge',
    message: `The edge from ${edge.from} to ${edge.to} is there twice; remove one.`,
    path: ['edges', at],
    nodes: endsOf(edge),
    fix: removeEdge(edge),
  });
}

function checkEnds(context: CheckContext, edge: FlowEdge, at: number): void {
  for (const end of ['from', 'to'] as const) {
    const { node, port } = splitPortRef(edge[end]);
    const view = context.nodes.get(node);
    if (!view) reportDangling(context, edge, at, end);
    else if (view.info && !portNames(view, end).includes(port)) reportUnknownPort(context, edge, at, end);
  }
}

function reportDangling({ report }: CheckContext, edge: FlowEdge, at: number, end: 'from' | 'to'): void {
  report({
    code: 'dangling-edge',
    message: `The edge from ${edge.from} to ${edge.to} is loose: there is no node \`${splitPortRef(edge[end]).node}\`.`,
    path: ['edges', at, end],
    nodes: endsOf(edge),
    fix: removeEdge(edge),
  });
}

function reportUnknownPort(context: CheckContext, edge: FlowEdge, at: number, end: 'from' | 'to'): void {
  const { node, port } = splitPortRef(edge[end]);
  const view = context.nodes.get(node) as NodeView;
  const finding = { code: 'unknown-port', path: ['edges', at, end], nodes: endsOf(edge) } as const;
  if (end === 'from' && port === ERROR_PORT) {
    context.report({
      ...finding,
      message: `\`${node}\` has no output \`error\`, since its errors are not routed; set its \`onError\` to \`route\`.`,
      fix: {
        kind: 'set-field',
        title: 'Route the errors of the node',
        node,
        field: 'onError',
        value: 'route',
      },
    });
    return;
  }
  const names = portNames(view, end);
  const what = end === 'from' ? 'output' : 'input';
  const meant = context.nearest(port, names) ?? (names.length === 1 ? names[0] : undefined);
  const has = names.length === 0 ? ` It has no ${what}s.` : ` It has ${names.slice(0, 10).join(', ')}.`;
  context.report({
    ...finding,
    message: `\`${node}\` has no ${what} \`${port}\`.${meant === undefined ? has : didYouMean(meant)}`,
    fix:
      meant === undefined
        ? removeEdge(edge)
        : {
            kind: 'set-field',
            title: `Connect to ${meant}`,
            field: `edges[${at}].${end}`,
            value: `${node}.${meant}`,
          },
  });
}

function portNames(view: NodeView, end: 'from' | 'to'): string[] {
  return (end === 'from' ? view.ports.outputs : view.ports.inputs).map((port) => port.name);
}

function endsOf(edge: FlowEdge): string[] {
  return [splitPortRef(edge.from).node, splitPortRef(edge.to).node];
}

function removeEdge({ from, to }: FlowEdge) {
  return { kind: 'remove-edge', title: 'Remove the edge', from, to } as const;
}
