import { describe, expect, test } from 'vitest';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { applyFix } from '../flow/apply-fix.ts';
import { formatFlow } from '../flow/canonical.ts';
import { parse } from '../flow/parse.ts';
import { renameNode } from '../flow/rename-node.ts';
import { usedConnections } from '../flow/used-connections.ts';
import { knownTypes } from '../types/known-types.ts';
import { testWorld } from '../testing/catalog.ts';
import { bodyOf, builtIns, play } from '../testing/play.ts';
import { check } from './check.ts';

const request = {
  type: 'object',
  required: ['lines', 'name'],
  properties: {
    lines: {
      type: 'array',
      items: { type: 'object', required: ['n'], properties: { n: { type: 'number' } } },
    },
    name: { type: 'string' },
  },
};
const t = {
  operator: 'trigger.http',
  params: { path: '/x', methods: ['POST'], auth: 'none', request },
};
const map = (value: unknown): FlowNode => ({ operator: 'core.map', params: { value } });

/** A loop over the lines, with these nodes in a row as its body, after a node `who` with the name. */
function flowWith(nodes: Record<string, FlowNode>, more: Partial<FlowNode> = {}): Flow {
  const names = ['line', ...Object.keys(nodes)];
  const edges = names.slice(1).map((to, i) => ({ from: `${names[i]}.out`, to: `${to}.in` }));
  const loop = {
    operator: 'data.for-each',
    params: { items: '{{ nodes.t.lines }}' },
    body: { start: 'line', nodes, edges },
    ...more,
  };
  return {
    format: 2,
    id: 'f',
    nodes: { t, who: map('{{ input.name }}'), loop, after: map('{{ input.map(n => n * 2) }}') },
    edges: [
      { from: 't.out', to: 'who.in' },
      { from: 'who.out', to: 'loop.in' },
      { from: 'loop.out', to: 'after.in' },
    ],
  };
}

const found = (flow: Flow) =>
  check(flow, builtIns.catalog, testWorld).filter(({ code }) => code !== 'unknown-auth');

describe('check of bodies', () => {
  test('knows the types of items, of nodes around, and of the result', () => {
    const flow = flowWith({ sum: map('{{ input.n + nodes.who.length }}') });
    expect(found(flow)).toEqual([]);
    const types = knownTypes(flow, builtIns.catalog);
    expect(types.output('line.out')?.words).toMatch(/n: number/);
    expect(types.output('loop.out')?.words).toBe('number[]');
    const wrong = flowWith({ sum: map('{{ input.m }}') });
    expect(found(wrong)).toMatchObject([{ code: 'missing-field', node: 'sum', field: 'params.value' }]);
    const late = flowWith({ text: map('{{ nodes.who }}') });
    expect(found(late)).toMatchObject([{ node: 'after' }]);
  });

  test('finds what bodies read that is not there, or comes later', () => {
    expect(found(flowWith({ a: map('{{ nodes.whom }}') }))).toMatchObject([
      { code: 'expression-unknown-name', node: 'a', message: expect.stringContaining('`who`') },
    ]);
    expect(found(flowWith({ a: map('{{ nodes.after }}') }))).toMatchObject([
      { code: 'not-upstream', node: 'a' },
    ]);
    expect(found(flowWith({ a: map('{{ nodes.loop }}') }))).toMatchObject([
      { code: 'not-upstream', node: 'a', message: expect.stringMatching(/is in the body of `loop`/) },
    ]);
  });

  test.each<[string, Flow, string, RegExp]>([
    [
      'a trigger in a body',
      flowWith({ a: { operator: 'trigger.manual' } }),
      'bad-body',
      /started by the node around it/,
    ],
    [
      'an answer in a body',
      flowWith({ a: { operator: 'core.respond' } }),
      'bad-body',
      /only outside of bodies/,
    ],
    [
      'a body and a flow',
      flowWith({ a: map(1) }, { params: { flow: 'x', items: '{{ nodes.t.lines }}' } }),
      'bad-body',
      /runs only one of them/,
    ],
    ['nothing to run', flowWith({}, { body: undefined }), 'bad-body', /needs something to run/],
    [
      'a body of a map',
      {
        ...flowWith({}),
        nodes: { ...flowWith({}).nodes, who: { ...map(1), body: { start: 's', nodes: {}, edges: [] } } },
      },
      'bad-body',
      /does not run one/,
    ],
    ['an unknown operator', flowWith({ a: { operator: 'core.mapp' } }), 'unknown-operator', /core\.map/],
    ['an edge to nowhere', { ...flowWith({ a: map(1) }) }, '', /^/],
  ])('refuses %s', (_, flow, code, message) => {
    if (code === '') {
      const loop = flow.nodes['loop'] as FlowNode;
      const edges = [...(loop.body?.edges ?? []), { from: 'who.out', to: 'a.in' }];
      const wrong = {
        ...flow,
        nodes: { ...flow.nodes, loop: { ...loop, body: { ...loop.body, edges } as FlowNode['body'] } },
      };
      expect(found(wrong)).toContainEqual(
        expect.objectContaining({ code: 'dangling-edge', field: 'nodes.loop.body.edges[1].from' }),
      );
      return;
    }
    expect(found(flow)).toContainEqual(
      expect.objectContaining({ code, severity: 'error', message: expect.stringMatching(message) }),
    );
  });
});

