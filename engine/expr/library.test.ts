import { describe, expect, test } from 'vitest';
import { functionDocs, toText } from './index.ts';
import { evaluate, thrown } from './testing/evaluate.ts';

describe('functions', () => {
  test.each<[string, unknown]>([
    ['string(null) + string(1.5) + string([1, null])', '1.5[1,null]'],
    ['number(" 12.5 ")', 12.5],
    ['number("")', Number.NaN],
    ['number(null)', Number.NaN],
    ['number("12a")', Number.NaN],
    ['number("1.2.3")', Number.NaN],
    ['number("Infinity")', Number.POSITIVE_INFINITY],
    ['number(true)', 1],
    ['number("x") || 7', 7],
    ['["true", "Yes", "on", "1"].every(x => boolean(x))', true],
    ['["false", "no", "OFF", "0", "", " "].some(x => boolean(x))', false],
    ['[boolean(0), boolean(2), boolean(null), boolean([])]', [false, true, false, true]],
    ['int("-12.7")', -12],
    [
      '[round(2.5), round(-2.5), round(1.005, 2), round(1e21, 3), round(12345.678, 1)]',
      [3, -2, 1.01, 1e21, 12345.7],
    ],
    ['[floor(-1.5), ceil(-1.5), abs(-1.5)]', [-2, -1, 1.5]],
    ['[min(3, 1, 2), max([3, 1, 2]), min(), max([])]', [1, 3, null, null]],
    ['max([]) ?? 0', 0],
    ['[sum([1, 2, 3]), sum([])]', [6, 0]],
    ['[length("abc"), length([1]), length({ a: 1, b: 2 })]', [3, 1, 2]],
    [
      '[keys({ a: 1, b: null }), values({ a: 1, b: null })]',
      [
        ['a', 'b'],
        [1, null],
      ],
    ],
    ['entries({ a: 1 })', [['a', 1]]],
    [
      '[has({ a: null }, "a"), has({}, "a"), has([1, 2], 2), has([1, 2], 0), has(["a"], "a"), has([null], null)]',
      [true, false, true, false, true, true],
    ],
    ['[has([], null), has(null, "a"), has("a", 0)]', [false, false, false]],
    ['[split("a🙂é", ""), "🙂🙂".split(""), split("", "")]', [['a', '🙂', 'é'], ['🙂', '🙂'], []]],
    ['json("{\\"a\\": [1]}").a', [1]],
    ['toJson({ a: [1, "b", null] })', '{"a":[1,"b",null]}'],
    ['toJson("a") + toJson(null)', '"a"null'],
    ['[matches("abc", "^a.c$"), matches("abc", "B")]', [true, false]],
    ['["^a", "b"].map(p => matches("abc", p))', [true, true]],
    ['lower("ÄB") + upper("äß") + trim(" a ")', 'äbÄSSa'],
    ['split("a,b", ",")', ['a', 'b']],
    ['[join([1, null, "a"]), join([1, 2], "; "), join([])]', ['1,,a', '1; 2', '']],
    ['range(3)', [0, 1, 2]],
    ['unique([1, "1", 1, { a: 1 }, { a: 1 }, null, null])', [1, '1', { a: 1 }, null]],
    ['[first([1, 2]), last([1, 2]), first([]), last([])]', [1, 2, null, null]],
    [
      '[isEmpty(""), isEmpty([]), isEmpty({}), isEmpty(null), isEmpty("a"), isEmpty([null])]',
      [true, true, true, true, false, false],
    ],
    [
      '[1, "a", true, null, [], {}].map(x => typeOf(x))',
      ['number', 'string', 'boolean', 'null', 'array', 'object'],
    ],
    ['urlEncode("a b&c/ü")', 'a%20b%26c%2F%C3%BC'],
    ['urlEncode(12)', '12'],
    ['urlDecode("a%20%C3%BC")', 'a ü'],
    ['base64Encode("hé😀")', 'aMOp8J+YgA=='],
    ['base64Decode("aMOp8J+YgA==") + base64Decode("aMOp8J-YgA")', 'hé😀hé😀'],
    ['base64Encode("") + base64Decode("")', ''],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });

  test.each([
    'boolean("maybe")',
    'number([1])',
    'round("1")',
    'round(1, 99)',
    'sum(["1"])',
    'sum(1)',
    'min("a")',
    'length(5)',
    'isEmpty(5)',
    'keys([1])',
    'keys(null)',
    'json("{")',
    'json("[9007199254740993]")',
    'json("[1212092628029698048]")',
    'number("1212092628029698048")',
    'int(" -9007199254740993 ")',
    'number("1e400")',
    'int("-1E400")',
    'json(1)',
    'first("abc")',
    'range(-1)',
    'range(1.5)',
    'urlDecode("%")',
    'urlEncode([1])',
    'base64Decode("a")',
    'base64Decode("a*bc")',
    'base64Decode("/w==")',
    'matches(1, "a")',
    'matches("a", "(" + "")',
    'matches("a", "a".repeat(1001))',
    'matches("a", "(a{1000}){1000}" + "")',
    '(5).toFixed(101)',
    '(5).toString(1)',
    '"a".repeat(1.5)',
    '[].reduce((a, b) => a)',
  ])('%s is refused with its place', (source) => {
    const error = thrown(() => evaluate(source));
    expect(error.code).toBe('expression_type');
    expect(error.data).toMatchObject({ start: expect.any(Number), end: expect.any(Number) });
  });

  test('a value that is given to `json` in place of a text is told of `toJson`', () => {
    expect(thrown(() => evaluate('json({ a: 1 })')).message).toContain('`toJson` writes a value as JSON');
    expect(thrown(() => evaluate('trim(1)')).message).not.toContain('toJson');
  });
});

