import { describe, expect, it } from 'vitest';
import type { InputPort } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Fix } from '#shared/problem.ts';
import { testCatalog, testWorld } from '../testing/catalog.ts';
import { flowOf, type NodeSpec } from '../testing/flows.ts';
import { builtIns } from '../testing/play.ts';
import { check } from './index.ts';
import { applyFix } from './edit.ts';

const t = 'trigger.manual';
const count: NodeSpec = { operator: 'core.reduce', params: { value: '{{ acc + 1 }}' } };
const start = { t, s: 'core.streamify' };

function problemsOf(flow: Flow) {
  return check(flow, testCatalog, testWorld).filter((p) => p.code === 'stream-deadlock');
}

function flowWith(nodes: Record<string, NodeSpec>, edges: string[]): Flow {
  return flowOf({ ...start, ...nodes, end: 'core.unstreamify' }, ['t.out > s.in', ...edges]);
}

it('a stream on the wrong input of an operator with one for streams is told that one', () => {
  const sink = testCatalog.operators['core.merge'];
  if (sink === undefined) throw new Error('core.merge is gone.');
  const inputs: InputPort[] = [
    { name: 'in', kind: 'value', required: false },
    { name: 'stream', kind: 'stream', required: false },
  ];
  const catalog = { operators: { ...testCatalog.operators, 'test.write': { ...sink, inputs } } };
  const flow = flowOf({ ...start, w: 'test.write' }, ['t.out > s.in', 's.out > w.in']);
  const [problem] = check(flow, catalog, testWorld).filter((p) => p.code === 'kind-mismatch');
  expect(problem?.message).toContain('connect it to `w.stream` instead');
});

it.each([
  ['a stream into a loop, which takes a list', 's.out', 'core.unstreamify', {}],
  ['a value into an input for streams', 'm.out', 'core.streamify', { l: 'core.unstreamify' }],
])('%s can be mended with one click', (_, from, operator, nodes) => {
  const body = { start: 'one', nodes: { a: { operator: 'core.map' } }, edges: [] };
  const loop: NodeSpec = { operator: 'data.for-each', params: { items: '{{ input }}' }, body };
  const flow = flowOf({ ...start, m: 'core.map', l: loop, ...nodes }, [
    't.out > s.in',
    't.out > m.in',
    `${from} > l.in`,
  ]);
  const found = (one: Flow) =>
    check({ ...one, format: 2 }, builtIns.catalog, testWorld).filter(({ code }) => code === 'kind-mismatch');
  const [problem] = found(flow);
  expect(problem?.fix).toMatchObject({ kind: 'insert-operator', operator, from, to: 'l.in' });
  expect(found(applyFix(flow, problem?.fix as never))).toEqual([]);
});

const deadlocks: [title: string, flow: Flow, node: string, from: string][] = [
  [
    'a zip of a stream with what was collected from it',
    flowWith({ c: 'core.unstreamify', l: 'core.streamify', z: 'core.zip' }, [
      's.out > c.in',
      'c.out > l.in',
      'l.out > z.a',
      's.out > z.b',
      'z.out > end.in',
    ]),
    'z',
    's.out',
  ],
  [
    'the same behind operators in between',
    flowWith({ m: 'core.map', n: count, k: 'core.map', l: 'core.streamify', p: 'core.pass', z: 'core.zip' }, [
      's.out > m.in',
      'm.out > n.in',
      'n.out > k.in',
      'k.out > l.in',
      'l.out > z.a',
      's.out > p.in',
      'p.out > z.b',
      'z.out > end.in',
    ]),
    'z',
    'p.out',
  ],
  [
    'a stream that is put behind itself',
    flowWith({ m: 'core.map', c: 'core.concat' }, [
      'm.out > c.in',
      's.out > m.in',
      's.out > c.in',
      'c.out > end.in',
    ]),
    'c',
    's.out',
  ],
];

