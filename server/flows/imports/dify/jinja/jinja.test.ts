import { describe, expect, test } from 'vitest';
import map from '../../../../../engine/operators/core/map.ts';
import { runOperator } from '../../../../../engine/testing/call.ts';
import { templateOf, type Value } from '../write.ts';
import { AS_JSON, translateJinja } from './translate.ts';

const values = {
  name: 'Ada',
  empty: '',
  n: 3,
  list: ['b', 'a'],
  people: [
    { name: 'Ada', tags: ['x', 'y'] },
    { name: 'Lin', tags: [] },
  ],
  prices: { tea: 2, cake: 3 },
  none: null,
  sign: 'C:\\',
};
const variables = new Map<string, Value>(
  Object.keys(values).map((name) => [name, { expr: `input.${name}` }]),
);

async function render(template: string): Promise<unknown> {
  const { pieces } = translateJinja(template, variables);
  const params = { value: `${templateOf(pieces)}` };
  const { out } = await runOperator('core.map', map as never, { params, inputs: { in: values } });
  return out;
}

/** What Jinja 3.1 gives for these templates with these values. */
test.each<[string, unknown]>([
  ['Hello {{ name }}!', 'Hello Ada!'],
  ['Hello {{ nobody }}!', 'Hello !'],
  ['{{ people[0].name }}-{{ people[1]["name"] }}-{{ list[-1] }}!', 'Ada-Lin-a!'],
  ['{{ name | upper }} {{ name|lower|capitalize }} {{ "  x " | trim }}.', 'ADA Ada x.'],
  ['{{ list | join(", ") }}{{ list | join }}.', 'b, aba.'],
  ['{{ people | map(attribute="name") | join("+") }}.', 'Ada+Lin.'],
  ['{{ people | join("/", attribute="name") }}.', 'Ada/Lin.'],
  ['{{ list | length }}{{ name|length }}{{ list|first }}{{ list|last }}.', '23ba.'],
  ['{{ nobody | default("x") }}{{ empty | default("y") }}{{ empty | default("z", true) }}.', 'xz.'],
  ['{% if list %}yes{% else %}no{% endif %}{% if empty %}yes{% else %}no{% endif %}.', 'yesno.'],
  ['{% if n > 2 and name == "Ada" %}a{% elif n %}b{% endif %}{% if not none %}c{% endif %}.', 'ac.'],
  [
    '{% if "a" in list %}1{% endif %}{% if "z" not in list %}2{% endif %}{% if "d" in name %}3{% endif %}{% if "tea" in prices %}4{% endif %}.',
    '1234.',
  ],
  [
    '{% for p in people %}{{ loop.index }}.{{ p.name }}{% if not loop.last %}, {% endif %}{% endfor %}.',
    '1.Ada, 2.Lin.',
  ],
  ['{% for x in nobody %}x{% else %}none{% endfor %}.', 'none.'],
  ['{% for p in people if p.tags %}{{ p.name }}{{ loop.length }}{% endfor %}.', 'Ada1.'],
  ['{% for k, v in prices.items() %}{{ k }}={{ v }};{% endfor %}.', 'tea=2;cake=3;.'],
  ['{% for p in people %}{% for t in p.tags %}{{ p.name }}{{ t }} {% endfor %}{% endfor %}.', 'Adax Aday .'],
  ['{% for i in range(3) %}{{ i }}{% endfor %}{% for i in range(2, 4) %}{{ i }}{% endfor %}.', '01223.'],
  ['{% set total = n * 2 + 1 %}{{ total }}{{ total % 4 }}{{ -7 % 3 }}{{ 7 // 2 }}{{ 2 ** 3 }}.', '73238.'],
  ['{{ name ~ "-" ~ n }} {{ "a" if n == 3 else "b" }}{{ "c" if n == 4 }}.', 'Ada-3 a.'],
  [
    '{{ name.replace("A", "E") }} {{ "a,b".split(",")[1] }} {{ prices.get("tea") }}{{ prices.get("x", 9) }}.',
    'Eda b 29.',
  ],
  ['{{ "150" | float }} {{ "1.5"|float }} {{ "12"|int + 1 }} {{ "x"|int }}.', '150.0 1.5 13 0.'],
  [
    '{{ n is defined }}'.replace('{{', '{% if').replace('}}', '%}') +
      'd{% endif %}{% if nobody is not defined %}u{% endif %}{% if none is none %}n{% endif %}{% if n is odd %}o{% endif %}{% if n is divisibleby 3 %}3{% endif %}.',
    'duno3.',
  ],
  ['a {%- if n %} b {%- endif %} c {{- name -}}  d', 'a b cAdad'],
  ['{# a comment {{ name }} #}x{% raw %}{{ name }}{% endraw %}', 'x{{ name }}'],
  ['line\r\nnext\n', 'line\nnext'],
  ['{{ "it\'s \\"so\\"\\n" }}|', 'it\'s "so"\n|'],
  ['{ {{ name }} } \\{{ n }} {{ sign }}{{ "{{" }}{', '{ Ada } \\3 C:\\{{{'],
  ['{{ list[1:] | join }}{{ name[:2] }}{{ name[1] }}.', 'aAdd.'],
  ['{{ ["x", name] | join("") }}{{ {"a": n}.a }}.', 'xAda3.'],
])('%j', async (template, text) => {
  expect(await render(template)).toBe(text);
});

test('lists and objects that are printed are told', () => {
  expect(
    translateJinja('{{ list }}', new Map([['list', { expr: 'input', kind: 'list' as const }]])).note,
  ).toBe(AS_JSON);
  expect(
    translateJinja('{{ list }}', new Map([['list', { expr: 'input', kind: 'text' as const }]])).note,
  ).toBeUndefined();
});

describe('what is not translated says why', () => {
  test.each([
    ['{% macro a() %}{% endmacro %}', 'the tag macro'],
    ['{% include "x" %}', 'the tag include'],
    ['{{ name | pprint }}', 'the filter pprint'],
    ['{{ cycler("a") }}', 'the function cycler'],
    ['{{ name.__class__.__mro__() }}', 'the method __mro__'],
    ['{{ 4 / 2 }}', 'a division'],
    ['{% if n %}{% set x = 1 %}{% endif %}', 'a variable that is set in an `if`'],
    ['{% for x in list %}', 'a tag has no end'],
    ['{{ name', 'no end'],
    ['{{ a b }}', 'not understood'],
    ['{{ 1 < 2 < 3 }}', 'a chain'],
    ['{# open', 'a comment has no end'],
    [`{{ ${'('.repeat(100)}1${')'.repeat(100)} }}`, 'nested too deep'],
    [`{% set a = name %}${'{% set a = a ~ a %}'.repeat(40)}{{ a }}`, 'too long'],
    ['{% endif %}', 'the tag endif'],
    ['{{ "\\x41" }}', 'the escape'],
  ])('%j', (template, why) => {
    expect(() => translateJinja(template, variables)).toThrow(why);
  });
});

test('hostile names read nothing but fields of values', async () => {
  for (const template of [
    '{{ name.constructor }}',
    '{{ prices.__proto__ }}',
    '{{ ""["constructor"] }}',
    '{{ constructor }}',
    '{{ __proto__ }}',
    '{{ run }}{{ nodes }}{{ vars }}',
  ]) {
    const got = await render(`${template}.`).catch((error: { code: string }) => error.code);
    expect([
      '.',
      'forbidden_field',
      'missing_field',
      'bad_expression',
      'expression_forbidden',
      'flow_invalid',
    ]).toContain(got);
  }
});
