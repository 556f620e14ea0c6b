import type { FlowNode } from '#shared/flow.ts';
import { createDrawing, type Drawing, type Drawn } from './drawing.ts';
import type { ImportedNode } from './import-nodes.ts';
import type { Around } from './mappings/mapping.ts';

/** The flow with the extra nodes added. */
export function withAround({ flow, layout }: Drawn, nodes: readonly ImportedNode[]): Drawn {
  const surrounded = nodes.filter((one) => one.front ?? one.behind ?? one.view ?? one.extras);
  if (surrounded.length === 0) return { flow, layout };
  const drawing = createDrawing({ flow, layout });
  for (const one of surrounded) {
    const first = `${one.id}.${one.inputs[0]}`;
    if (one.extras) addExtras(drawing, one, one.extras);
    if (one.front) {
      const id = drawing.add(nameOf(one.front), one.front, one.id, { x: -60, y: -140 });
      drawing.redirect('to', requestEnd(drawing, one, first), `${id}.in`);
      drawing.connect(`${id}.out`, requestEnd(drawing, one, first));
    }
    if (one.behind) {
      const id = drawing.add(nameOf(one.behind), one.behind, one.id, { x: 60, y: -140 });
      drawing.redirect('from', `${one.id}.${one.outputs[0]}`, `${id}.out`);
      drawing.connect(`${one.id}.${one.outputs[0]}`, `${id}.in`);
    }
    if (one.view) addView(drawing, one, one.view);
  }
  return drawing.done();
}

/** The second part of its operator: `history` of `prompt.history`. */
function nameOf({ operator }: FlowNode): string {
  return operator.slice(operator.indexOf('.') + 1);
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
