import { operatorInfo } from '#engine/check';
import type { Job } from './job.ts';
import type { Port, Scope } from './graph.ts';

/** A run has one result, so the ends of a workflow meet in one node. */
export function addEnd(job: Job, scope: Scope): void {
  const { answer, naming } = job;
  if (answer === 'said') return;
  const ends = endsOf(job, scope);
  const isWebhook = [...scope.nodes.values()].some(({ operator }) => operator === 'trigger.http');
  const [only] = ends;
  if (
    only === undefined ||
    (ends.length === 1 && (!isWebhook || (only.card === 'one' && answer === 'first')))
  )
    return;
  const { x, y } = lowestRight(naming.places);
  const add = (
    hint: string,
    node: { operator: string; params?: Record<string, unknown> },
    at: number,
  ): string => {
    const id = naming.id(hint);
    naming.place(id, { x: x + 240 * at, y });
    scope.nodes.set(id, node);
    return id;
  };
  let from = only.ref;
  if (ends.length > 1) {
    const merge = add('end', { operator: 'core.merge' }, 1);
    // The last one counts, as there.
    ends
      .toReversed()
      .forEach((port, order) => scope.edges.push({ from: port.ref, to: `${merge}.in`, order }));
    from = `${merge}.out`;
  }
  if (!isWebhook) return;
  const hasList = ends.some(({ card }) => card === 'many');
  if (answer === 'nothing') {
    const id = add('answer', { operator: 'core.respond', params: { status: 200, body: '' } }, 2);
    scope.edges.push({ from, to: `${id}.in` });
  } else if (answer === 'all' || hasList) {
    const value = answer === 'all' ? '{{ [input].flat() }}' : '{{ [input].flat()[0] }}';
    const id = add('answer', { operator: 'core.map', params: { value } }, 2);
    scope.edges.push({ from, to: `${id}.in` });
  }
}

/** Outputs of nodes that nothing follows. */
function endsOf({ workflow, given, around }: Job, scope: Scope): Port[] {
  const leaving = new Set(scope.edges.map(({ from }) => from.split('.')[0]));
  const ends = new Map<string, Port>();
  for (const name of workflow.steps.keys())
    for (const port of given.get(name)?.outputs ?? []) {
      const id = port?.ref.split('.')[0] ?? '';
      const node = scope.nodes.get(id);
      const info = node && operatorInfo(around.catalog, node.operator);
      if (!port || port.scope !== scope || leaving.has(id) || node?.disabled || info?.sink) continue;
      ends.set(port.ref, port);
    }
  return [...ends.values()];
}

function lowestRight(places: ReadonlyMap<string, { readonly x: number; readonly y: number }>): {
  x: number;
  y: number;
} {
  let x = 0;
  let y = 0;
  for (const place of places.values()) if (place.x >= x) ({ x, y } = place);
  return { x, y };
}
