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

it('every operator that runs flows is seen as one that calls them', () => {
  const running = ['flow.call', 'flow.stream', 'data.for-each', 'data.repeat-until'];
  for (const operator of running) {
    const calls = flowCalls(calling({ flow: 'price', trigger: 'start' }, operator), builtIns.catalog);
    expect(calls).toEqual([
      { node: 'c', param: 'flow', flow: 'price', trigger: { param: 'trigger', name: 'start' } },
    ]);
  }
});
