import {
  anything,
  graph,
  iff,
  integer,
  branches,
  join,
  line,
  map,
  merge,
  node,
  order,
  parse,
  person,
  pick,
  request,
  string,
  template,
  type RightFlow,
} from './build.ts';

/** How values of several nodes may be combined. */
const cases: readonly (readonly [string, RightFlow['flow']])[] = [
  [
    'what a join puts together',
    graph({ t: person, a: map(1), j: join(['x', 'y']), b: map('{{ input.x.name.trim() + input.y }}') }, [
      't > a',
      't > j.x',
      'a > j.y',
      'j > b',
    ]),
  ],
  [
    'a join with an input that may be skipped',
    graph(
      {
        t: person,
        i: iff('{{ input.adult }}'),
        j: join(['x', 'y?'], '{{ inputs.x.age + (inputs.y?.age ?? 0) }}'),
      },
      ['t > i', 't > j.x', 'i.then > j.y'],
    ),
  ],
  [
    'what an if sends on',
    graph({ t: person, i: iff('{{ input.age >= 18 }}'), a: map('{{ input.name.trim() }}') }, [
      't > i',
      'i.then > a',
    ]),
  ],
  [
    'a field of one branch',
    graph(
      {
        t: person,
        i: iff('{{ input.adult }}'),
        a: map({ x: 1 }),
        b: map({ y: 1 }),
        m: merge,
        c: map('{{ input.x ?? input.y }}'),
      },
      branches,
    ),
  ],
  [
    'a field of one branch, read without a word',
    graph(
      {
        t: person,
        i: iff('{{ input.adult }}'),
        a: map({ x: 1 }),
        b: map({ y: 1 }),
        m: merge,
        c: map('{{ input.x }}'),
      },
      branches,
    ),
  ],
  [
    'text or a number',
    graph(
      {
        t: person,
        i: iff('{{ input.adult }}'),
        a: map('{{ input.name }}'),
        b: map('{{ input.age }}'),
        m: merge,
        c: map('{{ string(input).trim() }}'),
      },
      branches,
    ),
  ],
  [
    'text or a number where text is needed',
    graph(
      {
        t: person,
        i: iff('{{ input.adult }}'),
        a: map('{{ input.name }}'),
        b: map('{{ input.age }}'),
        m: merge,
        c: parse,
      },
      branches,
    ),
  ],
  [
    'an object or null where an object is needed',
    graph(
      {
        t: person,
        i: iff('{{ input.adult }}'),
        a: map('{{ input }}'),
        b: map(null),
        m: merge,
        c: pick(['name']),
      },
      branches,
    ),
  ],
  [
    'a switch over the request',
    graph(
      {
        t: person,
        s: node('logic.switch', { cases: [{ name: 'old', when: '{{ input.age > 60 }}' }] }),
        a: map('{{ input.tags.join(", ") }}'),
      },
      ['t > s', 's.old > a'],
    ),
  ],
  [
    'text where JSON text is read',
    line({ t: person, a: map('{{ input.name }}'), b: parse, c: map('{{ input.anything }}') }),
  ],
  ['a template where JSON text is read', line({ t: person, a: template('{"n":{{ input.age }}}'), b: parse })],
  [
    'JSON there and back',
    line({ t: person, a: node('text.format-json'), b: parse, c: map('{{ input.x }}') }),
  ],
  [
    'a list sent on as a stream',
    line({
      t: order,
      l: map('{{ input.items }}'),
      s: node('core.streamify'),
      a: map('{{ input.price * 2 }}'),
      c: node('core.unstreamify'),
      b: map('{{ input.map(n => n - 1) }}'),
    }),
  ],
  [
    'the item and its place in a stream',
    line({
      t: person,
      l: map('{{ input.tags }}'),
      s: node('core.streamify'),
      a: map('{{ item.trim() + index * 2 }}'),
      c: node('core.unstreamify'),
    }),
  ],
  [
    'several texts joined',
    graph(
      {
        t: person,
        a: template('a'),
        b: template('b'),
        j: node('text.join', { separator: ' ' }),
        c: map('{{ input.trim() }}'),
      },
      ['t > a', 't > b', 'a > j', 'b > j', 'j > c'],
    ),
  ],
  [
    'a status that is a number',
    line({ t: person, r: node('core.respond', { status: '{{ input.adult ? 200 : 404 }}' }) }),
  ],
  [
    'a status that may be anything',
    line({ t: anything, r: node('core.respond', { status: '{{ input.status }}' }) }),
  ],
  [
    'a wait that is worked out',
    line({ t: person, a: node('logic.delay', { ms: '{{ input.age * 2 }}' }), b: map('{{ input.age + 1 }}') }),
  ],
  [
    'a level of several',
    line({
      t: person,
      a: node('core.log', { level: '{{ input.adult ? "info" : "warn" }}', message: '{{ input.name }}' }),
    }),
  ],
  [
    'a text param filled with a number',
    line({ t: person, a: node('text.join', { separator: '{{ nodes.t.age }}' }) }),
  ],
  [
    'the output of an earlier node',
    line({ t: person, a: map({ n: 1 }), b: map('text'), c: map('{{ nodes.a.n + 1 }}') }),
  ],
  [
    'an output of an if that may be skipped',
    graph(
      {
        t: person,
        i: iff('{{ input.adult }}'),
        a: map('{{ nodes.i.then?.name ?? "none" }}'),
        b: map('{{ input }}'),
        m: merge,
      },
      ['t > i', 'i.then > a', 'i.else > b', 'a > m', 'b > m'],
    ),
  ],
  [
    'the error of a node',
    graph(
      {
        t: person,
        a: { ...map('{{ input.name }}'), onError: 'route' },
        b: template('{{ input.message.trim() }} {{ input.data.x }}'),
        m: merge,
      },
      ['t > a', 'a.error > b', 'b > m', 'a > m'],
    ),
  ],
  [
    'a fallback of another type',
    line({
      t: person,
      a: { ...map('{{ input.age }}'), onError: 'continue', fallback: { out: 'none' } },
      b: map('{{ string(input).trim() }}'),
    }),
  ],
  ['facts of the run', line({ t: anything, a: map('{{ run.id + run.startedAt * 1 }}') })],
  ['a variable', line({ t: anything, a: map('{{ vars.greeting ?? "hi" }}') })],
  ['the request itself', line({ t: person, a: map('{{ trigger.body?.x ?? trigger.method }}') })],
  [
    'a schema that refers to itself',
    line({
      t: request(
        { tree: { $ref: '#/$defs/tree' } },
        {
          $defs: { tree: { type: 'object', properties: { name: string, child: { $ref: '#/$defs/tree' } } } },
        },
      ),
      a: map('{{ input.tree.child.child.name.trim() }}'),
    }),
  ],
  [
    'alternatives',
    line({
      t: request({ id: { anyOf: [string, integer] } }),
      a: map('{{ input.id == 3 || input.id == "x" }}'),
    }),
  ],
  [
    'an unknown kind of value where a list is needed',
    line({ t: anything, a: node('core.streamify'), b: node('core.unstreamify') }),
  ],
];

export const rightFlows: readonly RightFlow[] = cases.map(([title, flow]) => ({ title, flow }));