const harmless: [title: string, flow: Flow][] = [
  [
    'two consumers side by side',
    flowWith({ n: count, j: 'core.join' }, [
      's.out > n.in',
      's.out > end.in',
      'n.out > j.a',
      'end.out > j.b',
    ]),
  ],
  [
    'two views of a stream that are zipped',
    flowWith({ m: 'core.map', z: 'core.zip' }, [
      's.out > m.in',
      'm.out > z.a',
      's.out > z.b',
      'z.out > end.in',
    ]),
  ],
  [
    'two streams of one list',
    flowWith({ s2: 'core.streamify', c: 'core.concat' }, [
      't.out > s2.in',
      's.out > c.in',
      's2.out > c.in',
      'c.out > end.in',
    ]),
  ],
  [
    'a stream that is collected and streamed again, alone',
    flowWith({ c: 'core.unstreamify', l: 'core.streamify', z: 'core.zip', l2: 'core.streamify' }, [
      's.out > c.in',
      'c.out > l.in',
      'c.out > l2.in',
      'l.out > z.a',
      'l2.out > z.b',
      'z.out > end.in',
    ]),
  ],
];

describe('consumers of one stream', () => {
  it.each(deadlocks)('that wait for each other are found: %s', (_, flow, node, from) => {
    const found = problemsOf(flow);
    expect(found).toMatchObject([{ node, severity: 'warning', fix: { kind: 'insert-collect' } }]);
    expect(found[0]?.nodes).toContain(from.split('.')[0]);
  });

  it.each(deadlocks)('wait no more when the fix is applied: %s', (_, flow) => {
    const fixed = problemsOf(flow).reduce((f, { fix }) => (fix ? applyFix(f, fix) : f), flow);
    expect(check(fixed, testCatalog, testWorld)).toEqual([]);
  });

  it.each(harmless)('that do not wait are no problem: %s', (_, flow) => {
    expect(problemsOf(flow)).toEqual([]);
  });

  it('are looked at quickly in a large flow', () => {
    const nodes: Record<string, NodeSpec> = { z: 'core.zip' };
    const edges = ['m7.out > z.a', 'm9.out > z.b'];
    for (let i = 0; i < 3_000; i++) {
      nodes[`m${i}`] = 'core.map';
      nodes[`n${i}`] = count;
      edges.push(`${i === 0 ? 's' : `m${i - 1}`}.out > m${i}.in`, `m${i}.out > n${i}.in`);
    }
    problemsOf(flowWith(nodes, edges));
  });
});

describe('what a fold has so far', () => {
  it('is there in the fold and nowhere else', () => {
    const acc: NodeSpec = { operator: 'core.map', params: { value: '{{ acc }}' } };
    const flow = flowWith({ a: acc }, ['s.out > end.in', 't.out > a.in']);
    const unknown = check(flow, testCatalog, testWorld).filter((p) => p.code === 'expression-unknown-name');
    expect(unknown).toMatchObject([{ node: 'a', field: 'params.value' }]);
    const fold = flowOf({ ...start, n: count }, ['t.out > s.in', 's.out > n.in']);
    expect(check(fold, testCatalog, testWorld)).toEqual([]);
  });
});

describe('the fix', () => {
  it('keeps the order of the edge that it cuts, and leaves a flow without that edge as it is', () => {
    const flow = flowWith({ c: 'core.concat', collect: count }, [
      's.out > c.in',
      'c.out > end.in',
      's.out > collect.in',
    ]);
    Object.assign(flow.edges[1] ?? {}, { order: 2 });
    const fixOf = (to: string): Fix => ({
      kind: 'insert-collect',
      title: '',
      edges: [{ from: 's.out', to }],
    });
    expect(applyFix(flow, fixOf('c.in')).edges.slice(1, 4)).toEqual([
      { from: 's.out', to: 'collect_2.in' },
      { from: 'collect_2.out', to: 'stream.in' },
      { from: 'stream.out', to: 'c.in', order: 2 },
    ]);
    expect(applyFix(flow, fixOf('gone.in'))).toBe(flow);
  });
});
