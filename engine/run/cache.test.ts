import { expect, test } from 'vitest';
import { z } from 'zod';
import type { FlowNode } from '#shared/flow.ts';
import { check } from '../check/index.ts';
import type { CachePlace, KeptOutput, OutputCache } from '../base/services.ts';
import { defineOperator, input, output } from '../base/operator.ts';
import { extendRegistry } from '../catalog/registry.ts';
import type { OutputService, Services } from '../base/services.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { bodyOf, builtIns, flowOf, play } from '../testing/play.ts';
import { eventually } from '../../tests/support/eventually.ts';

let calls = 0;

const counter = defineOperator({
  title: 'Counter',
  doc: 'Gives a new number each time.',
  icon: 'hash',
  params: z.object({ plus: z.number().default(0) }),
  inputs: { in: input() },
  outputs: { out: output() },
  effects: 'read',
  examples: [],
  run: ({ params, input: value }) => {
    if (value === 'fail') throw new Error('no');
    return ++calls + params.plus;
  },
});
const later = { ...counter, run: async () => ++calls };
const cyclic = { ...counter, run: () => ({ big: 1n }) };
const registry = extendRegistry(
  builtIns,
  new Map([
    ['test.counter', counter],
    ['test.later', later],
    ['test.cyclic', cyclic],
  ]),
);

/** A host with the simplest possible store; texts longer than 1000 are too large. */
class CachingHost extends FakeHost {
  readonly kept = new Map<string, KeptOutput>();
  readonly cache: OutputCache = {
    get: (key) => this.kept.get(key),
    set: (key, entry, bytes) => bytes < 2000 && !!this.kept.set(key, entry),
  };
}

const nodeOf = (more: Partial<FlowNode>): FlowNode => ({ operator: 'test.counter', cache: {}, ...more });
const made = (node: FlowNode) => flowOf({ t: 'trigger.manual', c: node }, ['t > c']);

async function once(host: FakeHost, node: FlowNode, value: unknown) {
  const played = play(made(node), value, { registry, host });
  await host.runAll();
  const end = played.events.find((event) => event.kind === 'node-finished' && event.node === 'c');
  const derived = played.run.events().find((event) => event.kind === 'node-finished' && event.node === 'c');
  expect(derived).toEqual(end);
  return { body: bodyOf(played), cache: end?.kind === 'node-finished' ? end.cache : undefined };
}

test('the same params and input give the kept output, and the event says so', async () => {
  const host = new CachingHost();
  const first = await once(host, nodeOf({}), { a: 1 });
  expect(first.cache).toEqual({ hit: false, reason: 'first-time' });
  host.time += 5000;
  expect(await once(host, nodeOf({}), { a: 1 })).toEqual({
    body: first.body,
    cache: { hit: true, reason: 'same-input', ageMs: 5000, run: 'run' },
  });
  expect((await once(host, nodeOf({}), { a: 2 })).cache).toEqual({ hit: false, reason: 'first-time' });
  expect((await once(host, nodeOf({ params: { plus: 1 } }), { a: 1 })).cache?.hit).toBe(false);
});

test('an async node is kept when its promise has settled', async () => {
  const host = new CachingHost();
  const node = nodeOf({ operator: 'test.later' });
  const first = await once(host, node, 1);
  expect(await once(host, node, 1)).toMatchObject({ body: first.body, cache: { hit: true } });
});

test('an output is not used when it is older than its time', async () => {
  const host = new CachingHost();
  const node = nodeOf({ cache: { ttlMs: 100 } });
  await once(host, node, 1);
  host.time += 100;
  expect((await once(host, node, 1)).cache).toMatchObject({ hit: true, ageMs: 100 });
  host.time += 1;
  expect((await once(host, node, 1)).cache).toEqual({ hit: false, reason: 'expired' });
});

test('a key stands for the input', async () => {
  const host = new CachingHost();
  const node = nodeOf({ cache: { key: '{{ input.id }}' } });
  const first = await once(host, node, { id: 7, at: 1 });
  expect(await once(host, node, { id: 7, at: 2 })).toEqual({
    body: first.body,
    cache: { hit: true, reason: 'same-key', ageMs: 0, run: 'run' },
  });
  expect((await once(host, node, { id: 8 })).cache?.hit).toBe(false);
});

test('a failure is not kept', async () => {
  const host = new CachingHost();
  await expect(once(host, nodeOf({}), 'fail')).rejects.toThrow();
  expect(host.kept.size).toBe(0);
});

