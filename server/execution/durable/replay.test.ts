import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fc } from '../../../tests/support/property.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Plan } from '#engine';
import type { Flow, FlowNode, FlowSettings } from '#shared/flow.ts';
import type { Recording } from '#shared/recording.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { Outbound } from '../../base/outbound/client.ts';
import { createOutbound } from '../../base/outbound/outbound.ts';
import { recordingOf } from '../history/replay/recording.ts';
import { replayRecording, type ReplayReport } from '../history/replay/replay-recording.ts';
import { createMemoryDisk, createMemoryEngine } from './testing/memory-engine.ts';
import { createOpenWorkflowEngine } from './openworkflow/openworkflow-engine.ts';
import {
  createWorld,
  durableFlow,
  effectNode,
  type OpenEngine,
  type Process,
  until,
  waitNode,
  type World,
} from './testing/durable-bed.ts';
import { graphs } from './testing/graph.contract.ts';

/** A server that gives a different answer each time, and fails two times out of three at `/flaky`. */
let outside: Server;
let http: Outbound;
let url = '';
let asked = 0;
let world: World;
let process: Process;

beforeAll(async () => {
  outside = createServer((request, response) => {
    const fails = ++asked % 3 !== 0 && request.url === '/flaky';
    response.writeHead(fails ? 503 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ n: Math.random(), text: request.url === '/large' ? 'x'.repeat(200_000) : '' }),
    );
  }).listen(0, '127.0.0.1');
  await once(outside, 'listening');
  url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  http = createOutbound({ allow: ['127.0.0.1'] });
});

afterAll(async () => {
  await http.close();
  outside.close();
});

async function boot(open: OpenEngine): Promise<void> {
  world = await createWorld(open, ({ flows }) => ({ http, flows }));
  process = await world.boot();
}

const inMemory = (): OpenEngine => {
  let disk = createMemoryDisk();
  return (_, host) => ({
    engine: createMemoryEngine(host, disk),
    kill: async () => void (disk = structuredClone(disk)),
  });
};

const onDisk: OpenEngine = (folder) => {
  const engine = createOpenWorkflowEngine({ file: join(folder, 'durable.db'), full: false });
  return { engine, kill: () => engine.kill() };
};

afterEach(() => world.remove());

const map = (value: unknown): FlowNode => ({ operator: 'core.map', params: { value } });
const get = (path: string, more: Partial<FlowNode> = {}): FlowNode => ({
  operator: 'http.request',
  params: { url: `${url}${path}` },
  ...more,
});

/** A chain of nodes. */
function row(id: string, nodes: Readonly<Record<string, FlowNode>>, settings?: FlowSettings): Flow {
  const names = ['t', ...Object.keys(nodes)];
  const flow = durableFlow(
    id,
    nodes,
    names.slice(1).map((to, i) => `${names[i]} > ${to}`),
    settings,
  );
  const bodies = flow.edges.map(({ from, to }) => ({ from: from.replace(/^(get\w*)\.out$/, '$1.body'), to }));
  return { ...flow, edges: bodies };
}

interface Kind {
  readonly flow: Flow;
  readonly input?: unknown;
  readonly status?: 'failed' | 'cancelled';
  /** Events during the run. */
  during?(run: string): Promise<unknown>;
}

const approval: FlowNode = { operator: 'human.approval', params: { title: 'May it?' } };
const decision = { decision: 'approved', by: 'Ada', at: '2026-01-01T00:00:00.000Z', comment: 'Go on' };
const parked = (run: string): Promise<void> =>
  until(async () => (await process.durable.get(run))?.status === 'waiting');
const begun = (node: string): Promise<void> => until(() => world.carried.includes(node));

