import { operatorInfo, portsOf } from '#engine/check';
import type { FlowNode } from '#shared/flow.ts';
import type { Context } from './context.ts';
import type { Job } from './job.ts';
import type { Loop, Shape } from './loops/loops.ts';
import type { Port, Scope } from './graph.ts';

/** A run has one result, so the ends of a workflow meet in one node. */
export function addEnd(job: Job, scope: Scope): void {
  const { answer, naming } = job;
  const ends = answer === 'said' ? [] : endsOf(job, scope);
  const isWebhook = [...scope.nodes.values()].some(
    ({ operator, params }) => operator === 'trigger.http' || params?.['sender'] === true,
  );
  const [only] = ends;
  if (only === undefined) return;
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
  const last = isWebhook
    ? answering(
        answer,
        ends.some(({ card }) => card === 'many'),
      )
    : undefined;
  if (last) scope.edges.push({ from, to: `${add('answer', last, 2)}.in` });
}

/** Makes the answer of a webhook from the output of the last node; undefined if that output is the answer. */
function answering(
  answer: Job['answer'],
  hasList: boolean,
): { operator: string; params: Record<string, unknown> } | undefined {
  if (answer === 'nothing') return { operator: 'core.respond', params: { status: 200, body: '' } };
  if (answer === 'all') return { operator: 'core.map', params: { value: '{{ [input].flat() }}' } };
  return hasList ? { operator: 'core.map', params: { value: '{{ [input].flat()[0] }}' } } : undefined;
}

/** Outputs of nodes that nothing follows. */
function endsOf({ workflow, given, around }: Job, scope: Scope): Port[] {
  const leaving = new Set(scope.edges.map(({ from }) => from.split('.')[0]));
  const isEnd = (port: Port): boolean => {
    const id = port.ref.split('.')[0] as string;
    const node = scope.nodes.get(id);
    if (port.scope !== scope || leaving.has(id) || node === undefined || node.disabled === true) return false;
    return operatorInfo(around.catalog, node.operator)?.sink !== true;
  };
  const all = [...workflow.steps.keys()].flatMap((name) => given.get(name)?.outputs ?? []);
  const ends = all.filter((port) => port !== undefined && isEnd(port)) as Port[];
  return [...new Map(ends.map((port) => [port.ref, port])).values()];
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

/** A body has one result, so each other end leads to a node that gives none. */
export function sinkEnds({ around, naming }: Job, body: Scope, except: string | undefined): void {
  const leaving = new Set(body.edges.map(({ from }) => from.split('.')[0]));
  for (const [id, node] of body.nodes) {
    const info = operatorInfo(around.catalog, node.operator);
    if (leaving.has(id) || id === except || !info || info.sink || node.disabled) continue;
    const ports = portsOf(node as FlowNode, info).outputs;
    for (const { name } of ports.slice(0, info.type === 'http.request' ? 1 : ports.length)) {
      const sink = naming.id('end');
      body.nodes.set(sink, {
        operator: 'core.log',
        params: { level: 'debug', message: 'The end of a branch.' },
      });
      body.edges.push({ from: `${id}.${name}`, to: `${sink}.in` });
    }
  }
}

/** Tells where a loop of Split in Batches ends there before all batches are done; `loop` is undefined if nothing leads back to it. */
export function tellEnds(job: Job, shape: Shape, context: Context, loop: Loop | undefined): void {
  if (loop === undefined) {
    context.changed(
      'wire',
      'Nothing leads back to it: there it ends after the first batch, here it takes all.',
    );
    return;
  }
  const [first, ...more] = earlyEnds(job, shape, loop);
  if (first === undefined) return;
  const names = more.length > 2 ? `${first} and ${more.length} other nodes` : [first, ...more].join(', ');
  context.changed(
    'wire',
    `A batch of which nothing comes back (${names} may lead it elsewhere, or give no item) ended the loop there; here the next batch begins.`,
  );
}

/** Nodes that may drop all items of a list, whatever leads on from them. */
const DROPS = new Set(['filter', 'switch', 'textClassifier', 'removeDuplicates', 'compareDatasets']);

/** The nodes within of which some items may not come back: on an output that leads elsewhere, or since there are none. */
function earlyEnds(
  { workflow, given }: Job,
  { upstream, wires, back }: Shape,
  { name, body }: Loop,
): readonly string[] {
  const ends = back.filter(({ to }) => to === name);
  const isReturning = (step: string): boolean =>
    step === name || ends.some(({ from }) => from === step || upstream.get(from)?.has(step) === true);
  const returns = (step: string, output: number): boolean =>
    [...wires, ...ends].some((wire) => wire.from === step && wire.output === output && isReturning(wire.to));
  return [...body].filter((step) => {
    if (!isReturning(step)) return false;
    const outputs = given.get(step)?.outputs ?? [];
    const mayBeEmpty = outputs[0]?.card === 'many' && outputs[0].mayBeEmpty;
    return (
      DROPS.has(workflow.steps.get(step)?.kind ?? '') ||
      mayBeEmpty ||
      outputs.some((port, output) => port !== undefined && !returns(step, output))
    );
  });
}
