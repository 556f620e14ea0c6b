import {
  anything,
  graph,
  line,
  list,
  map,
  node,
  parse,
  person,
  record,
  request,
  string,
  type WrongFlow,
} from './build.ts';

const value = 'params.value';
const items = request({ items: list(record({ name: string, size: { type: 'number' } })) });
const list_ = map('{{ input.items }}');
const rename = (fields: object, missing = 'error') => node('data.rename', { fields, missing });
const sums = (by?: string) =>
  node('data.aggregate', {
    fields: [
      { name: 'total', as: 'sum', of: '{{ item.size }}' },
      { name: 'names', as: 'list', of: '{{ item.name }}' },
    ],
    ...(by !== undefined && { by }),
  });
const pipe = (mode: string, more: object = {}) => node('core.transform-stream', { mode, ...more });
const stream = node('core.streamify');
const collect = node('core.unstreamify');

type Case = readonly [string, WrongFlow['flow'], 'error' | 'warning', string | undefined, string];

/** Values of the wrong type from operators of data, text, streams and the outside. */
const cases: readonly Case[] = [
  [
    'a renamed field keeps its type',
    line({ t: person, a: rename({ age: 'years' }), b: map('{{ input.years.trim() }}') }),
    'error',
    'b',
    value,
  ],
  [
    'a list among the objects to merge',
    graph({ t: person, a: map({ x: 1 }), b: map([2]), m: node('data.merge') }, [
      't > a',
      't > b',
      'a > m',
      'b > m',
    ]),
    'warning',
    undefined,
    'edges[3].to',
  ],
  [
    'a sum that is used as text',
    line({ t: items, l: list_, a: sums(), b: map('{{ input.total.trim() }}') }),
    'error',
    'b',
    value,
  ],
  [
    'an aggregated list that is used as a number',
    line({ t: items, l: list_, a: sums(), b: map('{{ input.names * 2 }}') }),
    'error',
    'b',
    value,
  ],
  [
    'an item of a flattened list',
    line({ t: anything, a: map([[1], [2, 3]]), b: node('data.flatten'), c: map('{{ input[0].trim() }}') }),
    'error',
    'c',
    value,
  ],
  [
    'whether a pattern is there, as text',
    line({
      t: person,
      n: map('{{ input.name }}'),
      a: node('text.regex', { mode: 'test', pattern: 'a' }),
      b: map('{{ input.trim() }}'),
    }),
    'error',
    'b',
    value,
  ],
  [
    'parts that are no numbers',
    line({
      t: person,
      n: map('{{ input.name }}'),
      a: node('text.regex', { mode: 'split', pattern: ',' }),
      b: map('{{ input[0] * 2 }}'),
    }),
    'error',
    'b',
    value,
  ],
  [
    'a number that was converted, as text',
    line({
      t: person,
      n: map('{{ input.name }}'),
      a: node('text.convert', { conversion: 'to-number' }),
      b: map('{{ input.trim() }}'),
    }),
    'error',
    'b',
    value,
  ],
  [
    'a number that was converted, where text is read',
    line({
      t: person,
      n: map('{{ input.name }}'),
      a: node('text.convert', { conversion: 'to-number' }),
      b: parse,
    }),
    'error',
    undefined,
    'edges[2].to',
  ],
  [
    'text that was converted, as a number',
    line({
      t: person,
      n: map('{{ input.name }}'),
      a: node('text.convert', { conversion: 'upper' }),
      b: map('{{ input * 2 }}'),
    }),
    'error',
    'b',
    value,
  ],
  [
    'a header as a number',
    graph(
      {
        t: anything,
        h: node('http.request', { url: 'https://example.com' }),
        b: map('{{ input["content-length"] * 2 }}'),
      },
      ['t > h', 'h.headers > b'],
    ),
    'error',
    'b',
    value,
  ],
  [
    'what a stream was mapped to',
    line({
      t: items,
      l: list_,
      s: stream,
      p: pipe('map', { value: '{{ item.size }}' }),
      m: map('{{ input.trim() }}'),
      c: collect,
    }),
    'warning',
    'm',
    value,
  ],
];

export const wrongOperatorValues: readonly WrongFlow[] = cases.map(([title, flow, severity, at, field]) => ({
  title,
  flow,
  severity,
  node: at,
  field,
  code: 'type-mismatch',
}));
