import { describe, expect, test } from 'vitest';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import { applyFix } from '../flow/apply-fix.ts';
import { formatFlow } from '../flow/canonical.ts';
import { diffFlows } from '../flow/diff.ts';
import { parse } from '../flow/parse.ts';
import { renameNode } from '../flow/rename-node.ts';
import { testWorld } from '../testing/catalog.ts';
import { bodyOf, builtIns, flowOf, play } from '../testing/play.ts';
import { check } from './check.ts';

/** A request with a name, lines and an order. */
const form = {
  operator: 'trigger.http',
  params: {
    path: '/orders',
    methods: ['POST'],
    auth: 'none',
    request: {
      type: 'object',
      required: ['name', 'lines', 'order'],
      properties: {
        name: { type: 'string' },
        lines: { type: 'array', items: { type: 'number' } },
        order: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      },
    },
  },
};

const problemsOf = (flow: Flow) =>
  check({ ...flow, format: 2 }, builtIns.catalog, testWorld).filter(({ code }) => code !== 'unknown-auth');

function withPick(flow: Flow, pick: string, at = 0): Flow {
  const edges = flow.edges.map((edge, i): FlowEdge => (i === at ? { ...edge, pick } : edge));
  return { ...flow, format: 2, edges };
}

const sum = { operator: 'core.streamify' };
const toList = { operator: 'core.unstreamify' };

