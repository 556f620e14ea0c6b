import { testTools } from '../expr/testing/test-tools.ts';
import { fc } from '../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperator, input, type Operator, output } from '../base/operator.ts';
import { foreignOperator } from '../foreign/foreign.ts';
import { flow } from '../code-first/flow.ts';
import { compile, type Plan } from '../plan/compile.ts';
import { extendRegistry, type Registry } from '../catalog/registry.ts';
import type { RunAnswer, StartOptions } from '../run/state.ts';
import type { Services } from '../base/services.ts';
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

const loopRegistry = (): Registry => extendRegistry(builtIns, taskRegistry(new Probe()).operators);

const planOf = (made: Flow, registry: Registry): Plan =>
  [...compile(made, 'v1', registry, testTools).plans.values()][0] as Plan;

interface Setup {
  readonly host?: FakeHost;
  readonly input?: unknown;
  readonly services?: Services;
  readonly during?: (recorded: ReturnType<typeof startRecorded>, host: FakeHost) => unknown;
}

/** Runs it on a test host and returns the record as it would be in a file. */
async function recordOf(
  plan: Plan,
  setup: Setup = {},
): Promise<{ record: RunRecord; answer: RunAnswer | undefined }> {
  const { host = new FakeHost(), input = 'start', services } = setup;
  const options: StartOptions = { id: 'r', request: {}, output: input, vars: {} };
  const recorded = startRecorded(plan, options, services ? Object.assign(host, { services }) : host);
  await setup.during?.(recorded, host);
  await host.runAll();
  return { record: JSON.parse(JSON.stringify(recorded.record())) as RunRecord, answer: recorded.answer };
}

const replayed = (plan: Plan, record: RunRecord) => replayRun(plan, record, (fn) => void setImmediate(fn));

async function expectSame(plan: Plan, record: RunRecord): Promise<void> {
  const { events, divergence, difference } = await replayed(plan, record);
  expect({ divergence, difference }).toEqual({ divergence: undefined, difference: undefined });
  expect(JSON.parse(JSON.stringify(events))).toEqual(record.events);
}

test('any flow with failures, retries, time limits and routes replays with the same events', async () => {
  const keeps = fc.asyncProperty(randomFlow, async (made) => {
    const plan = planOf(made, taskRegistry(new Probe()));
    const { record } = await recordOf(plan);
    expect(record.events.at(-1)?.kind).toBe('run-finished');
    await expectSame(planOf(made, taskRegistry(new Probe())), record);
  });
  await fc.assert(keeps, { numRuns: 150 });
});

test('any flow whose nodes are in the body of a loop replays with the same events', async () => {
  const keeps = fc.asyncProperty(randomFlow, async (made) => {
    const { record } = await recordOf(planOf(looped(made), loopRegistry()));
    expect(record.events.at(-1)?.kind).toBe('run-finished');
    await expectSame(planOf(looped(made), loopRegistry()), record);
  });
  await fc.assert(keeps, { numRuns: 60 });
});

const streamPlan = (made: Flow): Plan => planOf(made, streamRegistry(new StreamProbe()));

test('any flow of streams that fail, wait, join and are left early replays with the same events', async () => {
  const keeps = fc.asyncProperty(randomStreams, async ({ flow: made }) => {
    const { record } = await recordOf(streamPlan(made));
    expect(record.events.at(-1)?.kind).toBe('run-finished');
    await expectSame(streamPlan(made), record);
  });
  await fc.assert(keeps, { numRuns: 100 });
});

test('any flow of streams that is cancelled at any moment replays with the same events', async () => {
  const keeps = fc.asyncProperty(randomStreams, fc.nat(60), async ({ flow: made }, ms) => {
    const during: Setup['during'] = async (recorded, host) => {
      await host.advance(ms);
      recorded.cancel('disconnect');
    };
    const { record } = await recordOf(streamPlan(made), { during });
    await expectSame(streamPlan(made), record);
  });
  await fc.assert(keeps, { numRuns: 50 });
});

