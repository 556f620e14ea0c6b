import { expect, test } from 'vitest';
import { builtIns, flowOf } from '../testing/play.ts';
import { check } from './index.ts';

function problemsOf(operator: string, params: object, attempts = 3) {
  const retry = { attempts, backoffMs: 1, factor: 1, jitter: 0 };
  const node = { operator, params: { ...params }, retry };
  const world = { routes: [], variables: [], secrets: [] };
  return check(flowOf({ t: 'trigger.manual', c: node }, ['t > c']), builtIns.catalog, world).filter(
    ({ code }) => code === 'idle-retry',
  );
}

test('a retry of code whose errors are all final is reported, with a remedy', () => {
  const source = "if (!input) throw new Error('Empty.'); return input;";
  expect(problemsOf('code.run', { source })).toEqual([
    expect.objectContaining({
      severity: 'warning',
      node: 'c',
      message: expect.stringContaining('retryable: true'),
    }),
  ]);
  expect(problemsOf('code.run', { source }, 1)).toEqual([]);
});

test.each([
  "throw Object.assign(new Error('Later.'), { retryable: true });",
  "return (await ctx.fetch('https://a.example/')).status;",
  'const { fetch: ask } = ctx; return ask(input);',
])('a retry of code whose failures can be temporary is accepted: %s', (source) => {
  expect(problemsOf('code.run', { source })).toEqual([]);
});

test('so is a retry of a node that lists the errors to retry', () => {
  expect(problemsOf('http.request', { url: 'https://a.example/' })).toEqual([]);
});
