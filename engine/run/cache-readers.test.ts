import { describe, expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { check } from '../check/index.ts';
import type { KeptOutput, OutputCache, Services } from '../base/services.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { bodyOf, builtIns, flowOf, play } from '../testing/play.ts';

let calls = 0;

const services: Services = {
  code: {
    run: async () => ++calls,
    async *stream() {
      yield ++calls;
    },
  },
  state: Object.assign({} as Required<Services>['state'], {
    get: async (flow: string) => `${flow} ${++calls}`,
  }),
  waits: Object.assign({} as Required<Services>['waits'], {
    linkTo: async () => `https://a.example/${++calls}`,
  }),
};

class CachingHost extends FakeHost {
  readonly kept = new Map<string, KeptOutput>();
  readonly cache: OutputCache = {
    get: (key) => this.kept.get(key),
    set: (key, entry) => !!this.kept.set(key, entry),
  };
}

const cachingHost = (): CachingHost => Object.assign(new CachingHost(), { services });
const codeOf = (source: string, more: Partial<FlowNode> = {}): FlowNode => ({
  operator: 'code.run',
  params: { source },
  cache: {},
  ...more,
});

async function once(host: FakeHost, node: FlowNode, id = 'test_flow') {
  const flow = { ...flowOf({ t: 'trigger.manual', c: node }, ['t > c']), id };
  const played = play(flow, 1, { host });
  await host.runAll();
  const end = played.events.find((event) => event.kind === 'node-finished' && event.node === 'c');
  return { body: bodyOf(played), cache: end?.kind === 'node-finished' ? end.cache : undefined };
}

const problemsOf = (node: FlowNode) =>
  check(flowOf({ t: 'trigger.manual', c: node }, ['t > c']), builtIns.catalog, {
    routes: [],
    variables: [],
    secrets: [],
  }).filter(({ code }) => code === 'bad-cache');

/** All of them can give what one caller sent, or may see, to the next. */
const readers = [
  "return ctx.trigger.headers['x-user'];",
  'const { vars } = ctx; return vars.rate;',
  "return (await ctx.fetch('https://a.example/')).status;",
  'return [...arguments][2].trigger;',
  "return eval('c' + 'tx').trigger;",
  'return c\\u0074x.trigger;',
];

describe('a cache without a key', () => {
  test.each(readers)('is refused for code that reads more than its input: %s', async (source) => {
    const host = cachingHost();
    const first = await once(host, codeOf(source));
    const second = await once(host, codeOf(source));
    expect(second).toEqual({ body: Number(first.body) + 1, cache: { hit: false, reason: 'reads-run' } });
    expect(host.kept.size).toBe(0);
    expect(problemsOf(codeOf(source))).toEqual([
      expect.objectContaining({
        node: 'c',
        message: expect.stringContaining('`key`'),
        fix: expect.anything(),
      }),
    ]);
  });

  test.each(['disk', 'memory'] as const)('is refused wherever outputs are kept: %s', async (keep) => {
    const node = codeOf(String(readers[0]), { cache: { keep } });
    expect((await once(cachingHost(), node)).cache).toEqual({ hit: false, reason: 'reads-run' });
  });

  test('is refused for a link, which belongs to its run', async () => {
    const node: FlowNode = { operator: 'human.link', params: { node: 'c' }, cache: {} };
    const host = cachingHost();
    const first = await once(host, node);
    expect((await once(host, node)).body).not.toEqual(first.body);
    expect(problemsOf(node)).toHaveLength(1);
  });

  test('serves code that reads its input alone', async () => {
    const host = cachingHost();
    const node = codeOf('const context = input; return context + 1;');
    const first = await once(host, node);
    expect(await once(host, node)).toMatchObject({ body: first.body, cache: { hit: true } });
    expect(problemsOf(node)).toEqual([]);
  });

  test('serves state for one flow, not for another', async () => {
    const host = cachingHost();
    const node: FlowNode = { operator: 'state.get', params: { key: 'k' }, cache: {} };
    const first = await once(host, node);
    expect((await once(host, node)).body).toBe(first.body);
    expect((await once(host, node, 'other_flow')).body).not.toBe(first.body);
  });
});

test('a key stands for what the code reads', async () => {
  const host = cachingHost();
  const node = codeOf(String(readers[0]), { cache: { key: '{{ input }}' } });
  const first = await once(host, node);
  expect(await once(host, node)).toMatchObject({
    body: first.body,
    cache: { hit: true, reason: 'same-key' },
  });
  expect(problemsOf(node)).toEqual([]);
});
