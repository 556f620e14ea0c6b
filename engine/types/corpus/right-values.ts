import {
  anything,
  line,
  loose,
  map,
  order,
  person,
  pick,
  request,
  set,
  string,
  template,
  type RightFlow,
} from './build.ts';

const open = request({ name: string }, { additionalProperties: true });

/** What expressions may do with values. */
const cases: readonly (readonly [string, RightFlow['flow']])[] = [
  [
    'a template over the request',
    line({ t: person, a: template('Hello, {{ input.name }}, {{ input.age }}') }),
  ],
  ['a field of an object', line({ t: order, a: map('{{ input.customer.name.trim() }}') })],
  ['items of a list', line({ t: order, a: map('{{ input.items.map(i => i.price * 2) }}') })],
  ['a sum over items', line({ t: order, a: map('{{ sum(input.items.map(i => i.price)).toFixed(2) }}') })],
  [
    'a filter, then a field',
    line({ t: order, a: map('{{ input.items.filter(i => i.price > 3).map(i => i.sku.trim()) }}') }),
  ],
  [
    'a found item, where there is one',
    line({ t: order, a: map('{{ input.items.find(i => i.price > 3).sku }}') }),
  ],
  [
    'a found item, allowed to be missing',
    line({ t: order, a: map('{{ input.items.find(i => i.price > 3)?.sku ?? "none" }}') }),
  ],
  ['a field of what is not known', line({ t: anything, a: map('{{ input.whatever.deep[3].x.trim() }}') })],
  ['a sum of what is not known', line({ t: anything, a: map('{{ input.a + input.b - input.c * 2 }}') })],
  ['an undeclared field of an open request', line({ t: open, a: map('{{ input.city }}') })],
  [
    'an undeclared field that may be missing',
    line({ t: request({ name: string }), a: map('{{ input.city ?? "none" }}') }),
  ],
  ['a field that may be missing', line({ t: loose, a: map('{{ input?.name?.trim() }}') })],
  ['a number or null', line({ t: loose, a: map('{{ (input.age ?? 0) + 1 }}') })],
  [
    'a question whether a field is there',
    line({ t: request({ name: string }), a: map('{{ has(input, "city") ? input.city : "none" }}') }),
  ],
  ['a comparison with null', line({ t: person, a: map('{{ input.name == null }}') })],
  [
    'a comparison with a choice',
    line({ t: request({ color: { enum: ['red', 'green'] } }), a: map('{{ input.color == "red" }}') }),
  ],
  ['a comparison of a number and an integer', line({ t: person, a: map('{{ input.age == 1.0 }}') })],
  ['an order of texts', line({ t: person, a: map('{{ input.name < "m" }}') })],
  ['text and a number together', line({ t: person, a: map('{{ "age " + input.age }}') })],
  ['a length', line({ t: person, a: map('{{ input.name.length + input.tags.length }}') })],
  ['a character by its place', line({ t: person, a: map('{{ input.name[0] }}') })],
  ['an element by its place', line({ t: person, a: map('{{ input.tags[0].trim() }}') })],
  ['an element of an empty list', line({ t: anything, a: map([]), b: map('{{ input[0] }}') })],
  ['a key that is computed', line({ t: person, a: map('{{ { a: 1, b: 2 }[input.name] }}') })],
  [
    'an object made by a map',
    line({
      t: anything,
      a: map({ n: '{{ input.x }}', s: 'text' }),
      b: map('{{ input.n + input.s.trim() }}'),
    }),
  ],
  [
    'a constant list',
    line({ t: anything, a: map([{ a: 1 }, { a: 'x', b: 2 }]), b: map('{{ input.map(x => x.a) }}') }),
  ],
  [
    'a field that only some items have',
    line({ t: anything, a: map([{ a: 1 }, { b: 2 }]), b: map('{{ input.map(x => x.b ?? 0) }}') }),
  ],
  [
    'a field that set adds',
    line({ t: person, a: set({ total: '{{ input.age * 2 }}' }), b: map('{{ input.total - input.age }}') }),
  ],
  [
    'a field that set replaces by another type',
    line({ t: person, a: set({ age: '{{ string(input.age) }}' }), b: map('{{ input.age.trim() }}') }),
  ],
  ['fields set on null', line({ t: anything, a: map(null), b: set({ a: 1 }), c: map('{{ input.a + 1 }}') })],
  [
    'a picked field',
    line({ t: order, a: pick(['customer.name']), b: map('{{ input.customer.name.trim() }}') }),
  ],
  [
    'a picked field that may be missing',
    line({ t: loose, a: pick(['name'], 'null'), b: map('{{ input.name ?? "none" }}') }),
  ],
  [
    'a fold to a number',
    line({ t: order, a: map('{{ input.items.reduce((all, i) => all + i.price, 0) * 2 }}') }),
  ],
  [
    'a fold to an object',
    line({
      t: person,
      a: map('{{ input.tags.reduce((all, tag) => ({ ...all, last: tag }), { last: "" }) }}'),
      b: map('{{ input.last.trim() }}'),
    }),
  ],
  ['a fold of anything', line({ t: anything, a: map('{{ input.reduce((a, b) => a + b) }}') })],
  ['an opened list', line({ t: anything, a: map('{{ [[1], [2, 3]].flatMap(x => x).map(n => n * 2) }}') })],
  [
    'lists put together',
    line({ t: person, a: map('{{ input.tags.concat([1]).map(x => string(x).trim()) }}') }),
  ],
  [
    'the fields of an object',
    line({ t: anything, a: map({ a: 1, b: 2 }), b: map('{{ sum(values(input)) + keys(input).length }}') }),
  ],
  [
    'a spread',
    line({
      t: person,
      a: map('{{ { ...input, age: "old" } }}'),
      b: map('{{ input.age.trim() + input.name }}'),
    }),
  ],
  [
    'a spread of what may be null',
    line({
      t: loose,
      a: map('{{ { ...(input?.age == null ? null : input), x: 1 } }}'),
      b: map('{{ input.x + 1 }}'),
    }),
  ],
];

export const rightValues: readonly RightFlow[] = cases.map(([title, flow]) => ({ title, flow }));
