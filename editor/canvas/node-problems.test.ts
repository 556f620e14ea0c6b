import { expect, test } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import { problemsOf } from './node-problems.ts';

test('a card tells the worst problem of its node in plain text', () => {
  const problems = [
    { node: 'ask', severity: 'warning', code: 'unreachable', message: 'No trigger leads to “Ask”.' },
    { node: 'ask', severity: 'error', code: 'required', message: 'The input `in` of “Ask” needs an edge.' },
    { severity: 'error', code: 'flow', message: 'The flow has no `id`.' },
  ] as unknown as readonly Problem[];
  expect(problemsOf(problems, 'ask')).toEqual({
    errors: 1,
    warnings: 1,
    first: 'The input in of “Ask” needs an edge.',
    text: 'No trigger leads to “Ask”.\nThe input in of “Ask” needs an edge.',
  });
  expect(problemsOf(problems, 'other')).toBeUndefined();
});
