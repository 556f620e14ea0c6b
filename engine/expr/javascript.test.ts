import { expect, test } from 'vitest';
import { WeftError } from '../base/errors.ts';
import { evaluate } from './testing/evaluate.ts';
import { fc, propertyRuns } from '../../tests/support/property.ts';

/**
 * On the subset that both share, the language computes what JavaScript computes. Excluded: `==` (stricter here), missing
 * reads, objects as text, and `$` in replacements.
 */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'é', '😀', ' ', ',', '0', '7'), maxLength: 6 });
const number = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.double({ min: -1e6, max: 1e6, noNaN: true }));

const data = fc.record({
  n: number,
  s: word,
  yes: fc.boolean(),
  nothing: fc.constant(null),
  numbers: fc.array(number, { maxLength: 5 }),
  words: fc.array(word, { maxLength: 5 }),
  rows: fc.array(fc.record({ n: number, s: word, tags: fc.array(word, { maxLength: 3 }) }), { maxLength: 5 }),
  deep: fc.record({ a: fc.record({ b: number, 'odd key': word }) }),
});

/** Joins generated parts with the texts between them. */
function source(texts: TemplateStringsArray, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...parts).map((values) => texts.map((text, i) => text + (values[i] ?? '')).join(''));
}

const smallInt = fc.integer({ min: -3, max: 8 }).map(String);
const literal = word.map((text) => JSON.stringify(text));
const single = word.map((text) => `'${text}'`);

/** The sorts of expressions, each by the type of its value. */
type Grammar = Record<'num' | 'str' | 'bool' | 'nums' | 'strs' | 'rows' | 'any', string>;

