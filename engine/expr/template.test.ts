import { describe, expect, test } from 'vitest';
import { compileTemplate, hasTemplate, parseTemplate } from './index.ts';
import { env, render, thrown } from './testing/evaluate.ts';
import { fc } from '../../tests/support/property.ts';

const input = { name: 'Ann', age: 18, ratio: 0.5, none: null, tags: ['a', 'b'], o: { k: 1 }, yes: true };

describe('a template gives text', () => {
  test.each<[string, unknown]>([
    ['plain', 'plain'],
    ['', ''],
    ['Hello, {{ input.name }}, your age is {{ input.age }}', 'Hello, Ann, your age is 18'],
    ['{{input.name}}{{input.age}}', 'Ann18'],
    ['{{ input.ratio }} {{ input.yes }}', '0.5 true'],
    ['<{{ input.none }}{{ input?.missing }}>', '<>'],
    ['{{ input.tags }} {{ input.o }}', '["a","b"] {"k":1}'],
    ['a{{ 1 }}b{{ 2 }}c{{ 3 }}d', 'a1b2c3d'],
    ['a{{ input.age }}b{{ 2 }}c{{ 3 }}d{{ 4 }}e', 'a18b2c3d4e'],
    ['{{ input.age }}{{ 2 }}{{ 3 }}{{ 4 }}{{ 5 }}f', '182345f'],
    ['a {{ "}}" }} b', 'a }} b'],
    ["a {{ '{{' + '}}' }} b", 'a {{}} b'],
    ['a {{ `}}${ "}}" }` }} b', 'a }}}} b'],
    ['a {{ {a: {b: 1}} }} b', 'a {"a":{"b":1}} b'],
    ['a {{{a:{b:1}}}} b', 'a {"a":{"b":1}} b'],
    ['a {{ [1].map(x => ({ x: { y: x } }))[0].x.y }} b', 'a 1 b'],
    ['\\{{ input.name }}', '{{ input.name }}'],
    ['\\{{{{ input.name }}}}', '{{Ann}}'],
    ['a }} b { c', 'a }} b { c'],
    ['a \\ b {{ 1 }}', 'a \\ b 1'],
    ['{{\n  input.name\n}}!', 'Ann!'],
  ])('%j', (text, value) => {
    expect(render(text, input)).toBe(value);
  });

  test.each<[string, unknown]>([
    ['{{ input.age }}', 18],
    [' {{ input.o }}\n', { k: 1 }],
    ['{{ input.none }}', null],
    ['{{ input?.missing }}', null],
    ['{{ 1 / 0 }}', Infinity],
    ['{{ "a" }}', 'a'],
  ])('%j is a whole one and keeps its type', (text, value) => {
    expect(render(text, input)).toEqual(value);
  });

  test('a number without end is no text', () => {
    expect(thrown(() => render('a {{ 1 / 0 }}'))).toMatchObject({ code: 'bad_number' });
  });

  test('hasTemplate looks for the opening', () => {
    expect(['a', '{ {', '{{', '\\{{'].map(hasTemplate)).toEqual([false, false, true, true]);
  });
});

describe('problems', () => {
  test('all are found, with offsets into the whole text', () => {
    const text = 'a {{ x y }} {{ "ok" }} {{ 1 + }} {{ input. }} }} {{ }} {{ 1';
    const result = parseTemplate(text);
    if (result.ok) throw new Error('problems were expected');
    expect(result.errors.map(({ offset, message }) => [offset, message])).toEqual([
      [7, 'Expected an operator or `}}`, but found `y`.'],
      [30, 'Expected a value, but found `}`.'],
      [43, 'Expected a field name after the dot, but found `}`.'],
      [49, 'There is no expression between `{{` and `}}`.'],
      [55, 'This `{{` has no `}}`.'],
    ]);
  });

  test('one closing brace does not do', () => {
    expect(parseTemplate('a {{ 1 } }')).toMatchObject({ ok: false, errors: [{ offset: 7 }] });
    expect(parseTemplate('a {{')).toMatchObject({ ok: false, errors: [{ offset: 2 }] });
    expect(parseTemplate('{{ "a }}')).toMatchObject({ ok: false, errors: [{ offset: 3 }] });
  });

  test('names are reported with offsets into the whole text', () => {
    const parsed = parseTemplate('Hello {{ nobody }} and {{ input.a + nothing() }}');
    if (!parsed.ok) throw parsed.errors[0];
    const compiled = compileTemplate(parsed.template, env);
    if (compiled.ok) throw new Error('problems were expected');
    expect(compiled.errors.map(({ offset }) => offset)).toEqual([9, 36]);
  });
});

test('parts know their source and place', () => {
  const text = 'a {{  input.name  }} b';
  const parsed = parseTemplate(text);
  if (!parsed.ok) throw parsed.errors[0];
  expect(parsed.template).toMatchObject({
    source: text,
    whole: false,
    parts: ['a ', { source: 'input.name', offset: 6, ast: { start: 0, end: 10 } }, ' b'],
  });
});

test('a template that reads nothing is constant', () => {
  const constantOf = (text: string) => {
    const parsed = parseTemplate(text);
    if (!parsed.ok) throw parsed.errors[0];
    const compiled = compileTemplate(parsed.template, env);
    return compiled.ok && compiled.constant;
  };
  expect(['plain', 'a {{ 1 + 1 }}', '{{ [1] }}'].every(constantOf)).toBe(true);
  expect(['{{ input }}', 'a {{ 1 }}{{ input.x }}'].some(constantOf)).toBe(false);
});

test('for any input, parsing does not throw and offsets are within the text', () => {
  const piece = fc.constantFrom(
    '{{',
    '}}',
    '{',
    '}',
    '\\',
    '"',
    '`',
    "'",
    'input.a',
    ' ',
    '${',
    '1',
    '+',
    ':',
    '😀',
    '\n',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece).map((list) => list.join('')),
  );
  fc.assert(
    fc.property(text, (source) => {
      const result = parseTemplate(source);
      if (result.ok) return true;
      return result.errors.every(({ offset }) => offset >= 0 && offset <= source.length);
    }),
    { numRuns: 1500 },
  );
});
