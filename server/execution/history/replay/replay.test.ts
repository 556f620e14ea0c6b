import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile, type Plan, type Run, type Services } from '#engine';
import type { Recording } from '#shared/recording.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { expressionTools } from '../../../base/adapters/expression-tools.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import type { RunRequest } from '../../../flows/service/run-request.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { createModels } from '../../../integrations/models/models.ts';
import { fixedProviders } from '../../../integrations/models/provider-store.ts';
import { createOutbound } from '../../../base/outbound/outbound.ts';
import { createCode } from '../../../integrations/sandbox/create-code.ts';
import { createRedactor } from '../../../base/secrets/redactor.ts';
import { createMemoryState } from '../../state/memory-state.ts';
import { callNode, createFlowBed, type FlowBed, mapFlow, rowFlow } from '../../runs/testing/flow-bed.ts';
import { partialRun } from '../../starts/partial/partial-run.ts';
import { recordingOf } from './recording.ts';
import { replayRecording } from './replay-recording.ts';

/** A server that gives a different answer each time, and fails two times out of three at `/flaky`. */
let outside: Server;
let url = '';
let asked = 0;
const state = createMemoryState(Date.now);
let bed: FlowBed;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  outside = createServer((request, response) => {
    const fails = request.url?.startsWith('/flaky') === true && ++asked % 3 !== 0;
    const size = request.url?.startsWith('/large') === true ? 100_000 : 1;
    response.writeHead(fails ? 503 : 200, { 'content-type': 'application/json' });
    const { authorization: said } = request.headers;
    response.end(JSON.stringify({ said, n: Math.random(), at: ++asked, text: 'x'.repeat(size) }));
  }).listen(0, '127.0.0.1');
  await once(outside, 'listening');
  url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  bed = await createFlowBed([...flows(), double], { services: openServices });
});

afterAll(async () => {
  await Promise.all(ending.map((end) => end()));
  outside.close();
});

function openServices(): Services {
  const http = createOutbound({ allow: ['127.0.0.1'] });
  const code = createCode(
    { code: 'on', codeHost: undefined },
    { services: () => ({ state }), warn: () => {} },
  );
  ending.push(() => http.close());
  if (code) ending.push(() => code.close());
  const secrets = { reveal: async (name: string) => name };
  const models = createModels({ providers: fixedProviders({}), preferred: undefined, http, secrets });
  return { http, ...(code && { code }), models };
}

const get = (path: string, more: Partial<FlowNode> = {}): FlowNode => ({
  operator: 'http.request',
  params: { url: `${url}${path}` },
  ...more,
});
const map = (value: unknown): FlowNode => ({ operator: 'core.map', params: { value } });
const double = mapFlow('double', '{{ input * 2 }}');

/** Everything that a run may do or receive, once. */
function flows(): Flow[] {
  const row = (id: string, nodes: Record<string, FlowNode>): Flow => rowFlow(id, nodes);
  const bodyOf = (flow: Flow): Flow => ({
    ...flow,
    edges: flow.edges.map((edge) => (edge.from === 'get.out' ? { ...edge, from: 'get.body' } : edge)),
  });
  return [
    bodyOf(row('http', { get: get('/one'), n: map('{{ input.n + input.at }}') })),
    bodyOf(row('large', { get: get('/large'), size: map('{{ input.text }}') })),
    bodyOf(
      row('retries', {
        get: get('/flaky', { retry: { attempts: 9, backoffMs: 1, factor: 1, jitter: 1 } }),
        n: map('{{ input.n }}'),
      }),
    ),
    row('fails', { stop: { operator: 'logic.stop', params: { code: 'no_luck', message: 'No luck' } } }),
    row('counting', {
      count: {
        operator: 'code.run',
        params: {
          source:
            "await ctx.sleep(1); return [await ctx.state.add('n'), crypto.randomUUID(), Date.now(), URL.canParse('x')];",
        },
      },
      n: map('{{ input }}'),
    }),
    row('code', {
      dice: {
        operator: 'code.run',
        params: { source: 'console.log("rolled"); return Math.random() + input;' },
      },
      twice: map('{{ input * 2 }}'),
    }),
    row('asks', {
      ask: { operator: 'model.chat', params: { model: 'demo/echo' } },
      text: map('{{ input.text }}'),
    }),
    row('tells', { ask: { operator: 'model.stream', params: { model: 'demo/chat' } } }),
    row('streams', {
      items: { operator: 'core.streamify' },
      wait: { operator: 'logic.delay', params: { ms: 1 } },
      all: { operator: 'core.unstreamify' },
    }),
    row('each', { each: { operator: 'data.for-each', params: { flow: 'double' } } }),
    row('calls', { call: callNode('double'), plus: map('{{ input + 1 }}') }),
    row('keeps', {
      count: { operator: 'state.add', params: { key: 'count', amount: 3 } },
      plus: map('{{ input + 1 }}'),
    }),
    row('cached', { slow: { ...map('{{ input }}'), cache: {} }, plus: map('{{ input }}') }),
    row('waits', { wait: { operator: 'logic.delay', params: { ms: 2 } }, same: map('{{ input }}') }),
  ];
}