const { num, str, bool, nums, strs, rows, any } = fc.letrec<Grammar>((tie) => {
  const n = tie('num');
  const s = tie('str');
  const b = tie('bool');
  const ns = tie('nums');
  const ss = tie('strs');
  const rs = tie('rows');
  const of = (...list: fc.Arbitrary<string>[]) => fc.oneof({ maxDepth: 4, withCrossShrink: true }, ...list);
  const op = (...signs: string[]) => fc.constantFrom(...signs);
  return {
    num: of(
      fc.constantFrom('input.n', 'input.deep.a.b', 'input["n"]', '1', '0.5', '1e3', '0x1f'),
      smallInt.map((text) => `(${text})`),
      source`(${n} ${op('+', '-', '*', '/', '%')} ${n})`,
      source`${n} ${op('+', '-', '*', '/', '%')} ${n} ${op('+', '-', '*', '/', '%')} ${n}`,
      source`(- ${n})`,
      source`(${b} ? ${n} : ${n})`,
      source`(input.nothing ?? ${n})`,
      source`(input.nothing?.x.y ?? ${n})`,
      source`${s}.length`,
      source`${ns}.length`,
      source`${s}.indexOf(${s})`,
      source`${ss}.indexOf(${s})`,
      source`${ns}.indexOf(${n}, ${smallInt})`,
      source`(${ns}[0] ?? ${n})`,
      source`(${ns}.at(${smallInt}) ?? 0)`,
      source`(${rs}.find(r => r.n > ${n})?.n ?? ${n})`,
      source`${rs}.findIndex((r, i) => i > ${n})`,
      source`${ns}.reduce((sum, x, i) => sum + x * i, ${n})`,
      source`${rs}.reduce((sum, r) => sum + r.tags.length, 0)`,
    ),
    str: of(
      fc.constantFrom('input.s', 'input.deep.a["odd key"]', '""'),
      literal,
      single,
      source`(${s} + ${s})`,
      source`(${s} + ${b})`,
      source`(${n} + ${s})`,
      source`\`a\${${s}}b\${${n}}\``,
      source`(${b} && ${s} || ${s})`,
      source`${s}.${op('toUpperCase', 'toLowerCase', 'trim', 'trimStart', 'trimEnd')}()`,
      source`${s}.${op('slice', 'substring')}(${smallInt}, ${smallInt})`,
      source`${s}.slice(${smallInt})`,
      source`${s}.${op('replace', 'replaceAll')}(${s}, ${s})`,
      source`${s}.${op('padStart', 'padEnd')}(${smallInt}, ${s})`,
      source`${s}.repeat(3)`,
      source`(${s}.at(${smallInt}) ?? "none")`,
      source`${s}.charAt(${smallInt})`,
      source`${ss}.join(${s})`,
      source`${ns}.join()`,
      source`(${n}).toFixed(2)`,
      source`(${n}).toString()`,
    ),
    bool: of(
      fc.constantFrom('input.yes', 'true', 'false'),
      source`(${n} ${op('<', '<=', '>', '>=', '===', '!==')} ${n})`,
      source`(${s} ${op('<', '<=', '>', '>=', '===', '!==')} ${s})`,
      source`(!${b} ${op('&&', '||')} ${b})`,
      source`!${s}`,
      source`${s}.${op('startsWith', 'endsWith', 'includes')}(${s})`,
      source`${ns}.includes(${n})`,
      source`${ss}.${op('some', 'every')}((s, i) => s.length > i)`,
      source`${rs}.${op('some', 'every')}(r => r.tags.includes(${s}))`,
    ),
    nums: of(
      fc.constant('input.numbers'),
      source`[${n}, ...${ns}, ${n}]`,
      source`${ns}.map(x => x * ${n})`,
      source`${ns}.filter((x, i) => x > i)`,
      source`${ns}.${op('slice(1)', 'slice(-2)', 'slice(1, 3)', 'flat()', 'concat(1, [2])')}`,
      source`${ns}.toSorted((a, b) => a - b)`,
      source`${ns}.toReversed()`,
      source`${rs}.map(r => r.n)`,
      source`${rs}.flatMap(r => [r.n, r.tags.length])`,
      source`[${ns}, [${ns}]].flat(${op('1', '2')}).flat()`,
    ),
    strs: of(
      fc.constant('input.words'),
      source`[${s}, ...${ss}]`,
      // An empty separator splits into characters here, but into code units in JavaScript.
      source`${s}.split((${s}) || "b")`,
      source`${ss}.toSorted()`,
      source`${ss}.map(s => s + ${s})`,
      source`${ss}.concat(${ss})`,
      source`${rs}.flatMap(r => r.tags)`,
      source`${rs}.map(r => ({ s: r.s }).s)`,
    ),
    rows: of(
      fc.constant('input.rows'),
      source`${rs}.filter(r => r.n < ${n})`,
      source`${rs}.map((r, i) => ({ ...r, n: r.n + i, "s": r.s }))`,
      source`${rs}.toReversed()`,
      source`${rs}.concat({ n: ${n}, s: ${s}, tags: ${ss} })`,
    ),
    any: fc.oneof(n, s, b, ns, ss, rs, source`({ n: ${n}, s: ${s}, ...{ ns: ${ns} } })`),
  };
});

test('the generators all take part', () => {
  for (const part of [num, str, bool, nums, strs, rows]) expect(fc.sample(part, 1)[0]).toBeTypeOf('string');
});

test('expressions of the shared subset give what JavaScript gives', () => {
  let compared = 0;
  fc.assert(
    fc.property(any, data, (text, input) => {
      const ours = outcome(() =>
        // Our `sort` and `reverse` do not change their array, which JavaScript spells differently.
        evaluate(text.replaceAll('toSorted', 'sort').replaceAll('toReversed', 'reverse'), input),
      );
      // NaN has no text here but does in JavaScript; the limits exist only here.
      fc.pre(ours !== refused);
      compared++;
      expect(ours).toStrictEqual(new Function('input', `'use strict'; return (${text});`)(input));
    }),
    { numRuns: 1500 },
  );
  expect(compared).toBeGreaterThan(propertyRuns(1500) / 2);
});

const refused = Symbol('refused');

function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    const code = error instanceof WeftError ? error.code : (error as { message?: string }).message;
    if (code === 'bad_number' || code === 'expression_budget') return refused;
    if (code?.includes('nested deeper')) return refused;
    throw error;
  }
}
