import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan, Run, Services } from '#engine';
import type { Recording } from '#shared/recording.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { createModels } from '../../models/models.ts';
import { fixedProviders } from '../../models/provider-store.ts';
import { createOutbound } from '../../outbound/outbound.ts';
import { createCode } from '../../sandbox/code-service.ts';
import { callNode, createFlowBed, type FlowBed, mapFlow, rowFlow } from '../testing/flow-bed.ts';
import { recordingOf } from './recording.ts';
import { replayRecording } from './replay-recording.ts';

/** A server whose every answer is another one, and which fails two times out of three at `/flaky`. */
let outside: Server;
let url = '';
let asked = 0;
let bed: FlowBed;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  outside = createServer((request, response) => {
    const fails = request.url?.startsWith('/flaky') === true && ++asked % 3 !== 0;
    const size = request.url?.startsWith('/large') === true ? 100_000 : 1;
    response.writeHead(fails ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ n: Math.random(), at: ++asked, text: 'x'.repeat(size) }));
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
  const code = createCode('on', { services: {}, warn: () => {} });
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

/** One of each kind of thing that a run may do or hear of. */
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
  asks: (i) => `Say ${i}`,
  tells: () => 'Tell me something',
};

async function recorded(flow: string, i: number): Promise<Recording> {
  const run = bed.hub.start({
    flow: bed.live(flow),
    trigger: 'trigger',
    request: {},
    output: inputs[flow]?.(i) ?? i,
    source: 'manual',
    record: 'full',
  });
  await ended(run);
  return recordingOf(
    { runs: bed.hub, flows: { versionText: () => Promise.reject(new Error('not kept')) } },
    run.id,
  );
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
    // Only that it is read counts.
  }
}

const planOf = (flow: string): Plan => bed.live(flow).compiled.plans.get('trigger') as Plan;
const file = (recording: Recording): Recording => JSON.parse(JSON.stringify(recording)) as Recording;

test('a hundred runs of all kinds play again without the outside, and each output has the same hash', async () => {
  const names = flows().map(({ id }) => id);
  const all = await Promise.all(
    Array.from({ length: 104 }, (_, i) => recorded(names[i % names.length] as string, i)),
  );
  const before = asked;
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
  const failed = all.filter(({ summary }) => summary.status !== 'ok').map(({ summary }) => summary.flow);
  expect(new Set(failed)).toEqual(new Set(['fails']));
});
