import { describe, expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { makeRegistry } from '../catalog/registry.ts';
import { DEAD } from '../plan/plan.ts';
import { type EachCase, eachCase, type ItemProbe, itemOperator, modelEach } from '../testing/each-model.ts';
import { builtIns, flowOf, type Played, play } from '../testing/play.ts';
import { fc } from '../../tests/support/property.ts';

function begin(
  of: EachCase,
  more: Record<string, FlowNode | string>,
  edges: string[],
): { played: Played; probe: ItemProbe } {
  const probe: ItemProbe = { running: 0, mostRunning: 0, keys: new Set() };
  const registry = makeRegistry(new Map([...builtIns.operators, ['test.item', itemOperator(probe)]]));
  const { each, onError, retry, timeoutMs } = of;
  const node = {
    operator: 'test.item',
    each,
    onError,
    ...(onError === 'continue' && { fallback: { x: 'instead' } }),
    ...(retry && { retry }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  const flow = flowOf({ t: 'trigger.manual', node, ...more }, edges);
  return { played: play(flow, of.items, { registry }), probe };
}

/** The live outputs of the node; for errors their code and the position of the item. */
function outputsOf({ run, plan }: Played): Record<string, unknown> {
  const step = plan.steps.find(({ id }) => id === 'node');
  if (step === undefined) return {};
  const live = step.ports.flatMap((port, i) => {
    const value = run.values[step.out + i];
    return value === DEAD ? [] : [[port, value]];
  });
  const errors = step.errorSlot < 0 ? DEAD : run.values[step.errorSlot];
  const told = (error: { code: string; index: number }) => ({ code: error.code, index: error.index });
  return {
    ...Object.fromEntries(live),
    ...(errors !== DEAD && { error: (errors as { code: string; index: number }[]).map(told) }),
  };
}

describe('A node with `each`', () => {
  test('over a list equals the reference model in results and times', async () => {
    await fc.assert(
      fc.asyncProperty(eachCase, async (of) => {
        const { played, probe } = begin(of, {}, ['t > node']);
        await played.host.runAll();
        const { run, host } = played;
        const model = modelEach(of);
        expect(host.pending).toBe(0);
        expect(probe.mostRunning).toBeLessThanOrEqual(of.each.concurrency ?? 0);
        expect(run.outcome?.ms).toBe(model.end);
        if (model.fails.size > 0) expect(model.fails).toContain(run.outcome?.error?.code);
        else {
          expect(run.outcome?.status).toBe('ok');
          expect(outputsOf(played)).toEqual(model.outputs);
          expect(probe.keys).toEqual(new Set(of.items.map((_, index) => `run:node#${index}`)));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('over a stream divides it like the reference model divides a list, whichever side is read first, and never stalls', async () => {
    await fc.assert(
      fc.asyncProperty(eachCase, fc.constantFrom('concat', 'both', 'one'), async (of, reads) => {
        // Errors of items of a stream cannot be routed.
        const streamed: EachCase = of.onError === 'route' ? { ...of, onError: 'fail' } : of;
        const collect = { operator: 'core.unstreamify' };
        const sinks: Record<string, FlowNode> = { x: collect, ...(reads !== 'one' && { y: collect }) };
        const edges = ['t > s', 's > node', 'node.x > x', ...(reads === 'one' ? [] : ['node.y > y'])];
        if (reads === 'concat') Object.assign(sinks, { c: { operator: 'core.concat' }, all: collect });
        const more = reads === 'concat' ? ['node.x > c.in #1', 'node.y > c.in #2', 'c > all'] : [];
        const { played } = begin(streamed, { s: 'core.streamify', ...sinks }, [...edges, ...more]);
        await played.host.runAll();
        const { run, host, plan } = played;
        const model = modelEach(streamed);
        expect(run.outcome).toBeDefined();
        expect(host.pending).toBe(0);
        if (model.fails.size > 0) {
          expect(run.outcome?.status).toBe('failed');
          return;
        }
        const valueOf = (id: string): unknown =>
          run.values[plan.steps.find((step) => step.id === id)?.out ?? 0];
        const { x = [], y = [] } = model.outputs;
        expect(valueOf('x')).toEqual(x);
        if (reads !== 'one') expect(valueOf('y')).toEqual(y);
        if (reads === 'concat') expect(valueOf('all')).toEqual([...x, ...y]);
      }),
      { numRuns: 200 },
    );
  });
});
