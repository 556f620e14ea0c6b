import { describe, expect, test } from 'vitest';
import { functionDocs } from '../index.ts';
import { evaluate, thrown } from '../testing/evaluate.ts';

/** Examples of each function, by its name. */
const examples: Readonly<Record<string, readonly (readonly [source: string, value: unknown])[]>> = {
  extract: [
    ['extract("order 12 of 30", "\\\\d+")', '12'],
    ['extract("12 km", "(\\\\d+) (?P<unit>\\\\w+)")', '12'],
    [
      'extract("12 km", "(\\\\d+) (?P<unit>\\\\w+)", "unit") + extract("12 km", "(\\\\d+) (\\\\w+)", 0)',
      'km12 km',
    ],
    ['extract("b", "(a)?b")', null],
    ['extract("x", "y") ?? "none"', 'none'],
    ['"a1".extract("\\\\d")', '1'],
  ],
  extractAll: [
    ['extractAll("a1 b22", "\\\\d+")', ['1', '22']],
    ['extractAll("a=1, b=2", "(\\\\w)=(\\\\d)", 2)', ['1', '2']],
    ['extractAll("a", "\\\\d")', []],
    ['extractAll("ab", "")', ['', '', '']],
  ],
  splitBy: [
    ['splitBy("a, b;c", "[,;]\\\\s*")', ['a', 'b', 'c']],
    ['splitBy(",a,", ",")', ['', 'a', '']],
    ['"a1b".splitBy("\\\\d")', ['a', 'b']],
  ],
  replace: [
    ['replace("a  b   c", "\\\\s+", " ")', 'a b c'],
    [
      'replace("ada@x, bob@y", "(\\\\w+)@(?P<host>\\\\w+)", "${host} at $1, $0$$")',
      'x at ada, ada@x$, y at bob, bob@y$',
    ],
    ['replace("aaa", "a", "b", 2) + replace("aaa", "a", "b", 0)', 'bbaaaa'],
    ['replace("Abc", "(?i)a", "")', 'bc'],
    ['replace("ab", "", "-")', '-a-b-'],
  ],
  capitalize: [['capitalize("éa bC") + capitalize("")', 'Éa bC']],
  titleCase: [["titleCase('the wORLD of o\\'neill, élan-vital')", "The World Of O'neill, Élan-Vital"]],
  camelCase: [['camelCase("First name_of XMLDoc 2")', 'firstNameOfXmldoc2']],
  snakeCase: [['snakeCase("firstName of-all")', 'first_name_of_all']],
  kebabCase: [['kebabCase("First Name")', 'first-name']],
  plainLetters: [['plainLetters("Ünïcødé Straße Ærø")', 'Unicode Strasse AEro']],
  slug: [['slug("  Crème brûlée & Söhne! ")', 'creme-brulee-sohne']],
  stripTags: [['stripTags("<p>1 < 2 <b>and</b> 3 > 2</p><br/>") + stripTags("a <b")', '1 < 2 and 3 > 2a <b']],
  escapeHtml: [['escapeHtml("<a href=\'x\'>\\"&</a>")', '&lt;a href=&#39;x&#39;&gt;&quot;&amp;&lt;/a&gt;']],
  truncate: [
    ['truncate("abcdef", 4) + truncate("abc", 3) + truncate("ab cd", 4, "…")', 'abc…abcab…'],
    ['truncate("a🙂b", 3, "") + truncate("a🙂bc", 2, "")', 'a🙂a'],
  ],
  extractEmail: [
    ['extractEmail("Mail <ada.l@sub.example.org>, or b@c.de.")', 'ada.l@sub.example.org'],
    ['extractEmail("a@b and @x.y")', null],
  ],
  extractUrl: [
    ['[extractUrl("see (https://a.b/c?d=1). x"), extractUrl("none")]', ['https://a.b/c?d=1', null]],
  ],
  extractDomain: [
    [
      '["https://User@Sub.A.org:8080/x", "me@b.de", "c.com/x", "none", "1.5"].map(x => extractDomain(x))',
      ['sub.a.org', 'b.de', 'c.com', null, null],
    ],
  ],
  parseUrl: [
    [
      'parseUrl("https://A.b:81/c%20d?x=1&y=a+b%26&z#top")',
      {
        protocol: 'https',
        host: 'a.b',
        port: 81,
        path: '/c%20d',
        query: { x: '1', y: 'a b&', z: '' },
        hash: 'top',
      },
    ],
    ['parseUrl("http://a.b").path + (parseUrl("a b") ?? "")', '/'],
  ],
  isEmail: [
    ['[isEmail("a@b.org"), isEmail("a@b"), isEmail("a b@c.de"), isEmail(1)]', [true, false, false, false]],
  ],
  isUrl: [
    ['[isUrl("http://a.b"), isUrl("ftp://a.b"), isUrl("a.b"), isUrl(null)]', [true, false, false, false]],
  ],
  isNumeric: [
    [
      '["1", "-1.5e3", " 2 ", ".5", "", "1a", "0x1", null, 3].map(x => isNumeric(x))',
      [true, true, true, true, false, false, false, false, true],
    ],
  ],
  hash: [['hash("a") + hash("a", "MD5") + "b".hash("sha-1")', 'sha256 of amd5 of asha1 of b']],
  unique: [['unique([1, "1", 1, { a: 1 }, { a: 1 }, null, null])', [1, '1', { a: 1 }, null]]],
  compact: [
    ['compact([0, "", null, false, "a", []])', [0, false, 'a', []]],
    ['compact({ a: 1, b: null, c: "" })', { a: 1 }],
  ],
  chunk: [['[chunk([1, 2, 3], 2), chunk([], 2)]', [[[1, 2], [3]], []]]],
  difference: [['[1, 2, 2, { a: 1 }].difference([1, { a: 1 }])', [2]]],
  intersection: [['intersection([1, 2, 2, "2"], [2, 3])', [2]]],
  average: [['[average([1, 2, 6]), average([])]', [3, null]]],
  pluck: [['pluck([{ a: 1 }, {}, { a: "x" }], "a")', [1, null, 'x']]],
  sortBy: [
    ['sortBy([{ a: 2 }, {}, { a: 1 }], "a").pluck("a")', [1, 2, null]],
    ['[{ a: "x" }, {}, { a: "y" }].sortBy("a", "desc").pluck("a")', ['y', 'x', null]],
  ],
  groupBy: [
    [
      'groupBy([{ a: "x", b: 1 }, { a: null }, { a: "x", b: 2 }], "a")',
      {
        x: [
          { a: 'x', b: 1 },
          { a: 'x', b: 2 },
        ],
        '': [{ a: null }],
      },
    ],
  ],
  randomItem: [['[randomItem([1, 2, 3, 4]), randomItem([])]', [3, null]]],
  random: [['random()', 0.5]],
  randomInt: [['[randomInt(1, 6), randomInt(3, 3)]', [4, 3]]],
  merge: [
    [
      '[merge({ a: 1, b: 1 }, null, { b: 2 }), merge([{ a: 1 }, { b: 2 }]), merge()]',
      [{ a: 1, b: 2 }, { a: 1, b: 2 }, {}],
    ],
  ],
  pick: [['[pick({ a: 1, b: 2, c: 3 }, "a", "x"), pick({ a: 1, b: 2 }, ["b"])]', [{ a: 1 }, { b: 2 }]]],
  omit: [['omit({ a: 1, b: 2, c: 3 }, "a", ["c"])', { b: 2 }]],
  renameKeys: [['renameKeys({ a: 1, b: 2 }, { a: "x" })', { x: 1, b: 2 }]],
  fromEntries: [['fromEntries([["a", 1], [2, "b"]])', { a: 1, 2: 'b' }]],
  toQuery: [['toQuery({ a: "x y", b: [1, true], c: null })', 'a=x%20y&b=1&b=true']],
  ifEmpty: [
    [
      '[ifEmpty("", 1), ifEmpty([], 1), ifEmpty({}, 1), ifEmpty(null, 1), ifEmpty(0, 1), ifEmpty(false, 1), ifEmpty("a", 1)]',
      [1, 1, 1, 1, 0, false, 'a'],
    ],
  ],
  pow: [['pow(2, 10)', 1024]],
  sqrt: [['sqrt(9)', 3]],
  log: [['[log(1), log(8, 2), log(1000, 10)]', [0, 3, 3]]],
  sign: [['[sign(-3), sign(0), sign(2)]', [-1, 0, 1]]],
  formatNumber: [
    [
      'formatNumber(1234567.891) + " " + (1234.5).formatNumber("de", { minimumFractionDigits: 2 })',
      '1,234,567.891 1.234,50',
    ],
    ['formatNumber(0.256, "en", { style: "percent" })', '26%'],
  ],
  substr: [['"abcdef".substr(1, 2) + "abcdef".substr(-2) + "abc".substr(1, -1)', 'bcef']],
  lastIndexOf: [['["abab".lastIndexOf("ab"), "a".lastIndexOf("b"), [1, 2, 1].lastIndexOf(1)]', [2, -1, 2]]],
  localeCompare: [['["b", "a", "Ä"].sort((a, b) => a.localeCompare(b))', ['a', 'Ä', 'b']]],
  concat: [['"a".concat("b", "c").toString()', 'abc']],
  findLast: [['[1, 2, 3].findLast(x => x < 3)', 2]],
  findLastIndex: [['[1, 2, 3].findLastIndex(x => x < 3)', 1]],
  first: [
    ['[[3, 4].first(), [3, 4].last(), [3, 4].sum(), [].isEmpty(), "".isEmpty()]', [3, 4, 7, true, true]],
  ],
  round: [['[(2.345).round(2), (2.5).floor(), (2.5).ceil(), (-2).abs()]', [2.35, 2, 3, 2]]],
  urlEncode: [['"a b".urlEncode() + "a%20b".urlDecode()', 'a%20ba b']],
};