/** Everything that a durable run may do, wait for or receive, once. */
function kinds(): Kind[] {
  const branches: Record<string, FlowNode> = {
    slow: get('/slow'),
    w: waitNode({ title: '?' }),
    quick: effectNode({ ms: 5 }),
    m: { operator: 'core.merge' },
    end: map('{{ input }}'),
  };
  return [
    {
      flow: row('is_killed_in_a_loop', {
        each: { operator: 'data.for-each', params: { flow: 'part' } },
        n: map('{{ input }}'),
      }),
      input: [1, 2, 3, 4, 5, 6, 7, 8],
      during: async () => (await begun('a'), restart()),
    },
    {
      flow: row('is_killed', {
        get: get('/one'),
        a: effectNode({ ms: 60 }),
        b: effectNode(),
        get2: get('/two'),
        n: map('{{ input }}'),
      }),
      during: async () => (await begun('a'), restart()),
    },
    {
      flow: row('is_killed_waiting', {
        get: get('/one'),
        w: waitNode({ title: '?' }),
        n: map('{{ input }}'),
      }),
      during: async (run) => (await parked(run), await restart(), decide(run)),
    },
    {
      flow: row('http', {
        get: get('/one'),
        n: map('{{ input.n + 1 }}'),
        get2: get('/two'),
        m: map('{{ input }}'),
      }),
    },
    { flow: row('effects', { a: effectNode({ ms: 5 }), n: map('{{ input + 1 }}'), b: effectNode() }) },
    {
      flow: row('large', { get: get('/large'), n: map('{{ input.text }}'), w: waitNode({ title: '?' }) }),
      during: decide,
    },
    {
      flow: row('retries', {
        get: get('/flaky', { retry: { attempts: 9, backoffMs: 1, factor: 1, jitter: 1 } }),
        n: map('{{ input.n }}'),
      }),
    },
    { flow: row('fails', { a: effectNode({ failures: 9 }), n: map(1) }), status: 'failed' },
    {
      flow: row('goes_on', {
        a: effectNode({ failures: 9 }, { onError: 'continue', fallback: { out: 7 } }),
        w: waitNode({ ms: 20 }),
        n: map('{{ input + 1 }}'),
      }),
    },
    { flow: routed() },
    {
      flow: row('items', {
        s: { operator: 'test.items', params: { list: [1, 2, 3] } },
        each: effectNode({ ms: 2 }),
        all: { operator: 'core.unstreamify' },
        n: map('{{ input }}'),
      }),
    },
    {
      flow: row('each', {
        each: { operator: 'data.for-each', params: { flow: 'part' } },
        n: map('{{ input }}'),
      }),
      input: [1, 2],
    },
    {
      flow: approved(row('asks', { get: get('/one'), ok: approval, n: map('{{ input }}') })),
      during: approve,
    },
    {
      flow: row(
        'times_out',
        { a: effectNode(), w: waitNode({ title: '?' }), n: map(1) },
        { timeoutMs: 1100 },
      ),
      status: 'failed',
    },
    {
      flow: row('gives_up', {
        a: effectNode({ ms: 60_000 }, { timeoutMs: 20, onError: 'continue' }),
        n: map('{{ input }}'),
      }),
    },
    {
      flow: durableFlow('branches', branches, [
        't > w',
        't > slow',
        't > quick',
        'w > m',
        'slow > m',
        'quick > m',
        'm > end',
      ]),
      during: decide,
    },
    {
      flow: row('is_cancelled', { a: effectNode(), w: waitNode({ title: '?' }), n: map(1) }),
      during: async (run) => (await parked(run), process.durable.cancel(run, 'somebody')),
      status: 'cancelled',
    },
    {
      flow: row('is_cancelled_in_a_step', { get: get('/one'), a: effectNode({ ms: 60_000 }), n: map(1) }),
      during: async (run) => (await begun('a'), process.durable.cancel(run, 'somebody')),
      status: 'cancelled',
    },
  ];
}

function routed(): Flow {
  const flow = row('routed', { a: effectNode({ failures: 9 }, { onError: 'route' }), n: map('{{ input }}') });
  return {
    ...flow,
    edges: [...flow.edges, { from: 'a.error', to: 'failed.in' }],
    nodes: { ...flow.nodes, failed: map('{{ input.code }}') },
  };
}

