import { sortedJson } from '#shared/json.ts';
import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { runOperator } from '../../testing/call.ts';
import aggregate from './aggregate.ts';
import aggregateStream from './aggregate-stream.ts';
import batch from './batch.ts';
import filter from './filter.ts';
import flatten from './flatten.ts';
import group from './group.ts';
import merge from './merge.ts';
import rename from './rename.ts';
import sort from './sort.ts';
import unique from './unique.ts';

type Params = Record<string, unknown>;
const over =
  (type: string, operator: typeof sort) =>
  async (list: unknown, params: Params = {}): Promise<unknown> =>
    (await runOperator(type, operator, { params, inputs: { in: list } }))['out'];

const filtered = over('data.filter', filter);
const sorted = over('data.sort', sort);
const uniques = over('data.unique', unique);
const groups = over('data.group', group);
const aggregated = over('data.aggregate', aggregate);
const batched = over('data.batch', batch);
const flat = over('data.flatten', flatten);
const merged = over('data.merge', merge);
const renamed = over('data.rename', rename);

/** Small lists have repeats, long ones several runs of the sort. */
const lists = fc.array(
  fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom('a', 'B', 'b', '', null, true)),
  {
    maxLength: 1500,
    size: 'max',
  },
);

describe('sort', () => {
  test('puts false and true before numbers before texts, and nulls last in both directions', async () => {
    const list = ['b', null, 2, true, 'a', 1, false, null];
    expect(await sorted(list)).toEqual([false, true, 1, 2, 'a', 'b', null, null]);
    expect(await sorted(list, { by: [{ direction: 'descending' }] })).toEqual([
      'b',
      'a',
      2,
      1,
      true,
      false,
      null,
      null,
    ]);
  });

  test('is what the stable built-in sort gives, for lists of any length', async () => {
    const law = fc.asyncProperty(fc.array(fc.nat(20), { maxLength: 2000, size: 'max' }), async (keys) => {
      const list = keys.map((key, at) => ({ key, at }));
      const result = await sorted(list, { by: [{ value: '{{ item.key }}' }] });
      expect(result).toEqual(list.toSorted((a, b) => a.key - b.key));
    });
    await fc.assert(law, { numRuns: 50 });
  });

  test('keeps every item once, and is at rest when done twice', async () => {
    const law = fc.asyncProperty(lists, async (list) => {
      const once = (await sorted(list)) as unknown[];
      expect(count(once)).toEqual(count(list));
      expect(await sorted(once)).toEqual(once);
    });
    await fc.assert(law, { numRuns: 50 });
  });

  test('by several keys looks at the next where the first is equal', async () => {
    const list = [
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
      { a: 1, b: 'y' },
    ];
    const by = [{ value: '{{ item.b }}', direction: 'descending' }, { value: '{{ item.a }}' }];
    expect(await sorted(list, { by })).toEqual([list[2], list[1], list[0]]);
  });

  test('compares texts by their characters, or without regard to case', async () => {
    expect(await sorted(['b', 'a', 'B', 'ä'])).toEqual(['B', 'a', 'b', 'ä']);
    expect(await sorted(['b', 'a', 'B'], { by: [{ ignoreCase: true }] })).toEqual(['a', 'b', 'B']);
  });

  test('refuses what has no order', async () => {
    await expect(sorted([1, [2]])).rejects.toMatchObject({ code: 'bad_input' });
    await expect(sorted([1, Number.NaN])).rejects.toMatchObject({ code: 'bad_number' });
    const by = [{ value: '{{ item.n }}' }];
    await expect(sorted([{}], { by })).rejects.toMatchObject({ code: 'missing_field' });
  });
});

describe('filter', () => {
  test('keeps what the condition holds for, as the built-in filter does', async () => {
    const law = fc.asyncProperty(fc.array(fc.integer(), { maxLength: 200 }), async (list) => {
      expect(await filtered(list, { condition: '{{ item % 3 === 0 }}' })).toEqual(
        list.filter((item) => item % 3 === 0),
      );
    });
    await fc.assert(law, { numRuns: 100 });
  });

  test('sees the list as `input` beside the item', async () => {
    const condition = '{{ item === input[input.length - 1] }}';
    expect(await filtered([3, 1, 3], { condition })).toEqual([3, 3]);
  });

  test('fails at the first item for which the condition does', async () => {
    const condition = '{{ item.a }}';
    await expect(filtered([{ a: 1 }, {}], { condition })).rejects.toMatchObject({
      code: 'missing_field',
      field: 'params.condition',
    });
  });
});

