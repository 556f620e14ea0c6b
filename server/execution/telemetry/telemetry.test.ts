import { createServer, type IncomingHttpHeaders } from 'node:http';
import { mkdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../base/config/config.ts';
import { startBed, tempFolder } from '../../testing/platform-bed.ts';
import { type ReceivedSpan, startReceiver } from './testing/otlp-receiver.ts';

/** Traces of runs, from a request over HTTP to an OTLP receiver. */

const http = (path: string) => ({ operator: 'trigger.http', params: { path, auth: 'none' } });
const flowOf = (id: string, nodes: object, edges: [string, string][]) => ({
  format: 1,
  id,
  nodes,
  edges: edges.map(([from, to]) => ({ from, to })),
});

/** A body that sends a request and calls `inner`. */
const groupOf = (url: string) => ({
  operator: 'core.group',
  body: {
    start: 'inside',
    nodes: {
      send: { operator: 'http.request', params: { url } },
      call: { operator: 'flow.call', params: { flow: 'inner', input: 'Hi' } },
    },
    edges: [
      { from: 'inside.out', to: 'send.in' },
      { from: 'send.body', to: 'call.in' },
    ],
  },
});

/** A server whose flow `outer` sends a request and calls `inner`, which calls a model; and the target of the request. */
async function startServer(changes: Partial<Config>) {
  const sent: IncomingHttpHeaders[] = [];
  const outside = createServer((request, response) => {
    sent.push(request.headers);
    response
      .writeHead(request.url === '/missing' ? 404 : 200, { 'content-type': 'application/json' })
      .end('{}');
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void outside.close());
  const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  const flows = [
    flowOf(
      'inner',
      {
        trigger: { operator: 'trigger.manual' },
        ask: { operator: 'model.chat', params: { model: 'demo/echo' } },
      },
      [['trigger.out', 'ask.in']],
    ),
    flowOf(
      'outer',
      {
        trigger: http('/outer'),
        send: { operator: 'http.request', params: { url } },
        call: { operator: 'flow.call', params: { flow: 'inner', input: 'Hi' } },
        last: { operator: 'core.map', params: { value: 'done' } },
      },
      [
        ['trigger.out', 'send.in'],
        ['send.body', 'call.in'],
        ['call.out', 'last.in'],
      ],
    ),
    {
      ...flowOf('around', { trigger: http('/around'), group: groupOf(url) }, [['trigger.out', 'group.in']]),
      format: 2,
    },
    flowOf(
      'failing',
      { trigger: http('/failing'), send: { operator: 'http.request', params: { url: `${url}/missing` } } },
      [['trigger.out', 'send.in']],
    ),
  ];
  const folder = join(await tempFolder(), 'flows');
  await mkdir(folder);
  for (const flow of flows) await writeFile(join(folder, `${flow.id}.json`), JSON.stringify(flow));
  const bed = await startBed({ flows: [folder], outboundAllow: ['127.0.0.1'], ...changes });
  const call = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${bed.url}/api/v1/awel/trigger${path}`, { headers });
  return { bed, call, sent };
}

const byName = (spans: readonly ReceivedSpan[]) => Object.fromEntries(spans.map((span) => [span.name, span]));

test('a call becomes one trace: the caller’s span, the run, its nodes, the runs that are parts of it', async () => {
  const receiver = await startReceiver();
  const { bed, call, sent } = await startServer({ otlpEndpoint: receiver.url, otelServiceName: 'shop' });
  const [traceId, caller] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const answer = await call('/outer', { traceparent: `00-${traceId}-${caller}-01` });
  expect([answer.status, await answer.json()]).toEqual([200, 'done']);
  await bed.stop();
  const spans = byName(receiver.spans);
  expect(Object.keys(spans).toSorted()).toEqual([
    'core.map last',
    'flow.call call',
    'http.request send',
    'model.chat ask',
    'run inner',
    'run outer',
    'trigger.http trigger',
    'trigger.manual trigger',
  ]);
  expect(new Set(receiver.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  const outer = spans['run outer'];
  expect(outer).toMatchObject({ parentSpanId: caller, kind: 2 });
  expect(outer?.attributes).toMatchObject({
    'weft.flow': 'outer',
    'weft.source': 'http',
    'weft.status': 'ok',
  });
  expect(spans['flow.call call']?.parentSpanId).toBe(outer?.spanId);
  expect(spans['run inner']?.parentSpanId).toBe(spans['flow.call call']?.spanId);
  expect(spans['model.chat ask']?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'demo',
    'gen_ai.response.model': 'echo',
    'gen_ai.usage.input_tokens': 1,
    'weft.attempt': 1,
    'weft.operator': 'model.chat',
  });
  expect(sent[0]?.['traceparent']).toBe(`00-${traceId}-${spans['http.request send']?.spanId}-01`);
  expect(receiver.resources[0]).toMatchObject({ 'service.name': 'shop' });
});

test('what a node in a body asks for belongs to the node around it', async () => {
  const receiver = await startReceiver();
  const { bed, call, sent } = await startServer({ otlpEndpoint: receiver.url });
  expect((await call('/around')).status).toBe(200);
  await bed.stop();
  const spans = byName(receiver.spans);
  expect(Object.keys(spans).toSorted()).toEqual([
    'core.group group',
    'model.chat ask',
    'run around',
    'run inner',
    'trigger.http trigger',
    'trigger.manual trigger',
  ]);
  expect(sent[0]?.['traceparent']).toContain(`-${spans['core.group group']?.spanId}-`);
  expect(spans['run inner']?.parentSpanId).toBe(spans['core.group group']?.spanId);
});

test('a failure is sent with its code and no text', async () => {
  const receiver = await startReceiver();
  const { bed, call } = await startServer({ otlpEndpoint: receiver.url });
  expect((await call('/failing')).status).toBe(502);
  await bed.stop();
  const spans = byName(receiver.spans);
  for (const name of ['run failing', 'http.request send']) {
    expect(spans[name]?.status).toMatchObject({ code: 2, message: 'http_status' });
    expect(spans[name]?.attributes).toMatchObject({ 'error.type': 'http_status' });
  }
});

test('a run that is not sampled, or has no receiver, is neither sent nor announced', async () => {
  const receiver = await startReceiver();
  const off = await startServer({});
  const never = await startServer({ otlpEndpoint: receiver.url, tracesSampler: 'always_off' });
  const asked = await startServer({ otlpEndpoint: receiver.url });
  const notSampled = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00' };
  await Promise.all([off.call('/outer'), never.call('/outer'), asked.call('/outer', notSampled)]);
  await asked.call('/outer', { traceparent: 'nonsense' });
  for (const { bed } of [off, never, asked]) await bed.stop();
  for (const { sent } of [off, never]) expect(sent[0]).not.toHaveProperty('traceparent');
  expect(receiver.spans.filter(({ name }) => name === 'run outer')).toHaveLength(1);
});

test('an unreachable receiver costs no answer', async () => {
  const receiver = await startServer({});
  const url = receiver.bed.url;
  await receiver.bed.stop();
  const { bed, call } = await startServer({ otlpEndpoint: url });
  expect((await call('/outer')).status).toBe(200);
  await bed.stop();
});
