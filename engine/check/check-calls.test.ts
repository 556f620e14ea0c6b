import { describe, expect, it } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import { testWorld } from '../testing/catalog.ts';
import { builtIns } from '../testing/play.ts';
import { flowOf } from '../testing/flows.ts';
import { check, type FlowSignature, flowCalls } from './index.ts';

const flows: readonly FlowSignature[] = [
  { id: 'price', triggers: ['start'], calls: [] },
  { id: 'many', triggers: ['first', 'second'], calls: [] },
  { id: 'none', triggers: [], calls: [] },
  { id: 'unseen' },
  { id: 'around', triggers: ['t'], calls: ['price', 'back'] },
  { id: 'back', triggers: ['t'], calls: ['test_flow'] },
];

function calling(params: Record<string, unknown>, operator = 'flow.call', more: object = {}) {
  return flowOf({ t: 'trigger.manual', c: { operator, params, ...more } }, ['t.out > c.in']);
}

function problemsOf(params: Record<string, unknown>): Problem[] {
  return check(calling(params), builtIns.catalog, { ...testWorld, flows });
}

const at = (field: string) => ({ severity: 'warning', node: 'c', field });

describe('a node that calls a flow', () => {
  it('has no problem where that flow is there and has one trigger, or the one that is named', () => {
    expect(problemsOf({ flow: 'price' })).toEqual([]);
    expect(problemsOf({ flow: 'many', trigger: 'second' })).toEqual([]);
    expect(problemsOf({ flow: 'unseen', trigger: 'any' })).toEqual([]);
  });

  it('is warned of a flow that is not live, with the name that was probably meant', () => {
    const message = 'No live flow has the id `prise`, so this node will fail. Did you mean `price`?';
    expect(problemsOf({ flow: 'prise' })).toEqual([{ code: 'unknown-flow', message, ...at('params.flow') }]);
  });

  it('is warned where it is not clear at which trigger the flow starts', () => {
    expect(problemsOf({ flow: 'many' })).toMatchObject([
      {
        code: 'ambiguous-trigger',
        message: expect.stringContaining('`first`, `second`'),
        ...at('params.flow'),
      },
    ]);
    expect(problemsOf({ flow: 'none' })).toMatchObject([{ code: 'ambiguous-trigger', ...at('params.flow') }]);
    expect(problemsOf({ flow: 'many', trigger: 'frist' })).toMatchObject([
      {
        code: 'ambiguous-trigger',
        message: expect.stringContaining('Did you mean `first`'),
        ...at('params.trigger'),
      },
    ]);
  });

  it('is warned of a circle of calls, with the whole way', () => {
    expect(problemsOf({ flow: 'around' })).toMatchObject([
      {
        code: 'call-cycle',
        message: expect.stringContaining('`test_flow` → `around` → `back` → `test_flow`'),
      },
    ]);
    expect(problemsOf({ flow: 'test_flow' })).toMatchObject([
      {
        code: 'call-cycle',
        message: expect.stringContaining('`test_flow` → `test_flow`'),
        ...at('params.flow'),
      },
    ]);
  });

  it('is not judged where flows are not known, where a run decides, and while it is disabled', () => {
    expect(check(calling({ flow: 'gone' }), builtIns.catalog, testWorld)).toEqual([]);
    expect(problemsOf({ flow: '{{ input.flow }}' })).toEqual([]);
    const disabled = calling({ flow: 'gone' }, 'flow.call', { disabled: true });
    const codes = check(disabled, builtIns.catalog, { ...testWorld, flows }).map(({ code }) => code);
    expect(codes).not.toContain('unknown-flow');
  });
});

const order = {
  type: 'object',
  properties: { sku: { type: 'string' }, count: { type: 'number' } },
  required: ['sku'],
};
const priced = { type: 'object', properties: { cents: { type: 'integer' } }, required: ['cents'] };
const typed: readonly FlowSignature[] = [
  { id: 'price', triggers: ['t'], schemas: { t: { takes: order, gives: priced, givesItems: priced } } },
  {
    id: 'many',
    triggers: ['a', 'b'],
    schemas: { a: { takes: order }, b: { gives: { type: 'string' } } },
  },
];

/** A line of nodes behind a trigger whose type is unknown. */
function problemsIn(...nodes: readonly [operator: string, params: Record<string, unknown>][]) {
  const ids = nodes.map((_, i) => `n${i}`);
  const flow = flowOf(
    {
      t: 'trigger.manual',
      ...Object.fromEntries(nodes.map(([operator, params], i) => [`n${i}`, { operator, params }])),
    },
    ids.map((id, i) => `${ids[i - 1] ?? 't'}.out > ${id}.in`),
  );
  const found = check(flow, builtIns.catalog, { ...testWorld, flows: typed });
  return found.map(({ code, severity, node, field }) => [code, severity, node, field]);
}