describe('unique and group', () => {
  test('objects are equal when their fields are, in any order, and differ from their JSON', async () => {
    const list = [{ a: 1, b: [null] }, { b: [null], a: 1 }, '{"a":1}', '\0{a:1,}', { a: 1 }, { a: '1' }];
    expect(await uniques(list)).toEqual([list[0], ...list.slice(2)]);
  });

  test('no two items stay that are equal, and none is lost', async () => {
    const law = fc.asyncProperty(fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 40 }), async (list) => {
      const once = (await uniques(list)) as unknown[];
      expect(await uniques(once)).toEqual(once);
      const keys = (values: unknown[]): Set<string> => new Set(values.map(sortedJson));
      expect(keys(once)).toEqual(keys(list));
      expect(once.length).toBe(keys(list).size);
    });
    await fc.assert(law, { numRuns: 200 });
  });

  test('the groups hold every item once, in order', async () => {
    const law = fc.asyncProperty(lists, async (list) => {
      const found = (await groups(list, { by: '{{ item }}' })) as { key: unknown; items: unknown[] }[];
      expect(found.map(({ key }) => key)).toEqual(await uniques(list));
      expect(count(found.flatMap(({ items }) => items))).toEqual(count(list));
    });
    await fc.assert(law, { numRuns: 50 });
  });

  test('a group called __proto__ is one like any other', async () => {
    const found = await groups(['__proto__', 'a'], { by: '{{ item }}' });
    expect(found).toEqual([
      { key: '__proto__', items: ['__proto__'] },
      { key: 'a', items: ['a'] },
    ]);
  });

  test('items that are no JSON cannot be told apart', async () => {
    await expect(uniques([new Map()])).rejects.toMatchObject({ code: 'not_serialisable' });
    const cycle: unknown[] = [];
    cycle.push(cycle);
    await expect(uniques([cycle])).rejects.toMatchObject({ code: 'too_deep' });
  });
});

describe('aggregate', () => {
  const of = (as: string): Params => ({ fields: [{ name: 'x', as }] });

  test.each([
    ['count', 3],
    ['sum', 6],
    ['avg', 2],
    ['min', 1],
    ['max', 3],
    ['first', 3],
    ['last', 2],
    ['list', [null, 3, 1, 2]],
  ])('%s leaves nulls out, but for a list', async (as, x) => {
    expect(await aggregated([null, 3, 1, 2], of(as))).toEqual({ x });
  });

  test.each([
    ['count', 0],
    ['sum', 0],
    ['avg', null],
    ['min', null],
    ['max', null],
    ['first', null],
    ['last', null],
    ['list', []],
  ])('%s of nothing is %j', async (as, x) => {
    expect(await aggregated([], of(as))).toEqual({ x });
  });

  test('the smallest and the largest are those of the sorted list', async () => {
    const law = fc.asyncProperty(lists, async (list) => {
      const inOrder = ((await sorted(list)) as unknown[]).filter((item) => item !== null);
      const fields = [
        { name: 'min', as: 'min' },
        { name: 'max', as: 'max' },
      ];
      expect(await aggregated(list, { fields })).toEqual({
        min: inOrder[0] ?? null,
        max: inOrder.at(-1) ?? null,
      });
    });
    await fc.assert(law, { numRuns: 50 });
  });

  test('sums of groups add up to the sum of all', async () => {
    const law = fc.asyncProperty(fc.array(fc.integer({ min: -100, max: 100 })), async (list) => {
      const parts = (await aggregated(list, { ...of('sum'), by: '{{ item % 4 }}' })) as { x: number }[];
      expect(parts.reduce((sum, { x }) => sum + x, 0)).toBe(list.reduce((sum, n) => sum + n, 0));
    });
    await fc.assert(law, { numRuns: 100 });
  });

  test('a stream gives what the list of its items does', async () => {
    const fields = ['count', 'sum', 'avg', 'min', 'max', 'first', 'last', 'list'].map((as) => ({
      name: as,
      as,
      of: '{{ item + index }}',
    }));
    const law = fc.asyncProperty(
      fc.array(fc.integer({ min: -100, max: 100 })),
      fc.constantFrom({}, { by: '{{ (item + index) % 3 }}' }),
      async (list, by) => {
        const params = { fields, ...by };
        const { out } = await runOperator('data.aggregate-stream', aggregateStream, {
          params,
          inputs: { in: list },
        });
        expect(out).toEqual(await aggregated(list, params));
      },
    );
    await fc.assert(law, { numRuns: 100 });
  });

  test('a sum that is too large for a number is an error', async () => {
    await expect(aggregated([1e308, 1e308], of('sum'))).rejects.toMatchObject({ code: 'bad_number' });
  });

  test.each([
    [
      'a name twice',
      [
        { name: 'a', as: 'count' },
        { name: 'a', as: 'sum' },
      ],
    ],
    ['the name of a group’s key', [{ name: 'key', as: 'count' }]],
    ['__proto__', [{ name: '__proto__', as: 'count' }]],
    ['no fields', []],
    ['a function that does not exist', [{ name: 'a', as: 'median' }]],
  ])('%s is refused', (_, fields) => {
    expect(aggregate.params.safeParse({ fields }).success).toBe(false);
  });
});

