import { describe, expect, test } from 'vitest';
import { WeftError } from '../base/errors.ts';
import { randomExpression, randomValue } from '../types/testing/random.ts';
import { fc } from '../../tests/support/property.ts';
import { functionDocs } from './index.ts';
import { evaluate, render, thrown } from './testing/evaluate.ts';

/** The ways in which an expression can result in null. */
const spellings = [
  'input?.gone',
  'input.nothing',
  'input.nothing?.x.y',
  'input.odd?.undefined',
  'input["odd"]?.["undefined"]',
  'input.list?.[99]',
  'input.nothing?.trim()',
  '(input.gone ?? input?.gone)',
  '[1].find(n => n > 1)',
  '[].at(0)',
  '"".at(0)',
  'first([])',
  'nodes?.skipped',
  '[1].map((a, b, c) => input?.gone)[0]',
];
const input = { nothing: null, odd: { undefined }, list: [1], text: 'a' };

/** The value or the code of the error. */
function outcome(source: string, value: unknown = input): unknown {
  try {
    return { value: evaluate(source, value, { nodes: {} }) };
  } catch (error) {
    if (error instanceof WeftError) return { code: error.code };
    // A random text may stand where a unit or a zone is expected.
    const { code } = error as { code?: unknown };
    if (code === 'expression-syntax') return { code };
    throw error;
  }
}

function holdsUndefined(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined;
  return Object.values(value).some(holdsUndefined);
}

describe.each(spellings)('%s is null', (nothing) => {
  const same = ['N == null', 'null == N', 'N === null', 'N == N', '!N', 'N ?? true', '!(N != null)'];
  test.each(same.map((source) => source.replaceAll('N', nothing)))('%s', (source) => {
    expect(evaluate(source, input)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['N', null],
    ['[N, 1, ...[N]]', [null, 1, null]],
    ['{ a: N, ...{ b: N }, ...N }', { a: null, b: null }],
    ['[1].map(x => N)', [null]],
    ['[N].map(x => x == null)', [true]],
    ['[N].filter(x => x == null)', [null]],
    ['unique([N, null])', [null]],
    ['[N, "a"].sort()', ['a', null]],
    ['[N].concat(N)', [null, null]],
    ['[N].includes(null) && [null].includes(N) && [N].indexOf(null) == 0', true],
    ['[1].reduce((acc, x) => acc, N)', null],
    ['[N].reduce((acc, x) => acc)', null],
    ['[[N]].flatMap(x => x).flat()', [null]],
    ['values({ a: N })', [null]],
    ['keys({ a: N })', ['a']],
    ['has({ a: N }, "a")', true],
    ['typeOf(N)', 'null'],
    ['isEmpty(N)', true],
    ['toJson([N, { a: N }])', '[null,{"a":null}]'],
    ['toJson(N)', 'null'],
    ['string(N) + `${N}` + "" + N', ''],
    ['true ? N : 1', null],
    ['true && N', null],
    ['N || N', null],
  ])('%s', (source, value) => {
    expect(evaluate(source.replaceAll('N', nothing), input)).toEqual(value);
    expect(outcome(source.replaceAll('N', nothing))).toEqual(outcome(source.replaceAll('N', 'null')));
  });

  test('as a whole template it is null, within a text it is empty', () => {
    expect(render(`{{ ${nothing.replace('nodes?.skipped', 'null')} }}`, input)).toBeNull();
    expect(render(`a{{ ${nothing.replace('nodes?.skipped', 'null')} }}b`, input)).toBe('ab');
  });
});

const receivers = ['[1, 2]', '"ab"', '5', 'input?.gone'];
const args = ['1', '"a"', '[3, 1]', '{ a: 1 }'];

/** Calls of a function or method with null in one place. */
function callsOf({ name, signature, receiver }: (typeof functionDocs)[number]): string[] {
  const most = signature.includes('...') ? 3 : signature.replace(/\([^()]*\) =>/g, '').split(',').length;
  const given = signature.includes('=>') ? ['x => null', ...args] : args;
  const lists = [0, 1, 2].flatMap((at) =>
    given.map((fill) => Array.from({ length: most }, (_, i) => (i === at ? 'null' : fill))),
  );
  const starts = receiver === undefined ? [''] : receivers.map((self) => `${self}.`);
  return starts.flatMap((start) =>
    lists.flatMap((list) => list.map((_, i) => `${start}${name}(${list.slice(0, i + 1).join(', ')})`)),
  );
}

function valid(source: string): boolean {
  try {
    evaluate(source, input);
    return true;
  } catch (error) {
    return error instanceof WeftError;
  }
}

describe('every function treats a missing value like null, and never returns undefined', () => {
  test.each(functionDocs.map((doc) => [doc.signature, doc] as const))('%s', (_, doc) => {
    const calls = callsOf(doc).filter(valid);
    for (const call of calls) {
      const wanted = outcome(call);
      expect(holdsUndefined(wanted)).toBe(false);
      for (const nothing of ['input?.gone', '[].find(x => true)'])
        expect([call, outcome(call.replaceAll('null', nothing))]).toEqual([call, wanted]);
    }
    if (!doc.signature.endsWith('()')) expect(calls.length).toBeGreaterThan(0);
  });
});

test('no expression returns undefined, and every spelling of null is accepted', () => {
  fc.assert(
    fc.property(
      randomExpression('input'),
      randomValue,
      fc.constantFrom('(input?.gone)', '[].at(0)', '(null?.x)', '[1].find(n => n > 1)'),
      (source, value, nothing) => {
        const wanted = outcome(source, value);
        expect(holdsUndefined(wanted)).toBe(false);
        expect(outcome(source.replace(/\bnull\b/g, nothing), value)).toEqual(wanted);
      },
    ),
    { numRuns: 1500 },
  );
});

describe('an optional argument may be null', () => {
  test.each<[string, unknown]>([
    ['round(1.26, null)', 1],
    ['"abc".slice(1, input?.end)', 'bc'],
    ['[3, 1].slice(input?.start)', [3, 1]],
    ['join([1, 2], null)', '1,2'],
    ['[1, 2].join(input?.gone)', '1,2'],
    ['(2).toFixed(null)', '2'],
    ['(2).toString(null)', '2'],
    ['"a".padStart(2, null)', ' a'],
    ['[[1]].flat(null)', [1]],
    ['"ab".includes("a", null)', true],
    ['[1].indexOf(1, null)', 0],
  ])('%s', (source, value) => {
    expect(evaluate(source, input)).toEqual(value);
  });

  test('a required argument may not be null', () => {
    expect(thrown(() => evaluate('lower(input?.gone)', input))).toMatchObject({
      code: 'expression_type',
      message: '`lower` needs text, but got null.',
    });
  });
});
