import { describe, expect, test } from 'vitest';
import { type ForeignKind, foreignConstructs } from './foreign-constructs.ts';
import { compileExpression, parseExpression } from './index.ts';
import { env, evaluate } from './testing/evaluate.ts';

const samples: Readonly<Record<string, string>> = {
  X: 'input.x',
  Y: 'input.y',
  Z: 'input.z',
  N: '2',
  M: '3',
  P: '"a+"',
  F: '"yyyy-MM-dd"',
  U: '"month"',
  D: '{ day: 2 }',
  L: '"de"',
  K: '"a"',
  C: 'x => x',
};

/** An expression with something in place of the capital letters. */
function filled(text: string, values: Readonly<Record<string, string>> = samples): string {
  return text
    .replace(/\.K\b/g, '.a')
    .replace(/(?<![\w"'$])([XYZNMPFUDLKC])(?![\w"'])/g, (letter) => values[letter] ?? letter);
}

describe('each construct becomes an expression, or says what else', () => {
  test.each(foreignConstructs.map(({ kind, from, to, instead }) => [kind, from, to, instead] as const))(
    '%s: %s',
    (_, __, to, instead) => {
      if (to === undefined) {
        expect(instead).toMatch(/node/);
        return;
      }
      const parsed = parseExpression(filled(to));
      expect(parsed).toMatchObject({ ok: true });
      expect(parsed.ok && compileExpression(parsed.ast, env)).toMatchObject({ ok: true });
    },
  );

  test('once for each kind', () => {
    const keys = foreignConstructs.map(({ kind, from }) => `${kind} ${from}`);
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
  });
});

/** The line of the table, with values for its letters. */
const likeJavaScript: readonly (readonly [
  kind: ForeignKind,
  from: string,
  values: Readonly<Record<string, string>>,
])[] = [
  ['leftovers', 'X.pop()', { X: '[1, 2]' }],
  ['leftovers', 'X.hasOwnProperty(K)', { X: '({ a: 1 })', K: '"a"' }],
  ['leftovers', 'K in X', { X: '({ a: 1 })', K: '"b"' }],
  ['leftovers', 'X.filter(Boolean)', { X: '[0, 1, "", "a", null]' }],
  ['leftovers', 'X.map(Number)', { X: '["1", "2.5"]' }],
  ['leftovers', 'X.substr(N, M)', { X: '"abcdef"', N: '-4', M: '2' }],
  ['leftovers', 'Object.assign({}, X, Y)', { X: '({ a: 1 })', Y: '({ a: 2, b: 3 })' }],
  ['leftovers', 'Object.fromEntries(X)', { X: '[["a", 1]]' }],
  ['leftovers', 'Array.from({ length: N })', { N: '0' }],
  ['leftovers', '[...new Set(X)]', { X: '[1, 1, 2]' }],
  ['leftovers', 'parseInt(X)', { X: '" 12.7px"' }],
  ['leftovers', 'parseFloat(X)', { X: '"-.5e"' }],
  ['leftovers', 'isNaN(X)', { X: '"a1"' }],
  ['leftovers', 'Number.isInteger(X)', { X: '2.5' }],
  ['leftovers', 'encodeURI(X)', { X: '"https://a.b/c d?e=ü&f=[1]#%"' }],
  ['leftovers', 'new URL(X).hostname', { X: '"https://user@A.org:8080/x"' }],
  ['leftovers', 'new URL(X).pathname', { X: '"https://a.org"' }],
  ['leftovers', 'new URL(X).searchParams.get(K)', { X: '"https://a.org/?a=1+2"', K: '"a"' }],
  ['leftovers', 'new URLSearchParams(X).toString()', { X: '({ a: 1, b: "c" })' }],
  ['leftovers', 'btoa(X)', { X: '"abc"' }],
  ['leftovers', 'X.toLocaleString(L)', { X: '1234567.891', L: '"de"' }],
  ['math', 'Math.pow(N, M)', { N: '2', M: '0.5' }],
  ['math', 'Math.log10(N)', { N: '1000' }],
  ['math', 'Math.trunc(N)', { N: '-1.5' }],
  ['math', 'Math.max(...X)', { X: '[1, 3, 2]' }],
  ['date-time', 'new Date(X).getTime()', { X: '"2026-03-31T10:00:00+02:00"' }],
];

/** The same of patterns, whose source stands in slashes there. */
const patternsLikeJavaScript: readonly [from: string, text: string, pattern: string, by: string][] = [
  ['/P/.test(X)', 'banana', 'n[aá]n', ''],
  ['X.match(/P/)[N]', 'a-12-b', '(\\w)-(\\d+)', ''],
  ['X.match(/P/g)', 'a1b22', '\\d+', ''],
  ['X.replace(/P/, Y)', 'a b c', '\\s', '-'],
  ['X.replace(/P/g, Y)', 'John Smith', '(\\w+) (\\w+)', '$2, $1'],
  ['X.split(/P/)', 'a, b;c', '[,;]\\s*', ''],
];

describe('the result is that of JavaScript', () => {
  const run = (source: string): unknown => new Function(`return ${source}`)();

  test.each(likeJavaScript)('%s: %s', (kind, from, values) => {
    const line = foreignConstructs.find((one) => one.kind === kind && one.from === from);
    expect(evaluate(filled(line?.to ?? '', values))).toEqual(run(filled(from, values)));
  });

  test.each(patternsLikeJavaScript)('%s', (from, text, pattern, by) => {
    const line = foreignConstructs.find((one) => one.kind === 'patterns' && one.from === from);
    const values = { X: JSON.stringify(text), N: '2', Y: JSON.stringify(by) };
    const theirs = filled(
      from.replace('P', () => pattern),
      values,
    );
    expect(evaluate(filled(line?.to ?? '', { ...values, P: JSON.stringify(pattern) }))).toEqual(run(theirs));
  });
});