const inputs: Readonly<Record<string, (i: number) => unknown>> = {
  streams: (i) => [i, i + 1, 'three'],
  each: (i) => [1, i, 3],
  cached: () => 'the same each time',
  asks: (i) => `Say ${i}`,
  tells: () => 'Tell me something',
};

const noVersions = { versionText: () => Promise.reject(new ServiceError('version_not_found')) };

function byHand(flow: LiveFlow, output: unknown = 1): RunRequest {
  return { flow, trigger: 'trigger', request: {}, output, source: 'manual', record: 'full' };
}

const recordingFor = (run: Run): Promise<Recording> =>
  recordingOf({ runs: bed.hub, flows: noVersions }, run.id);

async function recorded(flow: string, i: number): Promise<Recording> {
  const run = bed.hub.start(byHand(bed.live(flow), inputs[flow]?.(i) ?? i));
  await ended(run);
  return recordingFor(run);
}

/** A stream is read to its end, as a caller would. */
async function ended(run: Run): Promise<void> {
  run.onAnswer((answer) => {
    if (answer.kind === 'value') void readAll(answer.body);
  });
  await new Promise((resolve) => run.onEnd(resolve));
}

async function readAll(body: unknown): Promise<void> {
  if (typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body)) return;
  for await (const _ of body as AsyncIterable<unknown>) {
    // It only matters that it is read.
  }
}

const planOf = (flow: string): Plan => bed.live(flow).compiled.plans.get('trigger') as Plan;
const file = (recording: Recording): Recording => JSON.parse(JSON.stringify(recording)) as Recording;

test('a hundred runs of all kinds play again without the outside, and each output has the same hash', async () => {
  const names = flows().map(({ id }) => id);
  const all = await Promise.all(
    Array.from({ length: 104 }, (_, i) => recorded(names[i % names.length] as string, i)),
  );
  const [before, counted] = [asked, await state.get('counting', 'n')];
  let compared = 0;
  for (const recording of all) {
    const { flow, run } = recording.summary;
    const report = await replayRecording(file(recording), planOf(flow), setImmediate);
    expect([flow, run, report.divergence, report.differences]).toEqual([flow, run, undefined, []]);
    expect(report.replayed).toEqual(recording.outputs);
    expect(report).toMatchObject({ same: true, sameVersion: true, unchecked: 0 });
    compared += report.equal;
  }
  expect(compared).toBeGreaterThan(200);
  expect(asked).toBe(before);
  expect(counted).toBeGreaterThan(5);
  expect(await state.get('counting', 'n')).toBe(counted);
  const failed = all.filter(({ summary }) => summary.status !== 'ok').map(({ summary }) => summary.flow);
  expect(new Set(failed)).toEqual(new Set(['fails']));
});

async function report(recording: Recording, plan: Plan) {
  return replayRecording(file(recording), plan, setImmediate);
}

const compiled = (flow: Flow, version = 'v2'): Plan =>
  compile(flow, version, bed.registry, expressionTools('UTC')).plans.get('trigger') as Plan;

test('another version of the flow shows which outputs change, given the recorded answers', async () => {
  const recording = await recorded('http', 1);
  const changed = structuredClone(flows().find(({ id }) => id === 'http') as Flow);
  changed.nodes['n'] = map('{{ input.n + input.at + 1 }}');
  const result = await report(recording, compiled(changed));
  expect(result).toMatchObject({ same: false, sameVersion: false, divergence: undefined });
  expect(result.differences.map(({ node, changes }) => [node, changes.length])).toEqual([['n', 1]]);
  expect(result.equal).toBe(4);
});

