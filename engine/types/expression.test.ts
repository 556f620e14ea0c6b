import { describe, expect, test } from 'vitest';
import { parseExpression } from '../expr/index.ts';
import { evaluate } from '../expr/testing/evaluate.ts';
import { typeOfExpression } from './expression.ts';
import { fromSchema, isSameType, toSchema, typeOfJson } from './schema.ts';
import { fits } from './testing/fits.ts';
import { randomExpression, randomValue } from './testing/random.ts';
import { type Type, union, UNKNOWN } from './type.ts';
import type { Fault } from './walk.ts';
import { shortType } from './words.ts';
import { fc, propertyRuns } from '../../tests/support/property.ts';

function judge(source: string, input: Type): { type: Type; faults: Fault[] } {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw new Error(`${source}: ${parsed.error.message}`);
  const faults: Fault[] = [];
  const scope = { root: (name: string) => (name === 'input' ? input : undefined), node: () => undefined };
  return { type: typeOfExpression(parsed.ast, scope, (fault) => faults.push(fault)), faults };
}

/** The result of an expression over a value, or that it fails. */
function valueOf(source: string, input: unknown): { value: unknown } | undefined {
  try {
    return { value: evaluate(source, input) };
  } catch {
    return undefined;
  }
}

/** A value and a type that it belongs to, as narrow as possible or wider. */
const typed = fc
  .tuple(randomValue, fc.array(randomValue, { maxLength: 2 }), fc.boolean())
  .map(([value, others, schema]) => {
    const type = [value, ...others].map(typeOfJson).reduce(union);
    return { value, type: schema ? fromSchema(toSchema(type)) : type };
  });

describe('for any expression and any value', () => {
  test('the result is of the type that was worked out, and what was sure to fail fails', () => {
    let evaluated = 0;
    let refused = 0;
    const law = fc.property(randomExpression('input'), typed, (source, { value, type }) => {
      const judged = judge(source, type);
      const result = valueOf(source, value);
      if (judged.faults.some((fault) => fault.certain)) {
        refused++;
        expect(result).toBeUndefined();
      }
      if (!result) return;
      evaluated++;
      expect([shortType(judged.type), fits(result.value, judged.type)]).toEqual([
        shortType(judged.type),
        true,
      ]);
    });
    fc.assert(law, { numRuns: 2000 });
    // The property would also hold if no type were ever computed.
    expect(evaluated).toBeGreaterThan(propertyRuns(2000) / 10);
    expect(refused).toBeGreaterThan(propertyRuns(2000) / 10);
  });

  test('nothing is reported over a value of which nothing is known, but what fails anyway', () => {
    const law = fc.property(randomExpression('input'), randomValue, (source, value) => {
      const { faults } = judge(source, UNKNOWN);
      if (faults.some((fault) => fault.certain)) expect(valueOf(source, value)).toBeUndefined();
    });
    fc.assert(law, { numRuns: 800 });
  });
});

describe('a type', () => {
  test('holds the values of all the types that it is a union of', () => {
    const law = fc.property(randomValue, randomValue, (a, b) => {
      const both = union(typeOfJson(a), typeOfJson(b));
      expect(fits(a, both) && fits(b, both)).toBe(true);
    });
    fc.assert(law, { numRuns: 500 });
  });

  test('is the same after a way through JSON Schema, or wider', () => {
    const law = fc.property(typed, ({ value, type }) => {
      const back = fromSchema(JSON.parse(JSON.stringify(toSchema(type))));
      expect(fits(value, back)).toBe(true);
      expect(isSameType(fromSchema(toSchema(back)), back)).toBe(true);
    });
    fc.assert(law, { numRuns: 500 });
  });

  test('stays small however often values are put into one another', () => {
    let type = typeOfJson({ a: 1 });
    for (let i = 0; i < 200; i++) type = judge('{ a: input, b: input, c: [input] }', type).type;
    expect(type.depth).toBeLessThanOrEqual(12);
    expect(type.size).toBeLessThanOrEqual(400);
  });
});

test.each([
  ['{{ 1 }} as a number', '1 + 2', 'number'],
  ['a text', '"a" + 1', 'string'],
  ['an object', '{ name: string(input), age: length("x") }', '{name: string, age: integer}'],
  ['a list of objects', '[1, 2].map(n => ({ n: n * 2 }))', '{n: number}[]'],
  ['choices', 'input ? "yes" : "no"', '"yes" | "no"'],
  ['a value that may be missing', '[1].find(n => n > 1)', '1 | null'],
  ['a fold', '[1, 2].reduce((a, b) => a + b, 0)', 'number'],
  ['an unknown value', 'input.a', 'any'],
])('is written for people: %s', (_, source, words) => {
  expect(shortType(judge(source, UNKNOWN).type)).toBe(words);
});
