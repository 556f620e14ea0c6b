import {
  anything,
  graph,
  iff,
  line,
  map,
  node,
  parse,
  person,
  set,
  template,
  type WrongFlow,
} from './build.ts';

/** Edges whose values the input does not take. */
const cases: readonly (readonly [string, WrongFlow['flow'], 'error' | 'warning', string])[] = [
  ['an object where JSON text is read', line({ t: person, a: parse }), 'error', 'edges[0].to'],
  [
    'a number where JSON text is read',
    line({ t: anything, a: map('{{ 1 + 1 }}'), b: parse }),
    'error',
    'edges[1].to',
  ],
  ['a list where JSON text is read', line({ t: anything, a: map([1]), b: parse }), 'error', 'edges[1].to'],
  [
    'an object where a list is sent on',
    line({ t: person, a: node('core.streamify'), b: node('core.unstreamify') }),
    'error',
    'edges[0].to',
  ],
  [
    'text where a list is sent on',
    line({ t: anything, a: template('x'), b: node('core.streamify'), c: node('core.unstreamify') }),
    'error',
    'edges[1].to',
  ],
  [
    'text where fields are picked',
    line({ t: anything, a: template('{"a":1}'), b: node('data.pick', { fields: ['a'] }) }),
    'error',
    'edges[1].to',
  ],
  [
    'a list where fields are set',
    line({ t: anything, a: map([1]), b: set({ a: 1 }) }),
    'error',
    'edges[1].to',
  ],
  [
    'what an if sends on',
    graph({ t: person, i: iff('{{ input.adult }}'), a: parse }, ['t > i', 'i.else > a']),
    'error',
    'edges[1].to',
  ],
  [
    'what both branches send on',
    graph(
      { t: person, i: iff('{{ input.adult }}'), a: map(1), b: map(true), m: node('core.merge'), c: parse },
      ['t > i', 'i.then > a', 'i.else > b', 'a > m', 'b > m', 'm > c'],
    ),
    'error',
    'edges[5].to',
  ],
  [
    'what was collected',
    line({ t: anything, l: map([1]), s: node('core.streamify'), c: node('core.unstreamify'), p: parse }),
    'error',
    'edges[3].to',
  ],
  [
    'the items of a stream',
    line({ t: anything, l: map([1]), s: node('core.streamify'), p: parse, c: node('core.unstreamify') }),
    'warning',
    'edges[2].to',
  ],
  [
    'one whose node goes on after errors',
    line({ t: person, a: { ...parse, onError: 'continue', fallback: { out: null } } }),
    'warning',
    'edges[0].to',
  ],
];

export const wrongEdges: readonly WrongFlow[] = cases.map(([title, flow, severity, field]) => ({
  title,
  flow,
  severity,
  node: undefined,
  field,
  code: 'type-mismatch',
}));