test('any flow that is cancelled at any moment replays with the same events', async () => {
  const keeps = fc.asyncProperty(randomFlow, fc.nat(120), async (made, ms) => {
    const plan = planOf(made, taskRegistry(new Probe()));
    const during: Setup['during'] = async (recorded, host) => {
      await host.advance(ms);
      recorded.cancel('disconnect');
    };
    const { record } = await recordOf(plan, { during });
    await expectSame(planOf(made, taskRegistry(new Probe())), record);
  });
  await fc.assert(keeps, { numRuns: 60 });
});

/** Functions that read the outside themselves: their result differs each time. */
function streaming() {
  let count = 0;
  return flow('outside', (f) => {
    const t = f.trigger.manual();
    const items = t.stream(async function* upTo() {
      for (let i = 0; i < 5; i++) {
        await new Promise((resolve) => setTimeout(resolve, i % 2));
        yield ++count;
      }
    });
    const doubled = items.map(async (n, call) => {
      await new Promise((resolve) => setTimeout(resolve, n % 3));
      call.log('info', `item ${n}`);
      return n * 2 + Math.random();
    });
    return f.join({ doubled: doubled.collect(), other: t.map(async () => ++count) });
  });
}

test('inline functions and streams that look outside are not called again', async () => {
  const made = streaming();
  const plan = planOf(made.flow, extendRegistry(builtIns, made.operators));
  const host = new FakeHost();
  const during: Setup['during'] = async (run) => {
    while (!run.outcome) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      await host.flush();
    }
  };
  const { record, answer } = await recordOf(plan, { host, during });
  expect(answer).toMatchObject({ kind: 'value', body: { doubled: { length: 5 } } });
  await expectSame(plan, record);
});

test('a result that is a stream replays as its caller read it', async () => {
  const made = flow('result', (f) =>
    f.trigger
      .manual()
      .items()
      .map((n) => Number(n) + 1),
  );
  const plan = planOf(made.flow, extendRegistry(builtIns, made.operators));
  const read: unknown[] = [];
  const during: Setup['during'] = async (run, host) => {
    run.onAnswer((answer) => {
      if (answer.kind === 'value') void readAll(answer.body as AsyncIterable<unknown>, read);
    });
    while (!run.outcome) await host.flush();
  };
  const { record } = await recordOf(plan, { input: [1, 2, 3], during });
  expect(read).toEqual([2, 3, 4]);
  await expectSame(plan, record);
});

async function readAll(items: AsyncIterable<unknown>, into: unknown[]): Promise<void> {
  for await (const item of items) into.push(item);
}

const fetching = flowOf(
  {
    t: 'trigger.manual',
    get: { operator: 'http.request', params: { url: 'https://user:pass@example.com/a?key=1' } },
  },
  ['t > get'],
);

const http: Services = {
  http: {
    send: async () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      url: 'https://example.com/a',
      body: (async function* () {
        yield new TextEncoder().encode('{"a":');
        yield new TextEncoder().encode('1}');
      })(),
    }),
  },
};

test('answers of services are replayed, and the recording contains no query or password', async () => {
  const plan = planOf(fetching, builtIns);
  const { record, answer } = await recordOf(plan, { services: http });
  expect(answer).toMatchObject({ kind: 'value', body: { status: 200 } });
  expect(record.asks.map((ask) => ask.what)).toContain('http.send GET https://example.com/a');
  await expectSame(plan, record);
});

test('a run that goes another way says where', async () => {
  const { record } = await recordOf(planOf(fetching, builtIns), { services: http });
  const other = structuredClone(fetching);
  (other.nodes['get'] as { params: object }).params = { url: 'https://example.com/b' };
  const { divergence } = await replayed(planOf(other, builtIns), record);
  expect(divergence).toMatchObject({
    code: 'replay_diverged',
    message: expect.stringContaining('https://example.com/b'),
  });
});