describe('a flow with bodies', () => {
  const flow = flowWith({ one: map('{{ input.n }}'), sum: map('{{ nodes.one + nodes.who.length }}') });

  test('is written in format 2 and read again, and problems have their line', () => {
    const text = formatFlow(flow);
    const parsed = parse(text);
    expect(parsed.problems).toEqual([]);
    expect(formatFlow(parsed.flow as Flow)).toBe(text);
    const wrong = parse(text.replace('input.n', 'input.m'));
    const [problem] = check(wrong.flow as Flow, builtIns.catalog, testWorld, wrong.locate).filter(
      ({ node }) => node === 'one',
    );
    expect(text.replace('input.n', 'input.m').split('\n')[(problem?.line ?? 0) - 1]).toContain('input.m');
    expect(parse(text.replace('"format": 2', '"format": 1')).problems).toMatchObject([
      { code: 'bad-format' },
    ]);
  });

  test.each([
    ['an id twice', { who: map(1) }],
    ['the id of its start', { line: map(1) }],
  ])('is refused with %s', (_, nodes) => {
    expect(parse(formatFlow(flowWith(nodes))).problems).toMatchObject([{ code: 'bad-body' }]);
  });

  test('is refused without a start, and with bodies nested too deep', () => {
    const text = formatFlow(flow).replace('"start": "line",', '');
    expect(parse(text).problems).toMatchObject([{ code: 'bad-field', node: 'loop', field: 'body.start' }]);
    let nodes: Record<string, FlowNode> = { last: map(1) };
    for (let i = 0; i < 50; i++)
      nodes = { [`g${i}`]: { operator: 'core.group', body: { start: `s${i}`, nodes, edges: [] } } };
    expect(parse(formatFlow({ ...flow, nodes })).problems.map(({ code }) => code)).toContain('bad-body');
  });

  test('keeps its references when a node around or in a body is renamed', () => {
    const renamed = renameNode(renameNode(renameNode(flow, 'who', 'caller'), 'one', 'first'), 'line', 'row');
    const { body } = renamed.nodes['loop'] as FlowNode;
    expect(body?.start).toBe('row');
    expect(body?.nodes['sum']).toEqual(map('{{ nodes.first + nodes.caller.length }}'));
    expect(body?.edges).toEqual([
      { from: 'row.out', to: 'first.in' },
      { from: 'first.out', to: 'sum.in' },
    ]);
    expect(found(renamed)).toEqual([]);
    expect(renameNode(flow, 'who', 'sum')).toBe(flow);
  });

  test('repairs a node in a body, and knows the connections of its nodes', () => {
    const misspelt = flowWith({ a: map('{{ nodes.whom }}') });
    const [problem] = found(misspelt);
    expect(found(applyFix(misspelt, problem?.fix as never)).filter(({ node }) => node === 'a')).toEqual([]);
    const read = { operator: 'sql.query', params: { connection: 'shop', sql: 'SELECT 1' } };
    expect(usedConnections(flowWith({ read }), builtIns.catalog)).toMatchObject([
      { node: 'read', connection: 'shop' },
    ]);
  });
});