test('another version that waits longer, or asks in another order, is compared by its outputs alone', async () => {
  const recording = await recorded('waits', 3);
  const slower = structuredClone(flows().find(({ id }) => id === 'waits') as Flow);
  slower.nodes['wait'] = { operator: 'logic.delay', params: { ms: 60_000 } };
  expect(await report(recording, compiled(slower))).toMatchObject({ same: true, sameVersion: false });
});

test('a request of another version that is not in the recording is named', async () => {
  const recording = await recorded('http', 1);
  const changed = structuredClone(flows().find(({ id }) => id === 'http') as Flow);
  changed.nodes['get'] = get('/two');
  const result = await report(recording, compiled(changed));
  expect(result.same).toBe(false);
  expect(result.divergence).toMatchObject({
    code: 'replay_diverged',
    message: expect.stringContaining(`${url}/two`),
  });
});

test('a partial run is replayed with the outputs that replaced its nodes', async () => {
  const flow = bed.live('http');
  const whole = await recorded('http', 1);
  const wish = { from: 'n', reuse: whole.summary.run, pins: {} };
  const parts = { runs: bed.hub, flowAt: async () => flow.flow };
  const part = await partialRun(parts, flow, 'trigger', wish);
  const run = bed.hub.start({ ...byHand(part.flow), output: part.input });
  await ended(run);
  const before = asked;
  const recording = await recordingFor(run);
  expect(recording.tape).toMatchObject({ partial: { given: { get: { reason: 'reused' } } } });
  expect(await report(recording, planOf('http'))).toMatchObject({ same: true, equal: 5 });
  expect(asked).toBe(before);
});

test('a run that is watched from midway on replays to the same outputs', async () => {
  const flow = rowFlow(
    'late',
    {
      wait: { operator: 'logic.delay', params: { ms: 20 } },
      more: map('{{ input + 1 }}'),
    },
    { record: 'full' },
  );
  const late = await createFlowBed([flow]);
  const run = late.hub.start({
    flow: late.live('late'),
    trigger: 'trigger',
    request: {},
    output: 1,
    source: 'http',
  });
  const leave = await late.hub.watch(run.id, 0, () => true);
  await ended(run);
  leave?.();
  const recording = await recordingOf({ runs: late.hub, flows: noVersions }, run.id);
  expect(recording.tape).toMatchObject({ start: { timed: true } });
  expect(recording.tape['deliveries']).toContainEqual({ caller: 'observe' });
  const plan = late.live('late').compiled.plans.get('trigger') as Plan;
  expect(await report(recording, plan)).toMatchObject({ same: true, equal: 3, differences: [] });
});

test('no recording contains secrets, and their places are not compared', async () => {
  const redactor = createRedactor();
  redactor.add('hunter2-hunter2');
  const secrets = { reveal: async () => 'hunter2-hunter2' };
  const node: FlowNode = {
    operator: 'http.request',
    params: { url: `${url}/echo`, auth: { type: 'bearer', secret: { $secret: 'mine' } } },
  };
  const flow = rowFlow('result', { get: node, more: map('{{ input }}') });
  flow.edges = flow.edges.map((edge) => (edge.from === 'get.out' ? { ...edge, from: 'get.body' } : edge));
  const bare = await createFlowBed([flow], { services: () => ({ ...bed.host.services, secrets }), redactor });
  const run = bare.hub.start(byHand(bare.live('result')));
  await ended(run);
  const recording = await recordingOf({ runs: bare.hub, flows: noVersions }, run.id);
  expect(recording.summary.status).toBe('ok');
  expect(JSON.stringify(recording)).not.toContain('hunter2');
  expect(JSON.stringify(recording.events)).toContain('Bearer ***');
  const result = await report(recording, bare.live('result').compiled.plans.get('trigger') as Plan);
  expect(result).toMatchObject({ same: true, divergence: undefined, differences: [] });
});

test('a run that received too much from outside, or was not recorded, gives the reason why it cannot be replayed', async () => {
  const { record: _full, ...unrecorded } = byHand(bed.live('calls'));
  const run = bed.hub.start({ ...unrecorded, source: 'http' });
  await ended(run);
  await expect(recordingFor(run)).rejects.toMatchObject({ code: 'conflict', message: /record: full/ });
  const [part] = await bed.hub.list({ parent: (await recorded('calls', 1)).summary.run, limit: 1 });
  await expect(recordingOf({ runs: bed.hub, flows: noVersions }, part?.run ?? '')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('a part of the run'),
  });
});
