import { expect, test } from 'vitest';
import { fc } from '../../../tests/support/property.ts';
import { asExpression, asFixed } from './convert.ts';
import { previewOf } from './expression-preview.ts';
import type { ExpressionScope } from './expression-scope.ts';

const scope: ExpressionScope = new Map([
  ['input', { value: { x: 5, nothing: null, text: '`${{"\'\\', list: [1, { a: '{{' }] } }],
]);

const forbidden = ['__proto__', 'constructor', 'prototype'];
/** Texts with the signs that mean something to a template, a text in backticks, or a text in quotes. */
const sign = fc.constantFrom(
  '{',
  '{{',
  '}',
  '}}',
  '\\',
  '`',
  '$',
  '${',
  '"',
  "'",
  '\n',
  '\u2028',
  '\ud800',
  'a',
  ' ',
);
const text = fc.oneof(
  fc.string(),
  fc.array(sign, { maxLength: 8 }).map((signs) => signs.join('')),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
  fc.integer(),
  fc.constantFrom(1e20, 12345678901234568, 2 ** 53, -1e21, 5e-324),
);
const key = text.filter((one) => !forbidden.includes(one));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const json = (one: unknown): string => JSON.stringify(one);

test('a fixed value becomes an expression that gives it, and that expression the same fixed value', () => {
  fc.assert(
    fc.property(value, (given) => {
      const fixed = asFixed(given);
      const expression = asExpression(fixed);
      expect(expression).toMatch(/^\{\{ [^]* \}\}$/);
      const preview = previewOf(expression as string, new Map());
      expect(preview.kind === 'value' && json(preview.value)).toBe(json(given));
      expect(json(asFixed(preview.kind === 'value' && preview.value))).toBe(json(fixed));
    }),
    { numRuns: 300 },
  );
});

const hole = fc
  .constantFrom(
    'input.x',
    'input.nothing',
    'input.text',
    'input.list',
    '"}}"',
    '{ a: 1 }',
    '`b${input.x}`',
    '1 + 2',
  )
  .map((source) => `{{ ${source} }}`);

test('a text with expressions in it becomes an expression that gives the same text', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(hole, text.map(asFixed)), { maxLength: 5 }), (parts) => {
      // A sign at the end of one part and the start of the next may together be a brace of a template.
      const template = parts.join(' ');
      const before = previewOf(template, scope);
      if (before.kind !== 'value') return;
      const preview = previewOf(asExpression(template) as string, scope);
      expect(preview.kind === 'value' && json(preview.value)).toBe(json(before.value));
    }),
    { numRuns: 300 },
  );
});

test('expressions inside of objects and lists stay expressions', () => {
  const expression = asExpression({ a: '{{ input.x + 1 }}', b: ['{{ input.list[1] }}', 'n {{ input.x }}'] });
  expect(previewOf(expression as string, scope)).toEqual({
    kind: 'value',
    value: { a: 6, b: [{ a: '{{' }, 'n 5'] },
  });
});

test('what the language cannot write is no expression', () => {
  expect(asExpression({ constructor: 1 })).toBeUndefined();
  expect(asExpression(Number.NaN)).toBeUndefined();
  expect(asExpression('{{ input. }}')).toBeUndefined();
});
