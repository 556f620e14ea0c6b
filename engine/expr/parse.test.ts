import { describe, expect, test } from 'vitest';
import { parseExpression } from './index.ts';
import { evaluate } from './testing/evaluate.ts';
import { fc } from '../../tests/support/property.ts';

function problemOf(source: string) {
  const result = parseExpression(source);
  return result.ok ? undefined : result.error;
}

describe('literals and operators', () => {
  test.each<[string, unknown]>([
    ['1e3', 1000],
    ['1.5e-3', 0.0015],
    ['.5', 0.5],
    ['1.', 1],
    ['0xfF', 255],
    ['-2', -2],
    ['- -2', 2],
    ['"a\\n\\u0041\\u{1F600}\\x41\\0"', 'a\nA😀A\0'],
    [`'it\\'s "so"'`, `it's "so"`],
    ['`a${1 + 1}b${`c${3}`}`', 'a2bc3'],
    ['`\\${x}\r\n`', '${x}\n'],
    ['true && null', null],
    ['1 + 2 * 3 - 4 / 2 % 2', 7],
    ['(1 + 2) * 3', 9],
    ['1 < 2 == true', true],
    ['1 === 1 && "1" == 1 && "1" !== 1', true],
    ['!0 && !!1', true],
    ['false ? 1 : true ? 2 : 3', 2],
    ['null ?? 1', 1],
    ['(null || 0) ?? 1', 0],
    ['true?.5:1', 0.5],
    ['[1, "a", [null],]', [1, 'a', [null]]],
    ['[...[1, 2], 3]', [1, 2, 3]],
    ['{ a: 1, "b c": 2, 3: 4, if: 5, }', { a: 1, 'b c': 2, 3: 4, if: 5 }],
    ['{ ...{ a: 1, b: 2 }, b: 3, ...null }', { a: 1, b: 3 }],
    ['({ a: 1 }).a', 1],
    ['[1, 2, 3].map(x => ({ x }))', [{ x: 1 }, { x: 2 }, { x: 3 }]],
    ['[[1, 2]].map(x => x.map((y, i) => y * i))', [[0, 2]]],
    ['"grün".length', 4],
    ['\u00a0\n1\t', 1],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });
});

