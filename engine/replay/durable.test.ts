import { testTools } from '../expr/testing/test-tools.ts';
import { fc } from '../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { compile, type Plan } from '../plan/compile.ts';
import { foreignOperator } from '../foreign/foreign.ts';
import type { Host, RunCtx } from '../base/host.ts';
import { defineOperator, input, type Operator, output } from '../base/operator.ts';
import { extendRegistry, type Registry } from '../catalog/registry.ts';
import { start } from '../run/run.ts';
import type { StartOptions } from '../run/state.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { builtIns, flowOf, looped } from '../testing/play.ts';
import { randomFlow } from '../testing/random-flow.ts';
import { randomStreams } from '../testing/random-streams.ts';
import { StreamProbe, streamRegistry } from '../testing/stream-operators.ts';
import { Probe, taskRegistry } from '../testing/task-operators.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import type { RunRecord } from './record.ts';
import { startRecorded } from './recording.ts';
import { replayRun } from './replaying.ts';

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** What is known of a durable run when its process ends. */
interface Journal {
  readonly steps: Map<string, Outcome>;
  readonly order: string[];
}

/** One pass: known steps are not executed, and recording takes a moment. */
function passOver({ steps, order }: Journal, host: Host): RunCtx {
  const known = order.splice(0);
  const moment = (): Promise<void> => new Promise((resolve) => void host.timer(1, resolve));
  const ended = (outcome: Outcome): unknown => {
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };
  const take = (key: string): string => {
    order.push(key);
    return key;
  };
  return {
    async step({ key, signal }, fn) {
      const before = steps.get(key);
      if (before !== undefined) return ended(before);
      await moment();
      const aborted = new Promise<never>((_, reject) => {
        const fail = (): void => reject(signal.reason as Error);
        if (signal.aborted) fail();
        else signal.addEventListener('abort', fail, { once: true });
      });
      const outcome = await Promise.race([fn(), aborted]).then(
        (value): Outcome => ({ value }),
        (error: unknown): Outcome => ({ error }),
      );
      await moment();
      if (!steps.has(key)) steps.set(key, outcome);
      return ended(outcome);
    },
    async next(running, first) {
      for (let key = known.shift(); key !== undefined; key = known.shift())
        if (running.has(key)) return take(key);
      return take(await first());
    },
    async wait(_key, _node, what) {
      const { until = 0 } = what;
      await new Promise<void>((resolve) => void host.timer(Math.max(0, until - host.now()), resolve));
      return undefined;
    },
    idle: () => {},
    once: (_, fn) => fn(),
    parts: () => () => {},
  };
}

const loopRegistry = (): Registry => extendRegistry(builtIns, taskRegistry(new Probe()).operators);

const planOf = (made: Flow, registry: Registry): Plan =>
  [...compile(made, 'v1', registry, testTools).plans.values()][0] as Plan;

interface Course {
  /** When the process ended, the first and the second time. */
  readonly deaths: readonly number[];
  readonly cancelAt?: number;
}

/** The record of the last pass, as it would be in a file. */
async function recordOf(plan: () => Plan, { deaths, cancelAt }: Course): Promise<RunRecord> {
  const journal: Journal = { steps: new Map(), order: [] };
  const base: StartOptions = { id: 'r', request: {}, output: 'start', vars: {}, startedAt: 5 };
  for (const ms of deaths) {
    const host = new FakeHost();
    const run = start(plan(), { ...base, ctx: passOver(journal, host) }, host);
    await host.advance(ms);
    run.leave();
  }
  const host = new FakeHost();
  const run = startRecorded(plan(), { ...base, ctx: passOver(journal, host) }, host);
  if (cancelAt !== undefined) {
    await host.advance(cancelAt);
    run.cancel('stop');
  }
  await host.runAll();
  return JSON.parse(JSON.stringify(run.record())) as RunRecord;
}

async function expectSame(plan: Plan, record: RunRecord): Promise<void> {
  expect(record.events.at(-1)?.kind).toBe('run-finished');
  const played = await replayRun(plan, record, (fn) => void setImmediate(fn));
  const { events, divergence, difference } = played;
  expect({ divergence, difference }).toEqual({ divergence: undefined, difference: undefined });
  expect(JSON.parse(JSON.stringify(events))).toEqual(record.events);
}

const courses: fc.Arbitrary<Course> = fc.record(
  { deaths: fc.array(fc.nat(60), { maxLength: 2 }), cancelAt: fc.nat(80) },
  { requiredKeys: ['deaths'] },
);

test('any durable flow that was carried on, and cancelled, at any moment replays with the events of its last pass', async () => {
  const keeps = fc.asyncProperty(randomFlow, courses, async (made, course) => {
    const plan = (): Plan => planOf(made, taskRegistry(new Probe()));
    await expectSame(plan(), await recordOf(plan, course));
  });
  await fc.assert(keeps, { numRuns: 80 });
});

test('any durable flow whose nodes are in the body of a loop does so too', async () => {
  const keeps = fc.asyncProperty(randomFlow, courses, async (made, course) => {
    const plan = (): Plan => planOf(looped(made), loopRegistry());
    await expectSame(plan(), await recordOf(plan, course));
  });
  await fc.assert(keeps, { numRuns: 60 });
});

test('any durable flow of streams does so too', async () => {
  const keeps = fc.asyncProperty(randomStreams, courses, async ({ flow: made }, course) => {
    const plan = (): Plan => planOf(made, streamRegistry(new StreamProbe()));
    await expectSame(plan(), await recordOf(plan, course));
  });
  await fc.assert(keeps, { numRuns: 40 });
});

test.each([undefined, 1])(
  'who has read what it wants of a stream holds up nobody when the run is carried on, at concurrency %s',
  async (concurrency) => {
    const all = { operator: 'core.unstreamify' };
    const made = flowOf(
      { t: 'trigger.manual', s: source, all, first: 'test.peek', each: map },
      ['t > s', 's > all', 's > first', 's > each'],
      concurrency === undefined ? {} : { concurrency },
    );
    const plan = (): Plan => planOf(made, streamRegistry(new StreamProbe()));
    for (const ms of [3, 4, 5]) await expectSame(plan(), await recordOf(plan, { deaths: [ms] }));
  },
);

test('a loop of a user’s own that was carried on plays as what it gave', async () => {
  const loop = defineOperator({
    title: 'Loop',
    doc: 'Adds up what its parts give.',
    icon: 'repeat',
    params: z.object({}),
    inputs: { in: input() },
    outputs: { out: output() },
    effects: 'write',
    examples: [],
    async run(call) {
      let sum = 0;
      for (const index of [1, 2, 3]) {
        const part = async (): Promise<number> => (await call.sleep(2), index * call.random());
        sum += (await call.part({ index, attempt: 1, signal: call.signal }, part)) as number;
      }
      return sum;
    },
  });
  const own = new Map([['test.loop', foreignOperator(loop as unknown as Operator)]]);
  const registry = extendRegistry(builtIns, own);
  const plan = (): Plan =>
    planOf(
      flowOf({ t: 'trigger.manual', l: 'test.loop', end: 'core.merge' }, ['t > l', 'l > end']),
      registry,
    );
  for (const deaths of [[], [6], [9]]) await expectSame(plan(), await recordOf(plan, { deaths }));
});

/** More items than a reader may be behind. */
const source: FlowNode = { operator: 'test.source', params: { items: 130 } };
const map: FlowNode = { operator: 'core.map', params: { value: '{{ [input, index] }}' } };
