import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { edgeOfProblem, edgeProblems } from './edge-problems.ts';

const flow: Flow = {
  format: 1,
  id: 'a',
  nodes: {},
  edges: [
    { from: 'a.out', to: 'b.in' },
    { from: 'a.out', to: 'c.in' },
  ],
};

const problem = (field: string, more: Partial<Problem> = {}): Problem => ({
  code: 'type-mismatch',
  severity: 'error',
  message: `At ${field}.`,
  field,
  ...more,
});

test('an edge has the problem whose field names it, the worst one first', () => {
  const problems = [
    problem('edges[1].to', { severity: 'warning' }),
    problem('edges[1].from'),
    problem('edges[0]', { node: 'b' }),
    problem('settings.timeoutMs'),
  ];
  const found = edgeProblems(problems, flow);
  expect([...found.keys()]).toEqual(['a.out>c.in']);
  expect(found.get('a.out>c.in')?.message).toBe('At edges[1].from.');
});

test('a field of another edge than those of the flow belongs to none', () => {
  expect(edgeOfProblem(problem('edges[7].to'), flow)).toBeUndefined();
});
