import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { defineOperator, input, type Operator, output } from '../base/operator.ts';
import { makeRegistry } from '../catalog/registry.ts';
import { applyFix } from '../flow/apply-fix.ts';
import { testWorld } from '../testing/catalog.ts';
import { bodyOf, builtIns, flowOf, play } from '../testing/play.ts';
import { check } from './check.ts';

const about = { doc: 'Splits a name.', icon: 'split', effects: 'pure' } as const;

const split = defineOperator({
  ...about,
  examples: [],
  title: 'Split a name',
  params: z.object({ separator: z.string().default(' ') }),
  inputs: { name: input({ schema: z.string() }) },
  outputs: { first: output(), last: output() },
  run: ({ input: name, params }) => {
    const [first = '', last = ''] = name.split(params.separator);
    return { first, last };
  },
});

const cut = defineOperator({
  ...about,
  examples: [],
  title: 'Cut a name',
  params: z.object({ by: z.string().default(' '), trim: z.boolean().default(false) }),
  inputs: { in: input({ schema: z.string() }) },
  outputs: { given: output(), family: output() },
  replacedBy: {
    operator: 'name.split',
    map: {
      params: { by: 'separator' },
      inputs: { in: 'name' },
      outputs: { given: 'first', family: 'last' },
    },
  },
  run: ({ input: name, params }) => {
    const [given = '', family = ''] = name.split(params.by);
    return { given, family };
  },
});

const registry = makeRegistry(
  new Map<string, Operator>([
    ...builtIns.operators,
    ['name.split', split as unknown as Operator],
    ['name.cut', cut as unknown as Operator],
  ]),
);

const map = (value: unknown): FlowNode => ({ operator: 'core.map', params: { value } });

function flowWith(cutter: FlowNode): Flow {
  return flowOf({ t: 'trigger.manual', cutter, hello: map('{{ [input, nodes.cutter.family] }}') }, [
    't > cutter.in',
    'cutter.given > hello',
  ]);
}

const problemsOf = (flow: Flow) =>
  check(flow, registry.catalog, testWorld).filter(({ code }) => code !== 'maybe-skipped');

test('an operator that was replaced still works, and the newer one takes over wires, params and reads', () => {
  const flow = flowWith({ operator: 'name.cut', params: { by: '-' } });
  const [problem, other] = problemsOf(flow);
  expect(other).toBeUndefined();
  expect(problem).toMatchObject({ code: 'replaced-operator', severity: 'warning', node: 'cutter' });
  expect(problem?.message).toBe(
    '`name.cut` of `cutter` is replaced by `name.split`. The param `by` becomes `separator`. The input `in` becomes `name`. The output `given` becomes `first`. The output `family` becomes `last`.',
  );
  const fixed = applyFix(flow, problem?.fix as never);
  expect(fixed.nodes['cutter']).toEqual({ operator: 'name.split', params: { separator: '-' } });
  expect(fixed.edges.map(({ from, to }) => `${from} > ${to}`)).toEqual([
    't.out > cutter.name',
    'cutter.first > hello.in',
  ]);
  expect(problemsOf(fixed)).toEqual([]);
  for (const one of [flow, fixed])
    expect(bodyOf(play(one, 'Ada-Lovelace', { registry }))).toEqual(['Ada', 'Lovelace']);
});

test('what has no place in the newer operator stays and is told, before and after', () => {
  const flow = flowWith({ operator: 'name.cut', params: { trim: true } });
  const [problem] = problemsOf(flow);
  expect(problem?.message).toContain('The param `trim` has no place there and stays until you remove it.');
  const fixed = applyFix(flow, problem?.fix as never);
  expect(fixed.nodes['cutter']?.params).toEqual({ trim: true });
  expect(problemsOf(fixed)).toMatchObject([{ code: 'bad-param', node: 'cutter' }]);
});

test('a node in a body is replaced where it is', () => {
  const body = {
    start: 'name',
    nodes: { cutter: { operator: 'name.cut' }, last: map('{{ nodes.cutter.family }}') },
    edges: [
      { from: 'name.out', to: 'cutter.in' },
      { from: 'cutter.given', to: 'last.in' },
    ],
  };
  const flow = {
    ...flowOf({ t: 'trigger.manual', group: { operator: 'core.group', body } }, ['t > group']),
    format: 2 as const,
  };
  const [problem] = problemsOf(flow);
  const fixed = applyFix(flow, problem?.fix as never);
  expect(problemsOf(fixed)).toEqual([]);
  expect(bodyOf(play(fixed, 'Ada Lovelace', { registry }))).toBe('Lovelace');
});

test('without the newer operator nothing is offered', () => {
  const { 'name.split': _gone, ...operators } = registry.catalog.operators;
  const [problem] = check(flowWith({ operator: 'name.cut' }), { operators }, testWorld);
  expect(problem?.message).toContain('`name.split`, which is not installed');
  expect(problem?.fix).toBeUndefined();
});
