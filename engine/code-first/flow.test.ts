import { testTools } from '../expr/testing/test-tools.ts';
import { expect, expectTypeOf, test } from 'vitest';
import { check } from '../check/index.ts';
import { compile } from '../plan/compile.ts';
import { WeftError } from '../base/errors.ts';
import { extendRegistry } from '../catalog/registry.ts';
import { bodyOf, builtIns, type Played, play } from '../testing/play.ts';
import type { NodeHandle } from './builder.ts';
import { type CodeFlow, flow, type ResultOf } from './flow.ts';
import type { Stream, Value } from './values.ts';

async function played(made: CodeFlow, input: unknown): Promise<Played> {
  const registry = extendRegistry(builtIns, made.operators);
  const problems = check(made.flow, registry.catalog, { routes: [], variables: [], secrets: [] });
  expect(problems).toEqual([]);
  const result = play(made.flow, input, { registry });
  await result.host.runAll();
  return result;
}

const bodyFor = async (made: CodeFlow, input: unknown) => bodyOf(await played(made, input));

const request = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, age: { type: 'integer', default: 18 } },
} as const;

test('a flow in code is a flow as any other, with an operator for each inline function', async () => {
  const hello = flow('hello', (f) => {
    const t = f.trigger.http({ path: '/hello', auth: 'none', request });
    return f.respond(
      t.map(function greet(r) {
        return `Hello, ${r.name}, your age is ${r.age}`;
      }),
    );
  });
  expectTypeOf<ResultOf<typeof hello>>().toEqualTypeOf<string>();
  expect(hello.flow).toMatchObject({
    format: 1,
    id: 'hello',
    nodes: {
      trigger: { operator: 'trigger.http', params: { path: '/hello', auth: 'none', request } },
      greet: { operator: 'inline.hello-greet', params: { source: expect.stringContaining('Hello') } },
      respond: { operator: 'core.respond' },
    },
    edges: [
      { from: 'trigger.out', to: 'greet.in' },
      { from: 'greet.out', to: 'respond.in' },
    ],
  });
  expect(await bodyFor(hello, { name: 'Ada', age: 36 })).toBe('Hello, Ada, your age is 36');
});

test('the types follow from the request schema to the result', async () => {
  const made = flow('typed', (f) => {
    const t = f.trigger.http({
      path: '/typed',
      request: {
        type: 'object',
        required: ['amount', 'kind'],
        properties: {
          amount: { type: 'number' },
          kind: { enum: ['cash', 'card'] },
          tags: { type: 'array', items: { type: 'string' } },
          note: { type: ['string', 'null'], default: null },
        },
      },
    });
    expectTypeOf(t).toEqualTypeOf<
      Value<{
        readonly amount: number;
        readonly kind: 'cash' | 'card';
        readonly tags?: readonly string[];
        readonly note: string | null;
      }>
    >();
    const double = t.map((r) => r.amount * 2);
    expectTypeOf(double).toEqualTypeOf<Value<number>>();
    const later = t.map(async (r) => r.kind);
    expectTypeOf(later).toEqualTypeOf<Value<'cash' | 'card'>>();
    const joined = f.join({ double, later, note: f.optional(t.filter((r) => r.note).map((r) => r.note)) });
    expectTypeOf(joined.map((j) => j.double)).toEqualTypeOf<Value<number>>();
    // @ts-expect-error -- there is no such input
    joined.map((j) => j.missing);
    // @ts-expect-error -- a text has no such method
    later.map((kind) => kind.toFixed());
    // @ts-expect-error -- a node option, not a free field
    t.map((r) => r.kind, { retires: 3 });
    return joined;
  });
  expectTypeOf<ResultOf<typeof made>>().branded.toEqualTypeOf<{
    double: number;
    later: 'cash' | 'card';
    note?: string | null;
  }>();
  expect(made.operators.size).toBe(8);
});

