import { setImmediate } from 'node:timers/promises';
import { fc } from '../../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperator, manyInput, type Operator, output } from '#engine';
import type { NodeOutputs } from '#shared/api.ts';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { createFlowBed, endOf, type FlowBed } from '../../runs/testing/flow-bed.ts';
import { partialRun, type PartialWish } from './partial-run.ts';

/**
 * Random graphs of pure nodes, connected by edges and by reads of `nodes.…`. A node's value is made from its id and all
 * its inputs, so two values are equal only if everything before them was. A partial run must report for each node the
 * value that a whole run with the same replaced outputs would return.
 */
const RUNS = { numRuns: 200 };

const base = {
  title: 'Tag',
  doc: 'Gives its param.',
  icon: 'tag',
  params: z.object({ value: z.unknown() }),
  inputs: { in: manyInput('all') },
  outputs: { out: output() },
  effects: 'pure' as const,
  examples: [],
};
const operators: Record<string, Operator> = {
  'test.quick': defineOperator({ ...base, run: (call) => call.params.value }),
  'test.slow': defineOperator({
    ...base,
    async run(call) {
      await setImmediate();
      return call.params.value;
    },
  }),
};

interface Seed {
  readonly slow: boolean;
  readonly edges: readonly number[];
  readonly reads: readonly number[];
}

interface Graph {
  readonly flow: Flow;
  readonly ids: readonly string[];
  /** For each node the sources of its edges, and its reads. */
  readonly from: ReadonlyMap<
    string,
    { readonly edges: readonly string[]; readonly reads: readonly string[] }
  >;
}

const graph: fc.Arbitrary<Graph> = fc
  .array(
    fc.record({
      slow: fc.boolean(),
      edges: fc.array(fc.nat(20), { minLength: 1, maxLength: 2 }),
      reads: fc.array(fc.nat(20), { maxLength: 2 }),
    }),
    { minLength: 2, maxLength: 8 },
  )
  .map(graphOf);

function graphOf(seeds: readonly Seed[]): Graph {
  const nodes: Record<string, FlowNode> = { t: { operator: 'trigger.manual' } };
  const edges: FlowEdge[] = [];
  const above = new Map<string, Set<string>>([['t', new Set()]]);
  const from = new Map<string, { edges: string[]; reads: string[] }>();
  seeds.forEach((seed, i) => {
    const id = `n${i}`;
    const before = [...above.keys()];
    const sources = [...new Set(seed.edges.map((n) => before[n % before.length] as string))];
    const upstream = new Set(sources.flatMap((source) => [source, ...(above.get(source) ?? [])]));
    const readable = [...upstream];
    const reads = seed.reads.map((n) => readable[n % readable.length] as string);
    const read = (node: string, at: number): string =>
      node === 't' && at === 1 ? 'trigger.body' : `nodes.${node}`;
    const value = `{{ ["${id}", ${['input', ...reads.map(read)].join(', ')}] }}`;
    nodes[id] = { operator: seed.slow ? 'test.slow' : 'test.quick', params: { value } };
    sources.forEach((source, order) => edges.push({ from: `${source}.out`, to: `${id}.in`, order }));
    above.set(id, upstream);
    from.set(id, { edges: sources, reads });
  });
  // Several leaves at once are not a result.
  nodes['end'] = { operator: 'core.respond' };
  edges.push({ from: 't.out', to: 'end.in' });
  return { flow: { format: 1, id: 'graph', nodes, edges }, ids: [...from.keys()], from };
}

/** The output of each node in a whole run with some outputs replaced. */
function valuesOf({ ids, from }: Graph, input: unknown, placed: NodeOutputs): Map<string, unknown> {
  const values = new Map<string, unknown>([['t', input]]);
  for (const id of ids) {
    const { edges = [], reads = [] } = from.get(id) ?? {};
    const own = [id, edges.map((node) => values.get(node)), ...reads.map((node) => values.get(node))];
    values.set(id, placed[id] === undefined ? own : placed[id]['out']);
  }
  return values;
}

/** Runs the flow partially; returns the reported outputs of its nodes, and the decisions about them. */
async function inPart(bed: FlowBed, wish: PartialWish) {
  const flow = bed.live('graph');
  const parts = { runs: bed.hub, flowAt: async () => flow.flow };
  const { flow: left, decisions, reused, input } = await partialRun(parts, flow, 't', wish);
  const output_ = wish.input === undefined ? input : wish.input;
  const run = bed.hub.start({
    flow: left,
    trigger: 't',
    request: { body: output_ },
    output: output_,
    source: 'manual',
    record: 'full',
    inPart: { decisions: [...decisions], ...(reused !== undefined && { reused }) },
  });
  await endOf(run);
  const events = (await bed.hub.events(run.id, 0)) as RunEvent[];
  const reported = events.flatMap((e) => (e.kind === 'node-output' ? [[e.node, e.value] as const] : []));
  return { run: run.id, reported: new Map(reported), decisions };
}

/** For each node whether its output is replaced, and by which. */
const marks = fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: 8, maxLength: 8 });

function placed({ ids }: Graph, chosen: readonly number[], kind: string): NodeOutputs {
  const found = ids.flatMap((id, i) =>
    (chosen[i] ?? 0) === 0 ? [] : [[id, { out: `${kind} ${chosen[i]} of ${id}` }] as const],
  );
  return Object.fromEntries(found);
}

const step = fc.record({
  kind: fc.constantFrom('only', 'from', 'fork', 'go on'),
  node: fc.nat(20),
  pins: marks,
  changes: marks,
  input: fc.constantFrom('start', 'start', 'other', undefined),
});

test('a partial run gives the same values as a whole run with the same replaced outputs', async () => {
  await fc.assert(
    fc.asyncProperty(graph, marks, step, async (made, before, { kind, node, ...then }) => {
      const bed = await createFlowBed([made.flow], { operators });
      const firstPins = placed(made, before, 'pin');
      const first = await inPart(bed, { pins: firstPins, input: 'start' });
      expect(first.reported).toEqual(valuesOf(made, 'start', firstPins));

      const asked = made.ids[node % made.ids.length] as string;
      const pins = placed(made, then.pins, 'pin');
      const outputs = kind === 'fork' ? placed(made, then.changes, 'change') : {};
      const wish: PartialWish = {
        pins,
        reuse: first.run,
        ...(then.input !== undefined && { input: then.input }),
        ...(kind === 'fork' && { outputs }),
        ...(kind === 'only' && { only: asked }),
        ...(kind === 'from' && { from: asked }),
      };
      const { reported, decisions } = await inPart(bed, wish);

      const place = { ...pins, ...outputs };
      if (kind === 'only' || kind === 'from') delete place[asked];
      const expected = valuesOf(made, then.input ?? 'start', place);
      for (const [id, value] of reported)
        expect([id, value, decisions]).toEqual([id, expected.get(id), decisions]);
      const wanted = kind === 'only' ? [asked] : ['t', ...made.ids];
      expect(wanted.filter((id) => !reported.has(id))).toEqual([]);
    }),
    RUNS,
  );
});
