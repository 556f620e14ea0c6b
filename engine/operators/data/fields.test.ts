import { expect, test } from 'vitest';
import { runOperator } from '../../testing/call.ts';
import pick from './pick.ts';
import set from './set.ts';

const picked = (params: Record<string, unknown>, value: unknown) =>
  runOperator('data.pick', pick, { params, inputs: { in: value } });

test('a field picked as a whole and in part is picked as a whole, in either order', async () => {
  const value = { a: { b: 1, c: 2 } };
  expect(await picked({ fields: ['a', 'a.b'] }, value)).toEqual({ out: value });
  expect(await picked({ fields: ['a.b', 'a'] }, value)).toEqual({ out: value });
});

test('two fields of one object are picked together', async () => {
  expect(await picked({ fields: ['a.b', 'a.d'] }, { a: { b: 1, c: 2, d: 3 } })).toEqual({
    out: { a: { b: 1, d: 3 } },
  });
});

test('inherited fields are not there', async () => {
  await expect(picked({ fields: ['toString'] }, {})).rejects.toMatchObject({ code: 'missing_field' });
  await expect(picked({ fields: ['constructor.name'] }, {})).rejects.toMatchObject({ code: 'missing_field' });
});

test('a missing field is named with its whole path', async () => {
  await expect(picked({ fields: ['a.b.c'] }, { a: { b: {} } })).rejects.toMatchObject({
    code: 'missing_field',
    data: { path: 'a.b.c' },
  });
});

test('what is missing further in can be left out or be null', async () => {
  expect(await picked({ fields: ['a.b', 'c.d'], missing: 'skip' }, { a: {} })).toEqual({ out: { a: {} } });
  expect(await picked({ fields: ['a.b', 'c.d'], missing: 'null' }, { a: {} })).toEqual({
    out: { a: { b: null }, c: { d: null } },
  });
});

test.each(['', 'a.', '.a', 'a..b', '__proto__', 'a.__proto__', 'a.'.repeat(60) + 'a'])(
  'the path %j is refused',
  (path) => {
    expect(pick.params.safeParse({ fields: [path] }).success).toBe(false);
  },
);

test('setting __proto__ is refused', () => {
  expect(set.params.safeParse({ fields: JSON.parse('{"__proto__":1}') }).success).toBe(false);
});

test('setting fields changes no prototype and keeps a __proto__ field of the input as data', async () => {
  const input = JSON.parse('{"__proto__":{"polluted":true},"a":1}') as unknown;
  const { out } = await runOperator('data.set', set, {
    params: { fields: { constructor: 1 } },
    inputs: { in: input },
  });
  expect(Object.getPrototypeOf(out)).toBe(Object.prototype);
  expect(Object.keys(out as object).sort()).toEqual(['__proto__', 'a', 'constructor']);
});
