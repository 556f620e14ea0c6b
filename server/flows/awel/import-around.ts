import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import { ownEntry } from './awel-flow.ts';
import type { ImportedNode } from './import-nodes.ts';
import type { Around } from './mappings/mapping.ts';
import { idSource } from './names.ts';

interface Drawn {
  readonly flow: Flow;
  readonly layout: Layout;
}

/** The flow with the extra nodes added. */
export function withAround({ flow, layout }: Drawn, nodes: readonly ImportedNode[]): Drawn {
  const surrounded = nodes.filter((one) => one.front ?? one.behind ?? one.view ?? one.extras);
  if (surrounded.length === 0) return { flow, layout };
  const drawing = createDrawing({ flow, layout });
  for (const one of surrounded) {
    const first = `${one.id}.${one.inputs[0]}`;
    if (one.extras) addExtras(drawing, one, one.extras);
    if (one.front) {
      const id = drawing.add('history', one.front, one.id, { x: -60, y: -140 });
      drawing.redirect('to', requestEnd(drawing, one, first), `${id}.in`);
      drawing.connect(`${id}.out`, requestEnd(drawing, one, first));
    }
    if (one.behind) {
      const id = drawing.add('history', one.behind, one.id, { x: 60, y: -140 });
      drawing.redirect('from', `${one.id}.${one.outputs[0]}`, `${id}.out`);
      drawing.connect(`${one.id}.${one.outputs[0]}`, `${id}.in`);
    }
    if (one.view) addView(drawing, one, one.view);
  }
  return drawing.done();
}

/** The node that the request enters: the node that adds extras to it, if there is one. */
function requestEnd(drawing: Drawing, one: ImportedNode, first: string): string {
  const merge = drawing.merges.get(one.id);
  return merge === undefined ? first : `${merge}.in`;
}

function addExtras(drawing: Drawing, one: ImportedNode, extras: NonNullable<Around['extras']>): void {
  const ports = drawing.portsTo(one.id).filter((port) => /^in_\d+$/.test(port));
  if (ports.length === 0) return;
  const names = ports.map((_, i) => `context_${i + 1}`);
  const contexts = drawing.add('contexts', extras(names), one.id, { x: -120, y: 160 });
  const merge = drawing.add('with_contexts', { operator: 'data.merge' }, one.id, { x: -60, y: 80 });
  ports.forEach((port, i) => drawing.redirect('to', `${one.id}.${port}`, `${contexts}.${names[i]}`));
  const first = `${one.id}.${one.inputs[0]}`;
  drawing.redirect('to', first, `${merge}.in`);
  drawing.connect(`${contexts}.out`, `${merge}.in`);
  drawing.connect(`${merge}.out`, first);
  drawing.merges.set(one.id, merge);
}

function addView(drawing: Drawing, one: ImportedNode, view: FlowNode): void {
  const second = `${one.id}.out_1`;
  if (!drawing.leaves(second)) return;
  const id = drawing.add('text', view, one.id, { x: 200, y: 160 });
  drawing.redirect('from', second, `${id}.out`);
  drawing.connect(`${one.id}.${one.outputs[0]}`, `${id}.in`);
}

type Drawing = ReturnType<typeof createDrawing>;

function createDrawing({ flow, layout }: Drawn) {
  const idOf = idSource(Object.keys(flow.nodes));
  const nodes = new Map(Object.entries(flow.nodes));
  const places = new Map(Object.entries(layout.nodes));
  const added = new Set<FlowEdge>();
  let edges = [...flow.edges];
  return {
    /** The nodes that add extras to a request, by the node that they are for. */
    merges: new Map<string, string>(),
    add(name: string, node: FlowNode, beside: string, off: { x: number; y: number }): string {
      const id = idOf(name);
      nodes.set(id, node);
      const at = ownEntry(layout.nodes, beside);
      if (at) places.set(id, { x: at.x + off.x, y: at.y + off.y });
      return id;
    },
    connect(from: string, to: string): void {
      const edge = { from, to };
      added.add(edge);
      edges.push(edge);
    },
    /** Moves an end of the file's own edges. */
    redirect(end: 'from' | 'to', old: string, now: string): void {
      edges = edges.map((edge) => (edge[end] === old && !added.has(edge) ? { ...edge, [end]: now } : edge));
    },
    leaves: (port: string): boolean => edges.some(({ from }) => from === port),
    portsTo(id: string): string[] {
      const to = edges.filter((edge) => edge.to.startsWith(`${id}.`)).map((edge) => edge.to);
      return [...new Set(to)].map((port) => port.slice(id.length + 1)).sort();
    },
    done: (): Drawn => ({
      flow: { ...flow, nodes: Object.fromEntries(nodes), edges },
      layout: { ...layout, nodes: Object.fromEntries(places) },
    }),
  };
}
