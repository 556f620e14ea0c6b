import { expect, test } from 'vitest';
import type { FlowTestReport } from '#shared/flow-test-api.ts';
import { groupDifferences, mergeReports } from './results.ts';

const report = (names: readonly string[], passed: boolean, hit: number): FlowTestReport => {
  const part = { hit, of: 4, missed: [] };
  const results = names.map((name) => ({ name, passed, updated: false, differences: [], ms: 1 }));
  return { results, coverage: { nodes: part, edges: part, branches: part } };
};

test('one test that runs again changes its result alone, and not what all of them cover', () => {
  const all = report(['a', 'b'], false, 4);
  const merged = mergeReports(all, report(['b'], true, 1), { names: ['b'] });
  expect(merged.results.map(({ name, passed }) => [name, passed])).toEqual([
    ['a', false],
    ['b', true],
  ]);
  expect(merged.coverage).toBe(all.coverage);
});

test('after a run of all nothing of the one before is left', () => {
  const news = report(['a'], true, 2);
  expect(mergeReports(report(['a', 'gone'], false, 4), news, {})).toBe(news);
});

test('differences are grouped by node; those of the answer stand for themselves', () => {
  const paths = ['price.out', 'answerStatus', 'price.out.tax', 'answer.text'];
  const groups = groupDifferences(
    paths.map((path) => ({ path })),
    (id) => id === 'price',
  );
  expect(groups.map(({ node, differences }) => [node, differences.map(({ path }) => path)])).toEqual([
    ['price', ['price.out', 'price.out.tax']],
    [undefined, ['answerStatus', 'answer.text']],
  ]);
});