test('a changed result is reported with the first different event', async () => {
  const before = flowOf({ t: 'trigger.manual', m: { operator: 'core.map', params: { value: 1 } } }, [
    't > m',
  ]);
  const after = flowOf({ t: 'trigger.manual', m: { operator: 'core.map', params: { value: 2 } } }, ['t > m']);
  const { record } = await recordOf(planOf(before, builtIns));
  const { divergence, difference } = await replayed(planOf(after, builtIns), record);
  expect(divergence).toBeUndefined();
  expect(difference).toMatchObject({ recorded: { node: 'm', value: 1 }, replayed: { node: 'm', value: 2 } });
});

test('a run that gets more than may be noted goes on to its end, without a record', async () => {
  const host = Object.assign(new FakeHost(), { services: http });
  const plan = planOf(fetching, builtIns);
  const begin: StartOptions = { id: 'r', request: {}, output: 'start', vars: {} };
  const recorded = startRecorded(plan, begin, host, 60);
  await host.runAll();
  expect(recorded.outcome?.status).toBe('ok');
  expect(recorded.answer).toMatchObject({ kind: 'value', body: { body: { a: 1 } } });
  expect([recorded.tape(), recorded.record()]).toEqual([undefined, undefined]);
});

test('a recording with a missing value can be replayed, and reports a node that now outputs null', async () => {
  const made = flowOf(
    {
      t: 'trigger.manual',
      get: { operator: 'state.get', params: { key: 'gone', fallback: 'none' } },
      m: { operator: 'core.map', params: { value: '{{ nodes.t?.b }}' } },
      end: { operator: 'core.map', params: { value: '{{ [input] }}' } },
    },
    ['t > get', 'get > m', 'm > end'],
  );
  const plan = planOf(made, builtIns);
  const services = { state: { get: async () => undefined } } as unknown as Services;
  const { record } = await recordOf(plan, { services });
  expect(JSON.stringify(record.deliveries)).toContain('$none');
  await expectSame(plan, record);

  // Older versions skipped the nodes after a Map without a value.
  const isOfM = (event: { node?: string }) => event.node === 'm' || event.node === 'end';
  const older = { ...record, events: record.events.filter((event) => !isOfM(event as { node?: string })) };
  const { run, divergence, difference } = await replayed(plan, older);
  expect(run.answer).toMatchObject({ body: [null] });
  expect(divergence).toBeUndefined();
  expect(difference?.replayed).toMatchObject({ node: 'm' });
});

test('operators of users in bodies, also in bodies of bodies, are not executed again', async () => {
  let executed = 0;
  const send = defineOperator({
    title: 'Send',
    doc: 'Changes something outside.',
    icon: 'send',
    params: z.object({}),
    inputs: { in: input() },
    outputs: { out: output() },
    effects: 'write',
    examples: [],
    async run(call) {
      executed++;
      await call.sleep(Number(call.input) % 2);
      return Number(call.input) * 10;
    },
  });
  const own = new Map([['test.send', foreignOperator(send as unknown as Operator)]]);
  const inner: FlowNode = {
    operator: 'core.group',
    body: {
      start: 'inside',
      nodes: { send: { operator: 'test.send' } },
      edges: [{ from: 'inside.out', to: 'send.in' }],
    },
  };
  const loop: FlowNode = {
    operator: 'data.for-each',
    body: { start: 'item', nodes: { inner }, edges: [{ from: 'item.out', to: 'inner.in' }] },
  };
  const made = flowOf({ t: 'trigger.manual', loop, all: { operator: 'test.send', each: {} } }, [
    't > loop',
    'loop > all',
  ]);
  const plan = planOf(made, extendRegistry(builtIns, own));
  const { record, answer } = await recordOf(plan, { input: [1, 2, 3] });
  expect(answer).toMatchObject({ body: [100, 200, 300] });
  expect(executed).toBe(6);
  await expectSame(plan, record);
  expect(executed).toBe(6);
});
