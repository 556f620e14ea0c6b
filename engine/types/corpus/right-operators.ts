import {
  anything,
  graph,
  line,
  list,
  map,
  node,
  person,
  record,
  request,
  string,
  type RightFlow,
} from './build.ts';

const items = request({ items: list(record({ name: string, size: { type: 'number' } })) });
const http = (response: string) => node('http.request', { url: 'https://example.com', response });
const regex = (mode: string) => node('text.regex', { mode, pattern: '(a)' });
const name = map('{{ input.name }}');

/** Outputs of operators of data, text, streams and the outside, and valid reads of them. */
const cases: readonly (readonly [string, RightFlow['flow']])[] = [
  [
    'fields under their new names',
    line({
      t: person,
      a: node('data.rename', { fields: { name: 'nick' } }),
      b: map('{{ input.nick.trim() + input.age }}'),
    }),
  ],
  [
    'two fields that change places',
    line({
      t: person,
      a: node('data.rename', { fields: { name: 'age', age: 'name' } }),
      b: map('{{ input.age.trim() + input.name * 2 }}'),
    }),
  ],
  [
    'names that only a run knows',
    line({
      t: person,
      a: node('data.rename', { fields: { name: '{{ input.name }}' } }),
      b: map('{{ input.name }}'),
    }),
  ],
  [
    'an undeclared field of what was renamed',
    line({ t: anything, a: node('data.rename', { fields: { a: 'b' } }), b: map('{{ input.b + input.c }}') }),
  ],
  [
    'fields of several objects',
    graph(
      {
        t: person,
        a: map({ x: 1 }),
        b: map({ x: 'a', y: 2 }),
        m: node('data.merge'),
        c: map('{{ [input.x, input.y * 2] }}'),
      },
      ['t > a', 't > b', 'a > m', 'b > m', 'm > c'],
    ),
  ],
  [
    'null among the objects to merge',
    graph({ t: person, a: map({ x: 1 }), b: map(null), m: node('data.merge'), c: map('{{ input.x + 1 }}') }, [
      't > a',
      't > b',
      'a > m',
      'b > m',
      'm > c',
    ]),
  ],
  [
    'aggregated figures',
    line({
      t: items,
      l: map('{{ input.items }}'),
      a: node('data.aggregate', {
        fields: [
          { name: 'n', as: 'count' },
          { name: 'first', as: 'first' },
          { name: 'best', as: 'max', of: '{{ item.size }}' },
        ],
      }),
      b: map('{{ input.n + (input.best ?? 0) + input.first.size }}'),
    }),
  ],
  [
    'aggregated groups',
    line({
      t: items,
      l: map('{{ input.items }}'),
      a: node('data.aggregate', { by: '{{ item.name }}', fields: [{ name: 'n', as: 'count' }] }),
      b: map('{{ input.map(g => `${g.key}: ${g.n}`) }}'),
    }),
  ],
  [
    'aggregated by a name that only a run knows',
    line({
      t: items,
      l: map('{{ input.items }}'),
      a: node('data.aggregate', { fields: [{ name: '{{ string(input.length) }}', as: 'count' }] }),
      b: map('{{ input.any }}'),
    }),
  ],
  [
    'a flattened list of lists and others',
    line({
      t: anything,
      a: map([[1], 'x']),
      b: node('data.flatten'),
      c: map('{{ input.map(x => string(x).trim()) }}'),
    }),
  ],
  [
    'a match',
    line({
      t: person,
      n: name,
      a: regex('match'),
      b: map('{{ input?.named.unit ?? input?.groups[0] ?? "" }}'),
    }),
  ],
  [
    'all matches',
    line({
      t: person,
      n: name,
      a: regex('all'),
      b: map('{{ input.map(m => m.text.trim() + m.index * 2) }}'),
    }),
  ],
  [
    'a mode that only a run knows',
    line({ t: person, n: name, a: regex('{{ input }}'), b: map('{{ input.text }}') }),
  ],
  [
    'a number from a text',
    line({
      t: person,
      n: name,
      a: node('text.convert', { conversion: 'to-number' }),
      b: map('{{ input.toFixed(2) }}'),
    }),
  ],
  [
    'a body of any kind',
    graph({ t: anything, h: http('auto'), b: map('{{ input.items[0].name.trim() }}') }, [
      't > h',
      'h.body > b',
    ]),
  ],
  [
    'a JSON body',
    graph({ t: anything, h: http('json'), b: map('{{ input * 2 }}') }, ['t > h', 'h.body > b']),
  ],
  [
    'a text body',
    graph({ t: anything, h: http('text'), b: map('{{ input.trim() }}') }, ['t > h', 'h.body > b']),
  ],
  [
    'status and headers',
    graph(
      {
        t: anything,
        h: http('json'),
        b: map('{{ input * 2 }}'),
        c: map('{{ input.etag.trim() }}'),
        j: node('core.join', { inputs: [{ name: 'a' }, { name: 'b' }] }),
      },
      ['t > h', 'h.status > b', 'h.headers > c', 'b > j.a', 'c > j.b'],
    ),
  ],
  [
    'what code gives, whatever it is',
    line({
      t: person,
      a: node('code.run', { source: 'return 1' }),
      b: map('{{ input.x.trim() + input[0] * 2 }}'),
    }),
  ],
  [
    'what code yields, whatever it is',
    line({
      t: person,
      a: node('code.stream', { source: 'yield 1' }),
      b: map('{{ input.x.trim() + input[0] * 2 }}'),
      c: node('core.unstreamify'),
    }),
  ],
  [
    'what a called flow gives, where that is not known',
    line({
      t: person,
      a: node('flow.call', { flow: 'other' }),
      b: map('{{ input.x.trim() + input[0] * 2 }}'),
    }),
  ],
  [
    'what is told of each item',
    line({
      t: items,
      a: node('data.for-each', {
        flow: 'x',
        items: '{{ input.items }}',
        onItemError: 'collect',
        result: 'pairs',
      }),
      b: map('{{ input.map(p => p.output.ok ? p.input.name.trim() : p.output.error.code) }}'),
    }),
  ],
  [
    'server-sent events',
    line({
      t: anything,
      l: map(['a']),
      s: node('core.streamify'),
      p: node('core.transform-stream', { mode: 'sse' }),
      m: map('{{ input.event + (input.id ?? "") + input.data.trim() }}'),
      c: node('core.unstreamify'),
    }),
  ],
  [
    'items that stay',
    line({
      t: items,
      l: map('{{ input.items }}'),
      s: node('core.streamify'),
      p: node('core.transform-stream', { mode: 'filter', keep: '{{ item.size > 3 }}' }),
      m: map('{{ input.name.trim() }}'),
      c: node('core.unstreamify'),
    }),
  ],
];

export const rightOperators: readonly RightFlow[] = cases.map(([title, flow]) => ({ title, flow }));