describe('syntax outside of the language is refused at its position', () => {
  test.each<[source: string, offset: number, message: RegExp]>([
    ['', 0, /empty/],
    ['   ', 0, /empty/],
    ['1 +', 3, /ends where a value/],
    ['1 2', 2, /operator or the end/],
    ['input.', 6, /field name/],
    ['input.items[0', 11, /`\[` is not closed/],
    ['(1', 0, /`\(` is not closed/],
    ['"abc', 0, /closing "/],
    ["'a\nb'", 0, /closing '/],
    ['`abc', 0, /not closed/],
    ['`a${1', 5, /Expected `}`/],
    ['"\\d"', 1, /\\\\d/],
    ['"\\u{110000}"', 1, /means nothing/],
    ['01', 0, /leading zeros/],
    ['1212092628029698048', 0, /would become 1212092628029698000; write it as a text/],
    ['1 + 9007199254740993', 4, /would become 9007199254740992/],
    ['0x20000000000001', 0, /would become 9007199254740992/],
    ['1e400', 0, /would become Infinity/],
    ['1e-400', 0, /would become 0/],
    ['9007199254740993', 0, /as a text/],
    ['1a', 0, /no word directly after a number/],
    ['1_000', 0, /no word directly after a number/],
    ['1n', 0, /no word directly after a number/],
    ['a = 1', 2, /==/],
    ['a & b', 2, /&&/],
    ['a ** b', 2, /power/],
    ['a++', 1, /\+ 1/],
    ['+a', 0, /number\(/],
    ['a; b', 1, /statements/],
    ['a /* b', 2, /comment .* not closed/],
    ['/* a */', 0, /empty/],
    ['/a', 0, /matches/],
    ['/a/.test("a")', 0, /write `matches\("a", "a"\)`/],
    ['new Date()', 0, /new/],
    ['this.a', 0, /this/],
    ['typeof a', 0, /typeOf/],
    ['"a" in b', 4, /operator or the end/],
    ['a ?? b || c', 7, /parentheses/],
    ['a && b ?? c', 7, /parentheses/],
    ['x => x', 2, /method such as `map`/],
    ['(x) => x', 4, /method such as `map`/],
    ['trim(x => x)', 5, /values, not a function/],
    ['a.trim(x => x)', 7, /values, not a function/],
    ['a.map(x => { x })', 11, /without braces/],
    ['a.map((x, x) => x)', 6, /same name/],
    ['a.map((x, y, z, w) => x)', 6, /at most three/],
    ['a.map(true => 1)', 6, /parameter/],
    ['a.map(({ b }) => b)', 14, /method such as `map`/],
    ['a.concat(...b)', 9, /spread/],
    ['(a)()', 3, /by their name/],
    ['a[0]()', 4, /by their name/],
    ['a?.()', 3, /by their name/],
    ['a["b"]()', 6, /by their name/],
    ['`a``b`', 3, /template literal/],
    ['a`b`', 1, /template literal/],
    ['{ [a]: 1 }', 2, /computed/],
    ['{ a() { } }', 3, /methods/],
    ['{ "a" }', 6, /`:` after the key/],
    ['[1,,2]', 3, /Expected a value/],
    ['a, b', 1, /operator or the end/],
    ['a ? b', 5, /`:`/],
    ['a # b', 2, /operator or the end/],
    ['a § b', 2, /no meaning/],
  ])('%j', (source, offset, message) => {
    expect(problemOf(source)).toMatchObject({
      code: 'expression-syntax',
      offset,
      message: expect.stringMatching(message),
    });
  });

  test('undefined is no literal, and the problem points to null', () => {
    expect(problemOf('1 + undefined')).toMatchObject({
      code: 'expression-unknown-name',
      offset: 4,
      suggestion: 'null',
    });
  });
});

test('an assignment suggests the comparison', () => {
  expect(problemOf('a = 1')?.suggestion).toBe('==');
});

test('comments are left out, and slashes still divide', () => {
  expect(evaluate('/* one */ 8 // two\n / /* * */ 2')).toBe(4);
  expect(evaluate('"a//b" + `/* ${ 1 /* in a hole */ } */`')).toBe('a//b/* 1 */');
  expect(evaluate('/**/1//')).toBe(1);
});

describe('a pattern in slashes is refused with what to write', () => {
  test.each([
    ['input.a.replace(/\\s+/g, "-").trim()', 'replace(input.a, "\\\\s+", "-")'],
    ['input.a.replace(/[/]\\//i, "$&$1")', 'replace(input.a, "(?i)[/]/", "$0$1", 1)'],
    ['input?.a?.match(/(\\d+)/)[1]', 'extract(input?.a ?? "", "(\\\\d+)", 1)'],
    ['input.a.match(/x/)', 'extract(input.a, "x", 0)'],
    ['input.a.match(/x/g)', 'extractAll(input.a, "x", 0)'],
    ['input.a.split(/,\\s*/)', 'splitBy(input.a, ",\\\\s*")'],
    ['/^a/.test(input.a.b)', 'matches(input.a.b, "^a")'],
    ['[1].map(x => /a/.exec(x)[0])', 'extract(x, "a", 0)'],
  ])('%s', (source, better) => {
    const problem = problemOf(source);
    expect(problem).toMatchObject({ code: 'expression-syntax', suggestion: better });
    const { offset = 0, length = 0 } = problem ?? {};
    const mended = source.slice(0, offset) + better + source.slice(offset + length);
    expect(problemOf(mended)).toBeUndefined();
  });

  test.each(['1 + /x/', 'input.a.search(/x/)'])('%s only with the functions', (source) => {
    expect(problemOf(source)).toMatchObject({ message: expect.stringMatching(/extractAll/) });
    expect(problemOf(source)?.suggestion).toBeUndefined();
  });
});

test('every node has the place of its source', () => {
  const source = ' input.a[ 0 ] + `x${ b }`';
  const result = parseExpression(source);
  if (!result.ok || result.ast.type !== 'binary') throw new Error('a sum was expected');
  const { ast } = result;
  expect(source.slice(ast.left.start, ast.left.end)).toBe('input.a[ 0 ]');
  expect(source.slice(ast.right.start, ast.right.end)).toBe('`x${ b }`');
  expect([ast.start, ast.end]).toEqual([1, source.length]);
});

describe('limits', () => {
  test('64 levels of parentheses are read, 65 and 200 are refused', () => {
    expect(evaluate(`${'('.repeat(64)}1${')'.repeat(64)}`)).toBe(1);
    for (const depth of [65, 200, 5000]) {
      expect(problemOf(`${'('.repeat(depth)}1${')'.repeat(depth)}`)?.message).toMatch(/deeper than 64/);
    }
  });

  test.each(['!', '[', '{a:', '`${', 'a[', 'abs(', '- ', '1?', 'a.map(x=>'])(
    'nesting by %s is limited',
    (opening) => {
      expect(problemOf(`${opening.repeat(100)}1`)?.message).toMatch(/deeper than 64/);
    },
  );

  test('16 KB are read, more is refused', () => {
    expect(evaluate(`"${'a'.repeat(16 * 1024 - 2)}"`)).toHaveLength(16 * 1024 - 2);
    expect(problemOf(`"${'a'.repeat(16 * 1024 - 1)}"`)?.message).toMatch(/16384 characters/);
  });

  test('a thousand operators in a row are computed, more are refused', () => {
    expect(evaluate(`0${'+1'.repeat(1000)}`)).toBe(1000);
    expect(problemOf(`0${'+1'.repeat(1001)}`)?.message).toMatch(/1000 operators/);
  });

  test('the longest chain of members does not overflow the stack', () => {
    expect(evaluate(`input${'.a'.repeat(8000)} ?? 7`)).toBe(7);
    expect(evaluate(`"a"${'.trim()'.repeat(2000)}`)).toBe('a');
  });
});

describe('any input', () => {
  const pieces = fc.constantFrom(
    ...[
      'input',
      '.',
      'a',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '?',
      '?.',
      '??',
      '=>',
      '=',
      '!',
      '-',
      '`',
      '${',
    ],
    ...[
      '"',
      "'",
      '\\',
      '1',
      '0x',
      '.5',
      ' ',
      '\n',
      'map',
      'x',
      '...',
      '||',
      '&&',
      '+',
      'undefined',
      '__proto__',
      '😀',
    ],
  );

  test('parsing does not throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(pieces).map((list) => list.join('')),
        ),
        (source) => {
          const result = parseExpression(source);
          if (result.ok) return result.ast.end <= source.length;
          return result.error.offset >= 0 && result.error.offset <= source.length;
        },
      ),
      { numRuns: 1500 },
    );
  });
});