describe('methods that differ from JavaScript or have corners', () => {
  test.each<[string, unknown]>([
    ['"a.b.c".replace(".", "$&")', 'a$&b.c'],
    ['"a.b.c".replaceAll(".", "-")', 'a-b-c'],
    ['"abc".replaceAll("", "-")', '-a-b-c-'],
    ['"aaa".replaceAll("aa", "b")', 'ba'],
    ['[3, 10, 2].sort()', [10, 2, 3]],
    ['[3, 10, 2].sort((a, b) => a - b)', [2, 3, 10]],
    ['[{ a: 2 }, { a: 1 }].sort()', [{ a: 1 }, { a: 2 }]],
    ['[1, [2, [3, [4]]]].flat()', [1, 2, [3, [4]]]],
    ['[1, [2, [3, [4]]]].flat(0)', [1, [2, [3, [4]]]]],
    ['[1, [2, [3, [4]]]].flat(9)', [1, 2, 3, 4]],
    ['[1, 2].concat(3, [4, [5]])', [1, 2, 3, 4, [5]]],
    ['[1, 2, 3].reduce((a, b) => a + b)', 6],
    ['["a", "b"].map((x, i, all) => x + i + all.length)', ['a02', 'b12']],
    ['[{ a: 1 }].join("|") + [[1, 2], null].join("|")', '{"a":1}[1,2]|'],
    ['(255).toString(16) + (1.005).toFixed(1)', 'ff1.0'],
    ['"abc".startsWith("b", 1) && "abc".endsWith("b", 2)', true],
    ['[0 / 0].includes(0 / 0)', true],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });
});

test('toText follows the rule for text', () => {
  expect([null, undefined, 'a', 1e21, -0, false, [1, null], { a: undefined }].map(toText)).toEqual([
    ...['', '', 'a', '1e+21', '0', 'false', '[1,null]', '{}'],
  ]);
  for (const value of [Number.NaN, Infinity, [Number.NaN], { a: { b: -Infinity } }]) {
    expect(thrown(() => toText(value)).code).toBe('bad_number');
  }
  expect(thrown(() => toText([1n])).code).toBe('not_serialisable');
});

describe('the reference', () => {
  test('names each function and method once, with a signature and a sentence', () => {
    const keys = functionDocs.map(({ name, receiver }) => `${receiver ?? ''}.${name}`);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { name, signature, doc } of functionDocs) {
      expect(signature.startsWith(`${name}(`) && signature.endsWith(')')).toBe(true);
      expect(doc).toMatch(/^[A-Z].*\.$/);
    }
  });

  test('lists what the language promises', () => {
    const names = (receiver?: string) =>
      functionDocs.filter((entry) => entry.receiver === receiver).map(({ name }) => name);
    const words = (text: string) => text.trim().split(/\s+/).toSorted();
    const dates = `formatDate plus minus setParts startOf endOf inZone diff isBefore isAfter isBetween isSame weekday datePart
      timestamp`;
    const ofWords = `capitalize titleCase camelCase snakeCase kebabCase plainLetters slug stripTags escapeHtml truncate
      extractEmail extractUrl extractDomain parseUrl hash`;
    const ofLists = 'unique compact chunk difference intersection average pluck sortBy groupBy';
    const patterns = 'matches extract extractAll splitBy';
    expect(names('string').toSorted()).toEqual(
      words(`toUpperCase toLowerCase trim trimStart trimEnd startsWith endsWith includes indexOf slice substring
        split replace replaceAll padStart padEnd repeat at charAt substr lastIndexOf localeCompare concat toString
        isEmpty urlEncode urlDecode ${patterns} ${ofWords} ${dates}`),
    );
    expect(names('array').toSorted()).toEqual(
      words(`map filter find findIndex some every reduce flatMap includes indexOf join slice concat reverse sort at
        flat findLast findLastIndex lastIndexOf first last sum isEmpty ${ofLists}`),
    );
    expect(names('number').toSorted()).toEqual(words('toFixed toString formatNumber round floor ceil abs'));
    expect(names().toSorted()).toEqual(
      words(`string number boolean int round floor ceil abs min max sum length keys values entries has json toJson
        lower upper trim split join range first last isEmpty typeOf urlEncode urlDecode base64Encode base64Decode
        replace ${patterns} ${ofWords} isEmail isUrl isNumeric ${ofLists} randomItem merge pick omit renameKeys
        fromEntries toQuery ifEmpty pow sqrt log sign random randomInt formatNumber now clock today date duration
        ${dates}`),
    );
  });
});
