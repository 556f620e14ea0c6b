import { expect, test } from 'vitest';
import { runOperator } from '../../testing/call.ts';
import formatJson from './format-json.ts';
import parseJson from './parse-json.ts';

const parse = (text: unknown) => runOperator('text.parse-json', parseJson, { inputs: { in: text } });
const format = (value: unknown, params = {}) =>
  runOperator('text.format-json', formatJson, { params, inputs: { in: value } });

test('a text that is not JSON is refused with the place where it breaks', async () => {
  await expect(parse('{\n  "a": 1,\n  "b": oops\n}')).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('line 3, column 8'),
    data: { offset: 19, line: 3, column: 8 },
  });
});

test.each(['', ' ', '{', '"a', "{'a':1}", '[1,]', '// a\n1', '1 2', 'NaN', '"\n"'])(
  '%j is not JSON',
  async (text) => {
    await expect(parse(text)).rejects.toMatchObject({ code: 'bad_input' });
  },
);

test.each([5, null, ['[]'], undefined])('%j is no text', async (value) => {
  await expect(parse(value)).rejects.toMatchObject({ code: 'bad_input' });
});

test('brackets within texts do not count as depth', async () => {
  const text = JSON.stringify(['[{'.repeat(300), '\\"[', '\\']);
  expect(await parse(text)).toEqual({ out: JSON.parse(text) });
});

test('200 levels are read, 201 are too deep', async () => {
  expect(await parse('['.repeat(200) + ']'.repeat(200))).toHaveProperty('out');
  await expect(parse('['.repeat(201) + ']'.repeat(201))).rejects.toMatchObject({ code: 'too_deep' });
});

test('a text of more than ten million characters is too large', async () => {
  await expect(parse(`"${'x'.repeat(10_000_000)}"`)).rejects.toMatchObject({ code: 'value_too_large' });
});

test('a broken text of ten million characters is refused at its first fault', async () => {
  await expect(parse('x '.repeat(5_000_000))).rejects.toMatchObject({
    code: 'bad_input',
    data: { offset: 0 },
  });
});

test('a byte order mark is passed over', async () => {
  expect(await parse('\ufeff[1]')).toEqual({ out: [1] });
});

test('a field called __proto__ is read as data and changes no prototype', async () => {
  const { out } = await parse('{"__proto__":{"polluted":true}}');
  expect(Object.getPrototypeOf(out)).toBe(Object.prototype);
  expect(Object.keys(out as object)).toEqual(['__proto__']);
});

const cycle: unknown[] = [];
cycle.push({ cycle });
const nested = (levels: number) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1);

test.each<[string, unknown, string]>([
  ['a cycle', cycle, 'not_serialisable'],
  ['a BigInt', { a: 1n }, 'not_serialisable'],
  ['a function', [() => 1], 'not_serialisable'],
  ['undefined in a list', [undefined], 'not_serialisable'],
  ['a Date', new Date(0), 'not_serialisable'],
  ['a Map', { a: new Map() }, 'not_serialisable'],
  ['NaN', { a: [Number.NaN] }, 'bad_number'],
  ['Infinity', Number.POSITIVE_INFINITY, 'bad_number'],
  ['201 levels', nested(201), 'too_deep'],
  ['a long text', 'x'.repeat(10_000_001), 'value_too_large'],
])('%s is refused', async (_, value, code) => {
  await expect(format(value)).rejects.toMatchObject({ code });
});

test('one list in two places is no cycle', async () => {
  const shared = [1];
  expect(await format({ a: shared, b: shared })).toEqual({ out: '{"a":[1],"b":[1]}' });
});

test('a field that holds undefined is left out', async () => {
  expect(await format({ a: undefined, b: 1 })).toEqual({ out: '{"b":1}' });
});

test('200 levels are written', async () => {
  expect(await format(nested(200))).toEqual({ out: `${'['.repeat(200)}1${']'.repeat(200)}` });
});

test('a whole number that would lose digits is refused by name, or kept as a text', async () => {
  const text =
    '[{"id": -12345678901234567890, "t": "12345678901234567890"}, 9007199254740993, 1212092628029698048, 1e30, 2]';
  await expect(parse(text)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(/-12345678901234567890, .* set `longNumbers` to `text`/),
  });
  const kept = await runOperator('text.parse-json', parseJson, {
    params: { longNumbers: 'text' },
    inputs: { in: text },
  });
  const id = '-12345678901234567890';
  expect(kept).toEqual({
    out: [{ id, t: '12345678901234567890' }, '9007199254740993', '1212092628029698048', 1e30, 2],
  });
});