test.each<[string, Partial<FlowNode>, unknown, string]>([
  ['an input that is too large', {}, 'x'.repeat(1_000_001), 'input-too-large'],
  ['an input that is no JSON', {}, 1n, 'not-comparable'],
  ['an output that is no JSON', { operator: 'test.cyclic' }, 1, 'not-storable'],
  ['an output that is too large', {}, 'x'.repeat(1200), 'output-too-large'],
  [
    'params that are functions',
    { operator: 'core.join', params: { inputs: [{ name: 'in' }] } },
    1,
    'lazy-params',
  ],
])('%s says why nothing is used again', async (_, node, value, reason) => {
  expect((await once(new CachingHost(), nodeOf(node), value)).cache).toEqual({ hit: false, reason });
});

test('a host without a cache is a reason too', async () => {
  expect((await once(new FakeHost(), nodeOf({}), 1)).cache).toEqual({ hit: false, reason: 'no-cache' });
});

const problemsOf = (node: FlowNode, edges = ['t > c']) =>
  check(flowOf({ t: 'trigger.manual', c: node }, edges), registry.catalog, {
    routes: [],
    variables: [],
    secrets: [],
  });

test.each<[string, FlowNode, object]>([
  ['a write', nodeOf({ operator: 'core.respond' }), { severity: 'error', code: 'bad-cache' }],
  ['a stream', nodeOf({ operator: 'core.streamify' }), { severity: 'warning', code: 'bad-cache' }],
  [
    'lazy params',
    nodeOf({ operator: 'logic.if', params: { condition: '{{ input }}' } }),
    { severity: 'warning' },
  ],
  [
    'a bad key',
    nodeOf({ cache: { key: '{{ input. }}' } }),
    { code: 'expression-syntax', field: 'cache.key' },
  ],
])('check tells of a cache on %s', (_, node, problem) => {
  expect(problemsOf(node)).toContainEqual(expect.objectContaining({ node: 'c', ...problem }));
});

test('check is content with a cache on a node that reads', () => {
  expect(problemsOf(nodeOf({ cache: { ttlMs: 1000, key: '{{ input.id }}' } }))).toEqual([]);
});

/** How often another server is called over two runs of a request with a cache, each run with a different version of the flow. */
async function askedOver(params: Record<string, unknown>, versions: readonly string[]) {
  const asked: string[] = [];
  const services: Services = {
    http: {
      async send({ method, url }) {
        asked.push(method);
        return { status: 200, headers: {}, url, body: bodyWith(`answer ${asked.length}`) };
      },
    },
    secrets: { reveal: async () => 'x' },
  };
  const host = Object.assign(new CachingHost(), { services });
  const request = { operator: 'http.request', params: { url: 'https://a.example/', ...params }, cache: {} };
  const bodies: unknown[] = [];
  for (const version of versions) {
    const { run } = play(made(request), 1, { registry, host, version });
    await eventually(() => expect(run.outcome?.status).toBe('ok'));
    bodies.push((run.answer as { body: { body: unknown } }).body.body);
  }
  return { asked, bodies };
}

async function* bodyWith(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

test('a request that reads is kept whole; one with a secret only for this version of this flow', async () => {
  const text = { response: 'text' };
  expect(await askedOver(text, ['v1', 'v2'])).toEqual({ asked: ['GET'], bodies: ['answer 1', 'answer 1'] });
  const secret = { ...text, auth: { type: 'bearer', secret: { $secret: 'name' } } };
  expect((await askedOver(secret, ['v1', 'v1'])).asked).toHaveLength(1);
  expect((await askedOver(secret, ['v1', 'v2'])).bodies).toEqual(['answer 1', 'answer 2']);
});

test('outputs on disk are asked for by the service, for this node alone', async () => {
  const host = new FakeHost();
  const kept = new Map<string, KeptOutput>();
  const asked: CachePlace[] = [];
  const outputs: OutputService = {
    async get(key, place) {
      asked.push(place);
      return kept.get(key) ?? (kept.size > 0 ? { missing: 'other-input' } : undefined);
    },
    async set(key, entry) {
      kept.set(key, entry);
      return true;
    },
  };
  Object.assign(host, { services: { outputs } });
  const node = nodeOf({ cache: { keep: 'disk', ttlMs: 1000 } });
  const first = await once(host, node, 'a');
  expect(first.cache).toEqual({ hit: false, reason: 'first-time' });
  expect([...kept.values()]).toEqual([{ value: first.body, at: 1000, run: 'run', ttlMs: 1000 }]);
  expect(await once(host, node, 'a')).toEqual({
    body: first.body,
    cache: { hit: true, reason: 'same-input', ageMs: 0, run: 'run' },
  });
  expect((await once(host, node, 'b')).cache).toEqual({ hit: false, reason: 'other-input' });
  host.time += 1001;
  expect((await once(host, node, 'a')).cache).toEqual({ hit: false, reason: 'expired' });
  expect(asked[0]).toEqual({ flow: 'test_flow', node: 'c', definition: '["test.counter",{},null]' });
});
