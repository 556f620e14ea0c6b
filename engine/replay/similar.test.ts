import { testTools } from '../expr/testing/test-tools.ts';
import { expect, test } from 'vitest';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { compile, type Plan } from '../plan/compile.ts';
import type { Services } from '../base/services.ts';
import type { StartOptions } from '../run/state.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { builtIns, flowOf } from '../testing/play.ts';
import type { RunRecord } from './record.ts';
import { startRecorded } from './recording.ts';
import { replayRun } from './replaying.ts';

const planOf = (made: Flow, version: string): Plan =>
  [...compile(made, version, builtIns, testTools).plans.values()][0] as Plan;

let count = 0;

/** Answers each request with another number. */
const services: Services = {
  http: {
    send: async () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      url: 'https://example.com/price',
      body: (async function* () {
        yield new TextEncoder().encode(String(++count));
      })(),
    }),
  },
  secrets: { reveal: async () => 'hunter2 & more' },
  state: {
    get: async () => 1,
    set: async () => {},
    add: async () => ++count,
  },
  code: {
    run: async () => ++count,
    async *stream() {
      yield ++count;
    },
  },
};

const base: StartOptions = { id: 'r', request: {}, output: 'start', vars: {} };

async function recordOf(made: Flow): Promise<RunRecord> {
  const host = Object.assign(new FakeHost(), { services });
  const recorded = startRecorded(planOf(made, 'v1'), base, host);
  await host.runAll();
  expect(recorded.outcome?.status).toBe('ok');
  return JSON.parse(JSON.stringify(recorded.record())) as RunRecord;
}

async function replayed(made: Flow, record: RunRecord) {
  const defer = (fn: () => void): void => void setImmediate(fn);
  const { events, divergence, run } = await replayRun(planOf(made, 'v2'), record, defer, 'similar');
  const values = events.flatMap((event) =>
    event.kind === 'node-output' && ['body', 'out'].includes(event.port) ? [[event.node, event.value]] : [],
  );
  const outputs = Object.fromEntries(values) as Record<string, unknown>;
  return { divergence, outputs, status: run.outcome?.status };
}

type Wanted = Readonly<Record<string, FlowNode>>;

/** Nodes in a row. */
function rowOf(nodes: Wanted): Flow {
  const names = Object.keys(nodes);
  const out = (name: string | undefined): string =>
    name === undefined ? 't' : nodes[name]?.operator === 'http.request' ? `${name}.body` : name;
  return flowOf(
    { t: 'trigger.manual', ...nodes },
    names.map((name, i) => `${out(names[i - 1])} > ${name}`),
  );
}

const price = (params: object): FlowNode => ({
  operator: 'http.request',
  params: { url: 'https://example.com/price', ...params },
});
const post = (body: unknown, more: object = {}): FlowNode =>
  price({ method: 'POST', bodyType: 'json', body, ...more });

/** The same node before and after a change of its request. */
const changes: [what: string, before: FlowNode, after: FlowNode][] = [
  ['query', price({ query: { id: 1 } }), price({ query: { id: 3 } })],
  ['method', price({}), price({ method: 'DELETE' })],
  ['header', price({ headers: { 'X-Shop': 'a' } }), price({ headers: { 'x-shop': 'b' } })],
  ['body', post({ id: 1 }), post({ id: 2 })],
  ['bytes', post('a', { bodyType: 'bytes' }), post('b', { bodyType: 'bytes' })],
  ['form', post({ a: 1 }, { bodyType: 'multipart' }), post({ a: 2 }, { bodyType: 'multipart' })],
  ['other secret', price({ auth: bearer('one') }), price({ auth: bearer('two') })],
  [
    'value of state',
    { operator: 'state.add', params: { key: 'n', by: 1 } },
    { operator: 'state.add', params: { key: 'n', by: 2 } },
  ],
  ['code', code('return 1'), code('return 2')],
];

