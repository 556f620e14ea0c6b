import {
  anything,
  graph,
  line,
  list,
  map,
  node,
  order,
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

/** Reads of fields that the outputs of operators of data, text, streams and the outside lack. */
const cases: readonly Case[] = [
  [
    'the old name of a field',
    line({ t: person, a: rename({ name: 'nick' }), b: map('{{ input.name }}') }),
    'error',
    'b',
    value,
  ],
  [
    'the old name of a field of what may have others',
    line({ t: anything, a: rename({ usr_nm: 'name' }), b: map('{{ input.usr_nm }}') }),
    'error',
    'b',
    value,
  ],
  [
    'a field of none of several objects',
    graph({ t: person, a: map({ x: 1 }), b: map({ y: 2 }), m: node('data.merge'), c: map('{{ input.z }}') }, [
      't > a',
      't > b',
      'a > m',
      'b > m',
      'm > c',
    ]),
    'error',
    'c',
    value,
  ],
  [
    'a field that was not aggregated',
    line({ t: items, l: list_, a: sums(), b: map('{{ input.sum }}') }),
    'error',
    'b',
    value,
  ],
  [
    'a field that the items of an aggregated stream lack',
    line({
      t: items,
      l: list_,
      s: stream,
      a: node('data.aggregate-stream', { fields: [{ name: 'total', as: 'sum', of: '{{ item.sizes }}' }] }),
    }),
    'warning',
    'a',
    'params.fields[0].of',
  ],
  [
    'a group that was not aggregated',
    line({ t: items, l: list_, a: sums('{{ item.name }}'), b: map('{{ input[0].sum }}') }),
    'error',
    'b',
    value,
  ],
  [
    'groups as if they were one',
    line({ t: items, l: list_, a: sums('{{ item.name }}'), b: map('{{ input.total }}') }),
    'error',
    'b',
    value,
  ],
  [
    'an item of each group',
    line({
      t: order,
      a: map('{{ input.items }}'),
      b: node('data.group', { by: '{{ item.sku }}' }),
      c: map('{{ input[0].items[0].name }}'),
    }),
    'warning',
    'c',
    value,
  ],
  [
    'an item of a list that is looped over',
    line({
      t: items,
      a: node('data.for-each', { flow: 'x', items: '{{ input.items }}', input: '{{ item.nmae }}' }),
    }),
    'warning',
    'a',
    'params.input',
  ],
  [
    'a match that has no such field',
    line({
      t: person,
      n: map('{{ input.name }}'),
      a: node('text.regex', { pattern: 'a' }),
      b: map('{{ input.start }}'),
    }),
    'error',
    'b',
    value,
  ],
  [
    'all matches as if they were one',
    line({
      t: person,
      n: map('{{ input.name }}'),
      a: node('text.regex', { mode: 'all', pattern: 'a' }),
      b: map('{{ input.text }}'),
    }),
    'error',
    'b',
    value,
  ],
  [
    'a text answer as an object',
    graph(
      {
        t: anything,
        h: node('http.request', { url: 'https://example.com', response: 'text' }),
        b: map('{{ input.items }}'),
      },
      ['t > h', 'h.body > b'],
    ),
    'error',
    'b',
    value,
  ],
  [
    'a status as an object',
    graph(
      { t: anything, h: node('http.request', { url: 'https://example.com' }), b: map('{{ input.code }}') },
      ['t > h', 'h.status > b'],
    ),
    'error',
    'b',
    value,
  ],
  [
    'lines as objects',
    line({ t: anything, l: map(['a']), s: stream, p: pipe('lines'), m: map('{{ input.text }}'), c: collect }),
    'warning',
    'm',
    value,
  ],
  [
    'a field that server-sent events lack',
    line({ t: anything, l: map(['a']), s: stream, p: pipe('sse'), m: map('{{ input.text }}'), c: collect }),
    'warning',
    'm',
    value,
  ],
  [
    'lists of items as items',
    line({ t: items, l: list_, s: stream, p: pipe('window'), m: map('{{ input.size }}'), c: collect }),
    'warning',
    'm',
    value,
  ],
];

export const wrongOperatorReads: readonly WrongFlow[] = cases.map(([title, flow, severity, at, field]) => ({
  title,
  flow,
  severity,
  node: at,
  field,
  code: 'missing-field',
}));