const part: Flow = row('part', { a: effectNode({ ms: 5 }), n: map('{{ input + 1 }}') }, { durable: false });

async function decide(run: string): Promise<void> {
  await parked(run);
  world.waits.decide(run, 'w', { said: 'yes' });
}

async function approve(run: string): Promise<void> {
  await parked(run);
  world.waits.decide(run, 'ok', decision);
}

async function start(flow: LiveFlow, output: unknown = 1): Promise<string> {
  const request = { flow, trigger: 't', request: {}, output, source: 'schedule' as const };
  return (await process.durable.start(request)).run;
}

async function restart(): Promise<void> {
  await process.kill();
  process = await world.boot();
}

async function play({ flow, input, during }: Kind): Promise<{ run: string; recording: Recording }> {
  const run = await start(world.flow(flow), input);
  await during?.(run);
  await process.durable.ended(run);
  return { run, recording: await recordingFor(run, flow) };
}

/** The recording as it would be exported to a file. */
async function recordingFor(run: string, flow: Flow): Promise<Recording> {
  const flows = { versionText: async () => JSON.stringify(flow) };
  const recording = await recordingOf({ runs: process.hub, flows }, run);
  return JSON.parse(JSON.stringify(recording)) as Recording;
}

const planOf = (flow: Flow): Plan => world.flow(flow).compiled.plans.get('t') as Plan;

const replayed = (recording: Recording, flow: Flow): Promise<ReplayReport> =>
  replayRecording(recording, planOf(flow), setImmediate);

/** Nothing outside is contacted, and every output is unchanged. */
async function expectSame(recording: Recording, flow: Flow): Promise<ReplayReport> {
  const before = [asked, world.carried.length];
  const report = await replayed(recording, flow);
  expect([flow.id, report.divergence, report.differences]).toEqual([flow.id, undefined, []]);
  expect(report).toMatchObject({ same: true, sameVersion: true, unchecked: 0 });
  expect(report.replayed).toEqual(recording.outputs);
  expect([asked, world.carried.length]).toEqual(before);
  return report;
}

async function expectAllSame(all: readonly Kind[], leastOutputs: number): Promise<void> {
  world.flow(part);
  let compared = 0;
  for (const kind of all) {
    world.carried.length = 0;
    const { recording } = await play(kind);
    expect([kind.flow.id, recording.summary.status]).toEqual([kind.flow.id, kind.status ?? 'ok']);
    compared += (await expectSame(recording, kind.flow)).equal;
  }
  expect(compared).toBeGreaterThan(leastOutputs);
}

test('runs of all kinds play again without the outside, and each output has the same hash', async () => {
  await boot(inMemory());
  await expectAllSame(kinds(), 40);
});

test('so do those over the engine on the disk', async () => {
  await boot(onDisk);
  const chosen = ['is_killed', 'is_killed_waiting', 'large', 'asks', 'branches'];
  await expectAllSame(
    kinds().filter(({ flow }) => chosen.includes(flow.id)),
    12,
  );
});