describe('an edge that picks', () => {
  test('is offered where only a field has the right type, and raises the format', () => {
    const flow = flowOf({ form, sum, to_list: toList }, ['form > sum', 'sum > to_list']);
    const [problem, other] = problemsOf(flow);
    expect(other).toBeUndefined();
    expect(problem?.code).toBe('type-mismatch');
    expect(problem?.fix).toEqual({
      kind: 'set-field',
      title: 'Use `lines`',
      field: 'edges[0].pick',
      value: 'lines',
    });
    const fixed = applyFix(flow, problem?.fix as NonNullable<typeof problem>['fix'] & object);
    expect(problemsOf(fixed)).toEqual([]);
    const text = formatFlow(fixed);
    expect(text).toContain('"format": 2');
    expect(text).toContain('{ "from": "form.out", "pick": "lines", "to": "sum.in" }');
    const parsed = parse(text);
    expect(parsed.flow && formatFlow(parsed.flow)).toBe(text);
  });

  test('is offered in a body, at the edge of the body', () => {
    const body = {
      start: 'given',
      nodes: { sum, to_list: toList },
      edges: [
        { from: 'given.out', to: 'sum.in' },
        { from: 'sum.out', to: 'to_list.in' },
      ],
    };
    const flow = flowOf({ form, group: { operator: 'core.group', body } }, ['form > group']);
    const [problem] = problemsOf(flow);
    expect(problem?.fix).toMatchObject({ field: 'nodes.group.body.edges[0].pick', value: 'lines' });
    expect(problemsOf(applyFix(flow, problem?.fix as never))).toEqual([]);
  });

  test('is what Read CSV offers after a form with a file', () => {
    const fields = [
      { name: 'name', label: 'Name' },
      { name: 'orders', label: 'Orders', type: 'file', required: true },
    ];
    const page = { operator: 'trigger.form', params: { path: '/orders', title: 'Orders', fields } };
    const flow = flowOf({ page, read: 'data.read-csv' }, ['page > read']);
    const [problem] = problemsOf(flow).filter(({ code }) => code === 'type-mismatch');
    expect(problem?.fix).toMatchObject({ title: 'Use `orders`', field: 'edges[0].pick', value: 'orders' });
    expect(problemsOf(applyFix(flow, problem?.fix as never))).toEqual([]);
  });

  test('finds a field deeper in the value', () => {
    const value = { name: 'Ada', order: { lines: [1] } };
    const flow = flowOf({ form, made: { operator: 'core.map', params: { value } }, sum, to_list: toList }, [
      'form > made',
      'made > sum',
      'sum > to_list',
    ]);
    expect(problemsOf(flow)[0]?.fix).toMatchObject({ title: 'Use `order.lines`', value: 'order.lines' });
  });

  test('gives the field to the node, from a list and at any depth', () => {
    const upper = { operator: 'core.map', params: { value: '{{ upper(input) }}' } };
    const flow = flowOf({ form, upper }, ['form > upper']);
    expect(problemsOf(withPick(flow, 'order.id'))).toEqual([]);
    const order = { name: 'Ada', order: { id: 'ab' }, lines: [7] };
    expect(bodyOf(play(withPick(flow, 'order.id'), order))).toBe('AB');
    const twice = flowOf({ form, twice: { operator: 'core.map', params: { value: '{{ input * 2 }}' } } }, [
      'form > twice',
    ]);
    expect(bodyOf(play(withPick(twice, 'lines[0]'), order))).toBe(14);
  });

  test.each<[string, string, RegExp]>([
    ['orders', 'missing-field', /does not declare `orders`.*it has name, lines, order/],
    ['order.idd', 'missing-field', /`form\.out\.order` does not declare `idd`/],
    ['a b', 'bad-field', /no path of fields/],
  ])('is wrong as %s', (pick, code, message) => {
    const map: FlowNode = { operator: 'core.map' };
    const [problem, other] = problemsOf(withPick(flowOf({ form, map }, ['form > map']), pick));
    expect(other).toBeUndefined();
    expect(problem).toMatchObject({ code, field: 'edges[0].pick' });
    expect(problem?.message).toMatch(message);
  });

  test('offers the field that was meant', () => {
    const map: FlowNode = { operator: 'core.map' };
    const flow = withPick(flowOf({ form, map }, ['form > map']), 'order.idd');
    const [problem] = problemsOf(flow);
    expect(problemsOf(applyFix(flow, problem?.fix as never))).toEqual([]);
  });

  test('is refused at a stream', () => {
    const flow = flowOf({ form, sum, to_list: toList }, ['form > sum', 'sum > to_list']);
    const picked = withPick(withPick(flow, 'lines'), 'x', 1);
    expect(problemsOf(picked).map(({ code }) => code)).toEqual(['kind-mismatch']);
  });

  test('makes its node fail where the field is missing, which the node may handle', () => {
    const t = 'trigger.manual';
    const map: FlowNode = { operator: 'core.map', onError: 'continue', fallback: { out: 'none' } };
    const flow = withPick(flowOf({ t, map }, ['t > map']), 'a.b');
    expect(bodyOf(play(flow, { a: { b: 1 } }))).toBe(1);
    expect(bodyOf(play(flow, { a: { b: null } }))).toBeNull();
    expect(bodyOf(play(flow, { a: {} }))).toBe('none');
    const failed = play(withPick(flowOf({ t, map: { operator: 'core.map' } }, ['t > map']), 'a.b'), {
      a: null,
    });
    expect(failed.run.outcome?.error).toMatchObject({
      code: 'missing_field',
      node: 'map',
      message: '`t.out.a.b` cannot be read, since `t.out.a` is null.',
    });
  });

  test('stays with the edge when a node gets another name, and is a difference of two versions', () => {
    const flow = withPick(flowOf({ form, map: 'core.map' }, ['form > map']), 'name');
    expect(renameNode(flow, 'form', 'start').edges).toEqual([
      { from: 'start.out', pick: 'name', to: 'map.in' },
    ]);
    expect(diffFlows(flow, withPick(flow, 'lines'))).toEqual([
      { kind: 'edge-removed', from: 'form.out', to: 'map.in', pick: 'name' },
      { kind: 'edge-added', from: 'form.out', to: 'map.in', pick: 'lines' },
    ]);
  });

  test('takes the list of a node with `each`', () => {
    const each: FlowNode = { operator: 'core.map', params: { value: '{{ input + 1 }}' }, each: {} };
    const flow = withPick(flowOf({ form, each }, ['form > each']), 'lines');
    expect(problemsOf(flow)).toEqual([]);
    expect(bodyOf(play(flow, { lines: [1, 2] }))).toEqual([2, 3]);
  });
});