test('a picked field is carried by the edge, and makes the flow one of format 2', async () => {
  const order = { type: 'object', required: ['lines'], properties: { lines: { type: 'array' } } } as const;
  const made = flow('picked', (f) => {
    const t = f.trigger.manual({
      input: { type: 'object', required: ['order'], properties: { order } } as const,
    });
    const lines = t.pick('order').pick('lines');
    expectTypeOf(lines).toEqualTypeOf<Value<readonly unknown[]>>();
    expectTypeOf(t.pick<number>('order.lines[0]')).toEqualTypeOf<Value<number>>();
    const last = t.pick('order').pick<number>('lines[1]');
    return f.join({ count: lines.map((all) => all.length), last: last.map((n) => n * 2) });
  });
  expect(made.flow.format).toBe(2);
  expect(made.flow.edges.flatMap(({ pick }) => pick ?? [])).toEqual(['order.lines', 'order.lines[1]']);
  expect(await bodyFor(made, { order: { lines: [3, 4] } })).toEqual({ count: 2, last: 8 });
  const { run } = await played(made, { order: {} });
  expect(run.outcome?.error).toMatchObject({ code: 'missing_field' });
});

test('if, switch and merge narrow and widen the type', async () => {
  const isText = (value: string | number): value is string => typeof value === 'string';
  const made = flow('ways', (f) => {
    const t = f.trigger.manual().map((given) => given as string | number);
    const { then: text, else: number } = t.if(isText);
    expectTypeOf(text).toEqualTypeOf<Value<string>>();
    expectTypeOf(number).toEqualTypeOf<Value<number>>();
    const sizes = number.switch(['small', 'large'], (n) => (n > 10 ? 'large' : 'small'));
    const merged = f.merge(
      text.map((s) => s.length),
      sizes.small.map((n) => `small ${n}`),
      sizes.large.map((n) => `large ${n}`),
    );
    expectTypeOf(merged).toEqualTypeOf<Value<string | number>>();
    // @ts-expect-error -- no way of this name
    expect(sizes.huge).toBeUndefined();
    return merged;
  });
  expect(await bodyFor(made, 'four')).toBe(4);
  expect(await bodyFor(made, 5)).toBe('small 5');
  expect(await bodyFor(made, 50)).toBe('large 50');
});

test('a stream is mapped and filtered item by item, and collected', async () => {
  const made = flow('streams', (f) => {
    const items = f.trigger.manual().stream(async function* upTo(n) {
      for (let i = 1; i <= Number(n); i++) yield i;
    });
    expectTypeOf(items).toEqualTypeOf<Stream<number>>();
    const list = items
      .filter((i) => i % 2 === 0)
      .map(async (i) => i * 10)
      .collect();
    expectTypeOf(list).toEqualTypeOf<Value<number[]>>();
    return list;
  });
  expect(await bodyFor(made, 5)).toEqual([20, 40]);
});

test('any operator can be a node, with its inputs by name', async () => {
  const made = flow('nodes', (f) => {
    const t = f.trigger.manual();
    const text = f.node('text.template', { template: 'Hi {{ input }}' }, t, {
      id: 'greeting',
      name: 'Greet',
    });
    expectTypeOf(text).toEqualTypeOf<NodeHandle>();
    return f.node('core.merge', {}, { in: [text.output<string>(), t] }).output<string>();
  });
  expect(made.flow.nodes['greeting']).toMatchObject({ operator: 'text.template', name: 'Greet' });
  expect(await bodyFor(made, 'Ada')).toBe('Hi Ada');
});

test('failures can be routed, retried and replaced with a fallback', async () => {
  let tries = 0;
  const made = flow('fails', (f) => {
    const t = f.trigger.manual();
    const shaky = t.map(
      function shaky(): string {
        if (++tries < 3) throw new Error('not yet');
        throw new WeftError('out_of_stock', 'Nothing left.');
      },
      { retry: { attempts: 5, backoffMs: 10, factor: 1, jitter: 0 } },
    );
    return f.merge(
      shaky,
      shaky.failure().map((error) => error.code),
    );
  });
  expect(await bodyFor(made, null)).toBe('out_of_stock');
  expect(tries).toBe(3);
});