describe('of a run that ended', () => {
  beforeEach(() => boot(inMemory()));

  test('any graph that was killed at any moment replays to the same outputs', async () => {
    const crash = fc.array(fc.nat(30), { maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(graphs, crash, async (flow, crashes) => {
        const run = await start(world.flow(flow));
        for (const ms of crashes) {
          await new Promise((resolve) => setTimeout(resolve, ms));
          await restart();
        }
        // A later process does not report events that an earlier one had not stored when it was killed.
        await until(async () => (await process.hub.get(run))?.status === 'ok');
        // One that was killed between the two has stored the end of the run, which this process then reaches once more.
        await process.durable.ended(run);
        await expectSame(await recordingFor(run, flow), flow);
      }),
      { numRuns: 12 },
    );
  });

  test('a retried run is replayed with the records of the first one', async () => {
    const flow = row('again', { get: get('/one'), a: effectNode({ failures: 1 }), n: map('{{ input }}') });
    const first = await play({ flow });
    expect((await expectSame(first.recording, flow)).recorded).not.toHaveProperty('n');
    const { run } = await process.durable.retry(first.run);
    await process.durable.ended(run);
    const before = asked;
    const recording = await recordingFor(run, flow);
    expect(recording.summary.status).toBe('ok');
    await expectSame(recording, flow);
    expect(asked).toBe(before);
  });

  test('another version shows which outputs change, given the recorded answers and decisions', async () => {
    const flow = row('asks', {
      get: get('/one'),
      ok: approval,
      n: map('{{ input.input.n }}'),
      m: map('{{ input }}'),
    });
    const { recording } = await play({ flow: approved(flow), during: approve });
    const changed = approved(flow);
    changed.nodes['n'] = map('{{ input.input.n + 1 }}');
    const report = await replayed(recording, changed);
    expect(report).toMatchObject({ same: false, sameVersion: false, divergence: undefined });
    expect(report.differences.map(({ node }) => node)).toEqual(['n', 'm']);
  });

  test.each(['carried out in its last pass', 'recorded by an earlier one'])(
    'a request of another version that is not in the recording is named: a step %s',
    async (pass) => {
      const nodes = { get: get('/one'), w: waitNode({ title: '?' }), n: map('{{ input }}') };
      const { w: _, ...through } = nodes;
      const waits = pass !== 'carried out in its last pass';
      const flow = row('moves', waits ? nodes : through);
      const { recording } = await play({ flow, ...(waits && { during: decide }) });
      const changed = structuredClone(flow);
      changed.nodes['get'] = get('/two');
      expect(await replayed(recording, changed)).toMatchObject({
        same: false,
        divergence: { code: 'replay_diverged', message: expect.stringContaining(`${url}/two`) },
      });
      changed.nodes['get'] = get('/one?id=2');
      expect(await replayed(recording, changed)).toMatchObject({
        same: false,
        divergence: { code: 'replay_diverged', message: expect.stringContaining(`${url}/one`) },
      });
    },
  );

  test('a version that waits longer, or for another time, is compared by its outputs alone', async () => {
    const flow = row('later', { a: effectNode(), w: waitNode({ ms: 5 }), n: map('{{ input }}') });
    const { recording } = await play({ flow });
    const slower = row('later', {
      a: effectNode(),
      w: waitNode({ ms: 90_000 }),
      w2: waitNode({ ms: 9 }),
      n: map('{{ input }}'),
    });
    const report = await replayed(recording, slower);
    expect([report.divergence, report.differences.map(({ node }) => node)]).toEqual([undefined, ['w2']]);
  });

  test('the recording of a draft contains the flow, because no version of it is stored', async () => {
    const draft = row('draft', { a: effectNode(), n: map('{{ input }}') });
    const start = { flow: world.flow(draft), trigger: 't', request: {}, output: 1, source: 'test' as const };
    const { run } = await process.durable.start(start);
    await process.durable.ended(run);
    const recording = await recordingOf({ runs: process.hub, flows: none }, run);
    expect(recording.flow).toEqual(draft);
    await expectSame(recording, draft);
  });

  test('a run that has not ended, or whose flow records less, gives the reason why it cannot be replayed', async () => {
    const waiting = row('waits', { w: waitNode({ title: '?' }) });
    const run = await start(world.flow(waiting));
    await parked(run);
    const refused = (message: RegExp) => ({
      code: 'conflict',
      message: expect.stringMatching(message) as string,
    });
    await expect(recordingOf({ runs: process.hub, flows: none }, run)).rejects.toMatchObject(
      refused(/has not ended/),
    );
    const brief = row('brief', { a: effectNode() }, { record: 'summary' });
    await expect(play({ flow: brief })).rejects.toMatchObject(refused(/record/));
  });
});

const none = { versionText: () => Promise.reject(new Error('never asked')) };

/** An approval has three outputs. */
function approved(flow: Flow): Flow {
  const edges = flow.edges.map(({ from, to }) => ({ from: from === 'ok.out' ? 'ok.approved' : from, to }));
  return structuredClone({ ...flow, edges });
}