describe('what a flow takes and gives that a node calls', () => {
  const call = (params: object = {}): [string, Record<string, unknown>] => [
    'flow.call',
    { flow: 'price', input: { sku: 'a' }, ...params },
  ];
  const map = (value: unknown): [string, Record<string, unknown>] => ['core.map', { value }];
  const clash = (node: string, field: string) => ['type-mismatch', 'warning', node, field];
  const missing = (node: string) => ['missing-field', 'warning', node, 'params.value'];

  it('is checked against what it is started with', () => {
    expect(problemsIn(call({ input: { sku: '{{ input.anything }}', count: '{{ 1 + 1 }}' } }))).toEqual([]);
    expect(problemsIn(call({ input: { count: 1 } }))).toEqual([clash('n0', 'params.input')]);
    expect(problemsIn(call({ input: { sku: 7 } }))).toEqual([clash('n0', 'params.input')]);
    expect(problemsIn(map('text'), ['flow.stream', { flow: 'price' }])).toEqual([
      clash('n1', 'params.input'),
    ]);
    expect(problemsIn(map({ sku: 'a' }), ['flow.stream', { flow: 'price' }])).toEqual([]);
  });

  it('is checked for each item of a list, and for the first round', () => {
    expect(problemsIn(map([{ sku: 'a' }]), ['data.for-each', { flow: 'price' }])).toEqual([]);
    expect(problemsIn(map([{ sku: 1 }]), ['data.for-each', { flow: 'price' }])).toEqual([
      clash('n1', 'params.input'),
    ]);
    const each = (input: unknown): [string, Record<string, unknown>] => [
      'data.for-each',
      { flow: 'price', input },
    ];
    expect(problemsIn(map([{ id: 'a' }]), each({ sku: '{{ item.id }}' }))).toEqual([]);
    expect(problemsIn(map([{ id: 'a' }]), each({ sku: '{{ item.name }}' }))).toEqual([
      ['missing-field', 'warning', 'n1', 'params.input.sku'],
    ]);
    expect(
      problemsIn(map(3), ['data.repeat-until', { flow: 'price', until: '{{ item.cents > 3 }}' }]),
    ).toEqual([clash('n1', 'params.input')]);
  });

  it('goes on to those who read it; what only the other flow makes wrong is a warning', () => {
    expect(problemsIn(call(), map('{{ input.cents + 1 }}'))).toEqual([]);
    expect(problemsIn(call(), map('{{ input.price }}'))).toEqual([missing('n1')]);
    expect(problemsIn(call(), map('{{ input.cents.trim() }}'))).toEqual([clash('n1', 'params.value')]);
    expect(problemsIn(call(), ['text.parse-json', {}])).toEqual([
      ['type-mismatch', 'warning', undefined, 'edges[1].to'],
    ]);
    expect(
      problemsIn(map([{ sku: 'a' }]), ['data.for-each', { flow: 'price' }], map('{{ input[0].price }}')),
    ).toEqual([missing('n2')]);
    const until = '{{ item.price > 3 }}';
    expect(problemsIn(map({ sku: 'a' }), ['data.repeat-until', { flow: 'price', until }])).toEqual([
      ['missing-field', 'warning', 'n1', 'params.until'],
    ]);
  });

  it('changes nothing of what is wrong without it', () => {
    expect(problemsIn(call(), map('{{ upper(1) }}'))).toEqual([
      ['type-mismatch', 'error', 'n1', 'params.value'],
    ]);
  });

  it('is that of the trigger at which it starts, and not known where that is not said', () => {
    const many = (trigger: object) =>
      problemsIn(['flow.call', { flow: 'many', input: 1, ...trigger }], map('{{ input * 2 }}'));
    expect(many({ trigger: 'a' })).toEqual([clash('n0', 'params.input')]);
    expect(many({ trigger: 'b' })).toEqual([clash('n1', 'params.value')]);
    expect(many({})).toEqual([['ambiguous-trigger', 'warning', 'n0', 'params.flow']]);
  });
});

it('every operator that runs flows is seen as one that calls them', () => {
  const running = ['flow.call', 'flow.stream', 'data.for-each', 'data.repeat-until'];
  for (const operator of running) {
    const calls = flowCalls(calling({ flow: 'price', trigger: 'start' }, operator), builtIns.catalog);
    expect(calls).toEqual([
      { node: 'c', param: 'flow', flow: 'price', trigger: { param: 'trigger', name: 'start' } },
    ]);
  }
});