describe.each(Object.entries(examples))('%s', (_, lines) => {
  test.each(lines)('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });
});

test('the examples name functions that exist', () => {
  const names = new Set(functionDocs.map(({ name }) => name));
  expect(Object.keys(examples).filter((name) => !names.has(name))).toEqual([]);
});

test.each([
  'replace("a", "a", "$x")',
  'replace("a", "a", "$1")',
  'extract("a", "a", 2)',
  'extract("a", "a", "b")',
  'extract("a", "a(?=b)" + "")',
  'hash("a", "crc")',
  'chunk([1], 0)',
  'sortBy([{ a: 1 }, { a: "x" }], "a")',
  'sortBy([1], "a")',
  'sortBy([], "a", "up")',
  'sortBy([], false)',
  'pluck([], null)',
  'groupBy([], 1)',
  'groupBy([{ a: "constructor" }], "a")',
  'fromEntries([["__proto__", 1]])',
  'renameKeys({ a: 1 }, { a: "prototype" })',
  'average(["1"])',
  'randomInt(2, 1)',
  'formatNumber(1, "no such language")',
  'formatNumber(1, "en", { style: "odd" })',
  'merge([1])',
  'pow("2", 1)',
])('%s is refused with its place', (source) => {
  const error = thrown(() => evaluate(source));
  expect(error.code).toBe('expression_type');
  expect(error.data).toMatchObject({ start: expect.any(Number), end: expect.any(Number) });
});

test('a text can be long, whatever is looked for in it', () => {
  const input = { a: 'a@'.repeat(40_000), spaces: ' '.repeat(80_000), tags: '<'.repeat(80_000) };
  for (const name of ['extractEmail', 'extractUrl', 'extractDomain', 'isUrl', 'isEmail', 'isNumeric'])
    expect(evaluate(`${name}(input.a) || 1`, input)).toBe(1);
  expect(evaluate('slug(input.spaces)', input)).toBe('');
  expect(evaluate('stripTags(input.tags).length', input)).toBe(80_000);
});
