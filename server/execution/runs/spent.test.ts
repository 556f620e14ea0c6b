import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperator, optionalInput, output, spend, WeftError } from '#engine';
import type { Flow, FlowNode } from '#shared/flow.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { callNode, createFlowBed, endOf, type FlowBed, rowFlow } from './testing/flow-bed.ts';

/** Model usage: reported by nodes, summed up by runs, and counted once even if runs are parts of others. */

const ask = defineOperator({
  title: 'Ask',
  doc: 'Spends the given amount.',
  icon: 'bot',
  params: z.object({
    input: z.number(),
    output: z.number(),
    cached: z.number().optional(),
    cost: z.number().optional(),
    calls: z.number().default(1),
    fails: z.boolean().default(false),
  }),
  inputs: { in: optionalInput() },
  outputs: { out: output() },
  effects: 'read',
  examples: [],
  run(call) {
    const { input, output: out, cached, cost, calls, fails } = call.params;
    const tokens = { input, output: out, ...(cached !== undefined && { cached }) };
    for (let i = 0; i < calls; i++) spend(call.asker, { model: `m${i + 1}`, tokens, cost });
    if (fails) throw new WeftError('bad_input', 'It does not like it.');
    return null;
  },
});

const asking = (params: Record<string, unknown>): FlowNode => ({ operator: 'test.ask', params });
const bedOf = (flows: readonly Flow[]): Promise<FlowBed> =>
  createFlowBed(flows, { operators: { 'test.ask': ask } });

async function runOf(bed: FlowBed, flow: string) {
  const run = bed.start(flow, null);
  const { outcome } = await endOf(run);
  const events = run.events();
  const summary = await bed.hub.get(run.id);
  return { run, outcome, events, summary };
}

const spentOf = (events: readonly RunEvent[]) =>
  Object.fromEntries(
    events.flatMap((event) =>
      (event.kind === 'node-finished' || event.kind === 'node-failed') && event.tokens
        ? [[event.node, [event.tokens, event.cost, event.model]]]
        : [],
    ),
  );

test('a node reports tokens, cost and the last model of all its calls, and the run reports the sum', async () => {
  const flow = rowFlow('f', {
    once: asking({ input: 10, output: 2, cached: 4, cost: 0.5 }),
    twice: asking({ input: 1, output: 1, calls: 2 }),
  });
  const { events, outcome, summary } = await runOf(await bedOf([flow]), 'f');
  expect(spentOf(events)).toEqual({
    once: [{ input: 10, output: 2, cached: 4 }, 0.5, 'm1'],
    twice: [{ input: 2, output: 2 }, undefined, 'm2'],
  });
  const total = { tokens: { input: 12, output: 4, cached: 4 }, cost: 0.5 };
  expect(outcome.spent).toEqual(total);
  expect(events.at(-1)).toMatchObject({ kind: 'run-finished', ...total });
  expect(summary).toMatchObject(total);
});

test('a failed node reports its usage', async () => {
  const failing = {
    ...asking({ input: 3, output: 0, fails: true }),
    onError: 'continue' as const,
    fallback: { out: 1 },
  };
  const { events, summary } = await runOf(await bedOf([rowFlow('f', { failing })]), 'f');
  expect(events.find(({ kind }) => kind === 'node-failed')).toMatchObject({
    tokens: { input: 3, output: 0 },
  });
  expect(summary?.tokens).toEqual({ input: 3, output: 0 });
});

test('a flow without models reports no tokens', async () => {
  const { events, outcome, summary } = await runOf(
    await bedOf([rowFlow('f', { map: { operator: 'core.map', params: { value: 1 } } })]),
    'f',
  );
  expect(outcome.spent).toBeUndefined();
  expect(JSON.stringify([events, summary])).not.toContain('tokens');
});

test('runs that are parts of others count with the node that called them, and once', async () => {
  const inner = rowFlow('inner', { a: asking({ input: 5, output: 1, cost: 0.25 }) });
  const outer = rowFlow('outer', { call: callNode('inner'), own: asking({ input: 1, output: 1 }) });
  const bed = await bedOf([inner, outer]);
  const { run, events, summary } = await runOf(bed, 'outer');
  expect(spentOf(events)).toEqual({
    call: [{ input: 5, output: 1 }, 0.25, 'm1'],
    own: [{ input: 1, output: 1 }, undefined, 'm1'],
  });
  expect(summary).toMatchObject({ tokens: { input: 6, output: 2 }, cost: 0.25 });
  const [part] = await bed.hub.list({ parent: run.id, limit: 10 });
  expect(part).toMatchObject({
    parent: run.id,
    parentNode: 'call',
    tokens: { input: 5, output: 1 },
    cost: 0.25,
  });
});

test('the sum over the nodes equals the total of the run, however flows call each other', async () => {
  const counts = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(counts, { minLength: 1, maxLength: 4 }), async (levels) => {
      const flows = levels.map((level, i) => {
        const nodes = level.map(([input, out], n) => [`n${n}`, asking({ input, output: out, cost: 1 })]);
        const below = i + 1 < levels.length ? { call: callNode(`f${i + 1}`) } : {};
        return rowFlow(`f${i}`, { ...Object.fromEntries(nodes), ...below });
      });
      const { events, outcome } = await runOf(await bedOf(flows), 'f0');
      const all = levels.flat();
      const sum = (at: 0 | 1) => all.reduce((total, pair) => total + pair[at], 0);
      expect(outcome.spent).toEqual({ tokens: { input: sum(0), output: sum(1) }, cost: all.length });
      const reported = Object.values(spentOf(events)) as [{ input: number; output: number }, number][];
      expect(reported.reduce((total, [tokens]) => total + tokens.input, 0)).toBe(sum(0));
      expect(reported.reduce((total, [, cost]) => total + cost, 0)).toBe(all.length);
    }),
    { numRuns: 20 },
  );
});
