import { testTools } from '../expr/testing/test-tools.ts';
import { describe, expect, test } from 'vitest';
import { compile, type Plan } from '../plan/compile.ts';
import { DEAD } from '../plan/plan.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { flowOf } from '../testing/play.ts';
import { randomStreams, type StreamFlow } from '../testing/random-streams.ts';
import { StreamProbe, streamRegistry } from '../testing/stream-operators.ts';
import { RunState } from './run.ts';
import { ABORT_GRACE_MS } from './state.ts';
import { fc } from '../../tests/support/property.ts';

const RUNS = { numRuns: 60 };

interface Scene {
  readonly run: RunState;
  readonly host: FakeHost;
  readonly probe: StreamProbe;
}

function begin({ flow }: Pick<StreamFlow, 'flow'>, settings = {}): Scene {
  const probe = new StreamProbe();
  const all = { ...flow, settings: { ...flow.settings, ...settings } };
  const plan = compile(all, 'v1', streamRegistry(probe), testTools).plans.get('t') as Plan;
  const host = new FakeHost();
  return { probe, host, run: new RunState(plan, { id: 'r', request: {}, output: 0, vars: {} }, host) };
}

/** The end of each sink; undefined if it was skipped. */
function valuesOf({ run }: Scene, wanted: Iterable<string>): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const id of wanted) {
    const step = run.plan.steps.find((one) => one.id === id);
    const value = run.values[step?.out ?? 0];
    found.set(id, value === DEAD ? undefined : value);
  }
  return found;
}

/** Nothing is left behind: no timer, no generator, no open stream. An unhandled rejection fails the file anyway. */
function expectNothingLeft({ run, host, probe }: Scene): void {
  expect(run.outcome).toBeDefined();
  expect(host.pending).toBe(0);
  expect([...probe.open]).toEqual([]);
  expect(run.streams?.count ?? 0).toBe(0);
  expect(run.abandoned).toBeUndefined();
}

describe('a random flow of streams', () => {
  test('gives every consumer the items that plain lists would, and fails only where nobody handles it', async () => {
    await fc.assert(
      fc.asyncProperty(randomStreams, async (model) => {
        const scene = begin(model);
        await scene.host.runAll();
        expectNothingLeft(scene);
        const { outcome } = scene.run;
        if (model.unsure) return;
        if (model.fatal.size > 0) {
          expect(outcome?.status).toBe('failed');
          expect([...model.fatal]).toContain(outcome?.error?.node);
        } else {
          expect(outcome?.error).toBeUndefined();
          expect(valuesOf(scene, model.values.keys())).toEqual(model.values);
        }
      }),
      RUNS,
    );
  });

  test('that may not buffer much gives the same, or fails for want of a buffer', async () => {
    await fc.assert(
      fc.asyncProperty(randomStreams, fc.integer({ min: 1, max: 100 }), async (model, maxStreamBuffer) => {
        const scene = begin(model, { maxStreamBuffer });
        await scene.host.runAll();
        expectNothingLeft(scene);
        const { outcome } = scene.run;
        if (model.unsure || model.fatal.size > 0 || outcome?.error?.code === 'stream_buffer_full') return;
        expect(outcome?.error).toBeUndefined();
        expect(valuesOf(scene, model.values.keys())).toEqual(model.values);
      }),
      RUNS,
    );
  });

  test('ends at once when it is cancelled at any moment, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(randomStreams, fc.nat(60), fc.nat(30), async (model, at, turns) => {
        const scene = begin(model);
        await scene.host.advance(at);
        for (let i = 0; i < turns; i++) await Promise.resolve();
        const { outcome: before, stopping } = scene.run;
        scene.run.cancel('disconnect');
        await scene.host.advance(ABORT_GRACE_MS);
        expectNothingLeft(scene);
        if (!before) expect(scene.run.outcome?.status).toBe(stopping ?? 'cancelled');
      }),
      RUNS,
    );
  });
});

/** Found by chance: nobody noticed that the last one who could move had come to rest, so these runs never ended. */
describe('a step waits for a slot, and the one that has it for a stream which the first one holds back,', () => {
  const items = (count: number, ms: number) => ({ operator: 'test.source', params: { items: count, ms } });
  const relay = { operator: 'test.relay', params: { ms: 0 } };
  const few = { operator: 'core.transform-stream', params: { mode: 'take', count: 3 } };
  /** Of steps that are ready at once, the one whose id comes first gets the slot. */
  const start = { t: 'trigger.manual', answer: 'core.respond', s: items(130, 0) };

  async function expectEnd(nodes: Parameters<typeof flowOf>[0], edges: readonly string[]): Promise<void> {
    const flow = flowOf({ ...start, ...nodes }, ['t > answer', 't > s', ...edges], { concurrency: 1 });
    for (const maxStreamBuffer of [2, 4, 10, 64, 10_000]) {
      const scene = begin({ flow }, { maxStreamBuffer });
      await scene.host.runAll();
      expectNothingLeft(scene);
    }
  }

  test('when the consumer of an item that is on its way has left', () =>
    expectEnd(
      {
        ...{ list: 'core.unstreamify', z: items(2, 3), merged: 'core.merge-streams' },
        ...{ few, other: 'core.map', m: 'core.map' },
      },
      ['s > list', 't > z', 's > merged #0', 'z > merged #1', 'merged > few', 'z > other', 's > m'],
    ));

  test('when an item that is on its way goes through a producer whose own item nobody waits for', () =>
    expectEnd(
      {
        ...{ c: 'core.concat', late: items(2, 3), list: 'core.unstreamify', none: items(0, 0) },
        ...{ m: 'core.map', other: 'core.map', relay },
        ...{ merged: 'core.merge-streams', end: 'core.unstreamify', z: 'core.zip' },
      },
      [
        ...['s > c #0', 't > late', 's > list', 't > none', 's > m', 's > other', 'late > relay'],
        ...['s > merged #0', 'relay > merged #1', 'm > end', 'merged > z.a', 's > z.b'],
      ],
    ));
});