function bearer(name: string): object {
  return { type: 'bearer', secret: { $secret: name } };
}

function code(source: string): FlowNode {
  return { operator: 'code.run', params: { source } };
}

test.each(changes)('a version whose request has another %s stops', async (_, before, after) => {
  const record = await recordOf(rowOf({ ask: before }));
  expect(await replayed(rowOf({ ask: before }), record)).toMatchObject({
    divergence: undefined,
    status: 'ok',
  });
  expect(await replayed(rowOf({ ask: after }), record)).toMatchObject({
    divergence: { code: 'replay_diverged' },
  });
});

test('the input of code is the content of its request', async () => {
  const nodes = (value: number): Wanted => ({
    m: { operator: 'core.map', params: { value } },
    c: code('return input'),
  });
  const record = await recordOf(rowOf(nodes(1)));
  const { divergence } = await replayed(rowOf(nodes(2)), record);
  expect(divergence).toMatchObject({
    message: expect.stringContaining('its parameters or its input differ'),
  });
});

test('nodes in another order get their own answers, and equal requests get theirs in the recorded order', async () => {
  const [one, two] = [price({ query: { id: 1 } }), price({ query: { id: 2 } })];
  const record = await recordOf(rowOf({ a: one, b: two, c: one, d: one }));
  const before = (await replayed(rowOf({ a: one, b: two, c: one, d: one }), record)).outputs;
  const after = await replayed(rowOf({ b: two, c: one, a: one }), record);
  expect(after).toMatchObject({ divergence: undefined, status: 'ok' });
  expect(after.outputs).toMatchObject({ b: before['b'], c: before['a'], a: before['c'] });
});

test('limits, keys and the boundary of a form do not change a request', async () => {
  const form = { method: 'POST', bodyType: 'multipart', body: { a: 1 } };
  const record = await recordOf(
    rowOf({ get: price({ timeoutMs: 1000 }), form: price(form), add: price(form) }),
  );
  const other = rowOf({ other: price(form), get: price({ timeoutMs: 2000 }) });
  expect(await replayed(other, record)).toMatchObject({ divergence: undefined, status: 'ok' });
});

test('a secret counts by its name, wherever it is sent, and is not recorded', async () => {
  const secret = { $secret: 'one' };
  const nodes: Wanted = {
    bearer: price({ auth: { type: 'bearer', secret } }),
    basic: price({ auth: { type: 'basic', username: 'ada', secret } }),
    query: price({ auth: { type: 'query', name: 'key', secret } }),
  };
  const record = await recordOf(rowOf(nodes));
  expect(JSON.stringify(record)).not.toContain('hunter2');
  expect(await replayed(rowOf(nodes), record)).toMatchObject({ divergence: undefined, status: 'ok' });
  const { query, basic, bearer: first } = nodes as Required<typeof nodes>;
  const turned = rowOf({ query, basic, first } as Wanted);
  expect(await replayed(turned, record)).toMatchObject({ divergence: undefined, status: 'ok' });
});

test('a recording of an older version is matched by its descriptions', async () => {
  const record = await recordOf(rowOf({ a: price({ query: { id: 1 } }) }));
  const old = { ...record, asks: record.asks.map(({ key: _, ...ask }) => ask) };
  expect(await replayed(rowOf({ a: price({ query: { id: 2 } }) }), old)).toMatchObject({
    divergence: undefined,
    status: 'ok',
  });
  expect(await replayed(rowOf({ a: price({ url: 'https://example.com/other' }) }), old)).toMatchObject({
    divergence: { code: 'replay_diverged' },
  });
});

test('a value that was masked when the run was stored does not change a request', async () => {
  const nodes = (value: string): Wanted => ({
    m: { operator: 'core.map', params: { value } },
    a: post('{{ input }}'),
  });
  const record = await recordOf(rowOf(nodes('token')));
  expect(await replayed(rowOf(nodes('***')), record)).toMatchObject({ divergence: undefined, status: 'ok' });
});