test('values are copied when they leave an inline function, and cannot be changed where they arrive', async () => {
  const kept = { list: [1] };
  const made = flow('copies', (f) => {
    const t = f.trigger.manual();
    const given = t.map(() => kept);
    return f.join({
      given,
      pushed: given.map((value) => value.list.push(2), { onError: 'continue', fallback: { out: 'refused' } }),
    });
  });
  const result = await played(made, {});
  kept.list.push(3);
  expect(bodyOf(result)).toEqual({ given: { list: [1] }, pushed: 'refused' });
});

test.each<[string, unknown, string]>([
  ['a function', () => () => 1, 'is a function'],
  ['a Map', () => ({ a: { b: new Map() } }), 'a.b is a Map'],
  ['a promise inside', () => [Promise.resolve(1)], 'await it'],
])('%s cannot leave an inline function', async (_, fn, message) => {
  const made = flow('odd', (f) => f.trigger.manual().map(fn as () => unknown));
  await expect(bodyFor(made, null)).rejects.toThrow(message);
});

test('a pure sync function stays in the same turn', () => {
  const made = flow('turn', (f) => f.trigger.manual().map((n) => Number(n) + 1, { pure: true }));
  const { run } = play(made.flow, 1, { registry: extendRegistry(builtIns, made.operators) });
  expect(run.outcome?.status).toBe('ok');
});

test('an operator of one flow cannot be used by another', () => {
  const made = flow('mine', (f) => f.trigger.manual().map((n) => n, { id: 'same' }));
  const { catalog } = extendRegistry(builtIns, made.operators);
  const problems = check({ ...made.flow, id: 'other' }, catalog, { routes: [], variables: [], secrets: [] });
  expect(problems).toMatchObject([{ code: 'unknown-operator', node: 'same' }]);
});

test.each<[string, () => unknown, string]>([
  ['an id that is none', () => flow('Not an id', () => {}), 'Not an id'],
  ['an async function', () => flow('a', async () => {}), 'must not be async'],
  [
    'two nodes of one id',
    () => flow('a', (f) => f.trigger.manual({ id: 'x' }).map((v) => v, { id: 'x' })),
    'Two nodes are called x',
  ],
  [
    'a value of another flow',
    () =>
      flow('a', (f) => {
        const t = f.trigger.manual();
        flow('b', (g) => g.merge(g.trigger.manual(), t));
      }),
    'another flow',
  ],
  ['something that is no output', () => flow('a', (f) => f.node('core.map', {}, { in: 5 as never })), 'core'],
])('%s is refused', (_, build, message) => {
  const thrown = (() => {
    try {
      build();
    } catch (error) {
      return error;
    }
    return undefined;
  })();
  expect(thrown).toBeInstanceOf(WeftError);
  expect(thrown).toMatchObject({
    code: 'bad_code_flow',
    message: expect.stringMatching(message === 'core' ? /map\.in takes an output/ : message),
  });
});

test('the same flow compiles to the same version text whenever it is built', () => {
  const build = () => flow('again', (f) => f.trigger.manual().map((v) => v));
  expect(JSON.stringify(build().flow)).toBe(JSON.stringify(build().flow));
  const { flow: made, operators } = build();
  expect(compile(made, 'v', extendRegistry(builtIns, operators), testTools).plans.size).toBe(1);
});

test('a function that returns nothing outputs null, and the next nodes are not skipped', async () => {
  const emailOf = (user: unknown) => (user as { email?: string }).email;
  const made = flow('gone', (f) =>
    f.trigger
      .manual()
      .map(emailOf)
      .map((email) => ({ email })),
  );
  expect(await bodyFor(made, {})).toEqual({ email: null });
  const items = flow('items', (f) => {
    const users = f.trigger.manual().map((list) => list as unknown[]);
    return users.items().map(emailOf).collect();
  });
  expect(await bodyFor(items, [{}, { email: 'a' }])).toEqual([null, 'a']);
});