test('batches put together are the list', async () => {
  const law = fc.asyncProperty(lists, fc.integer({ min: 1, max: 50 }), async (list, size) => {
    const parts = (await batched(list, { size })) as unknown[][];
    expect(parts.flat()).toEqual(list);
    expect(parts.slice(0, -1).every((part) => part.length === size)).toBe(true);
  });
  await fc.assert(law, { numRuns: 50 });
});

test('flattening is what the built-in flat gives', async () => {
  const nested = fc.letrec((tie) => ({
    list: fc.array(fc.oneof(fc.integer(), tie('list')), { maxLength: 5 }),
  })).list;
  const law = fc.asyncProperty(nested, fc.integer({ min: 1, max: 5 }), async (list, depth) => {
    expect(await flat(list, { depth })).toEqual((list as unknown[]).flat(depth));
  });
  await fc.assert(law, { numRuns: 100 });
});

test('a few lists that hold each other many times make no list beyond a million', async () => {
  const doubled = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], 1);
  await expect(flat(doubled, { depth: 100 })).rejects.toMatchObject({ code: 'too_many_items' });
});

describe('merge and rename', () => {
  test('a field called __proto__ stays data', async () => {
    const bad = JSON.parse('{"__proto__":{"polluted":true}}') as unknown;
    for (const deep of [false, true]) {
      const out = (await runOperator('data.merge', merge, { params: { deep }, inputs: { in: [bad, bad] } }))[
        'out'
      ] as object;
      expect(Object.getPrototypeOf(out)).toBe(Object.prototype);
      expect(Object.keys(out)).toEqual(['__proto__']);
    }
    expect(rename.params.safeParse({ fields: JSON.parse('{"__proto__":"a"}') }).success).toBe(false);
    const renamedProto = (await renamed({ a: 1 }, { fields: { a: '__proto__' } })) as object;
    expect(Object.getPrototypeOf(renamedProto)).toBe(Object.prototype);
  });

  test('lists are replaced, not merged', async () => {
    expect(await merged([{ a: { b: [1, 2] } }, { a: { b: [3] } }], { deep: true })).toEqual({
      a: { b: [3] },
    });
  });

  test('cycles are refused', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    await expect(merged([cycle, cycle], { deep: true })).rejects.toMatchObject({ code: 'too_deep' });
  });

  test('a field that is not there may be passed over', async () => {
    expect(await renamed({ a: 1 }, { fields: { b: 'c' }, missing: 'skip' })).toEqual({ a: 1 });
  });
});

function count(list: readonly unknown[]): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const item of list) counts.set(item, (counts.get(item) ?? 0) + 1);
  return new Map([...counts].sort(([a], [b]) => (String(a) + typeof a < String(b) + typeof b ? -1 : 1)));
}