/** A group with these nodes in a row as its body. */
function groupOf(start: string, names: readonly string[]): FlowNode {
  const row = [start, ...names];
  const edges = names.map((to, at) => ({ from: `${row[at]}.out`, to: `${to}.in` }));
  const nodes = Object.fromEntries(names.map((id) => [id, { operator: 'core.map' }]));
  return { operator: 'core.group', body: { start, nodes, edges } };
}

const chainOf = (nodes: Record<string, FlowNode>): Flow => {
  const row = ['t', ...Object.keys(nodes)];
  const edges = row.slice(1).map((to, at) => ({ from: `${row[at]}.out`, to: `${to}.in` }));
  return { format: 2, id: 'row', nodes: { t: { operator: 'trigger.manual' }, ...nodes }, edges };
};

const problemsOf = (flow: Flow) => check(flow, builtIns.catalog, testWorld);

describe('bodies that are wrong or large', () => {
  test('a cycle in a body names its nodes, and a body cannot read what waits for it', () => {
    const ring = groupOf('s', ['a', 'b', 'c']);
    ring.body?.edges.splice(0, 1, { from: 'c.out', to: 'a.in' });
    const [problem] = problemsOf(chainOf({ ring })).filter(({ code }) => code === 'cycle');
    expect(problem?.nodes?.toSorted()).toEqual(['a', 'b', 'c']);
    const early = groupOf('s', ['a']);
    (early.body as { nodes: Record<string, FlowNode> }).nodes['a'] = map('{{ nodes.late }}');
    expect(problemsOf(chainOf({ early, late: { operator: 'core.map' } }))).toMatchObject([
      { code: 'not-upstream', severity: 'error', node: 'a' },
    ]);
  });

  test('10,000 nodes in 200 bodies are checked and run', () => {
    const groups = Object.fromEntries(
      Array.from({ length: 200 }, (_, g) => [
        `g${g}`,
        groupOf(
          `s${g}`,
          Array.from({ length: 48 }, (__, n) => `n${g}_${n}`),
        ),
      ]),
    );
    const flow = chainOf(groups);
    expect(problemsOf(flow)).toEqual([]);
    expect(parse(formatFlow(flow)).problems).toEqual([]);
    expect(bodyOf(play(flow, 7))).toBe(7);
  });

  test('bodies in bodies, 50 deep, are one problem that says how deep they may be', () => {
    let inner = groupOf('s50', ['n50']);
    for (let depth = 49; depth > 0; depth--)
      inner = {
        operator: 'core.group',
        body: {
          start: `s${depth}`,
          nodes: { [`n${depth}`]: inner },
          edges: [{ from: `s${depth}.out`, to: `n${depth}.in` }],
        },
      };
    const { problems } = parse(formatFlow(chainOf({ outer: inner })));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(/5/);
  });

  test('a node for each of ten million items is refused before the first one', () => {
    const items: unknown[] = [];
    items.length = 10_000_000;
    const flow = chainOf({ each: { operator: 'core.map', each: {} } });
    expect(() => bodyOf(play(flow, items))).toThrow(/too_many_items/);
    const loop = { operator: 'data.for-each', body: groupOf('s', ['a']).body as FlowNode['body'] };
    expect(() => bodyOf(play(chainOf({ loop }), items))).toThrow(/too_many_items/);
  });
});
