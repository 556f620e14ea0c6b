import type { FlowTestReport, RunTestsBody } from '#shared/flow-test-api.ts';

/** After some of the tests ran again: their results are new, those of the others and what all of them cover stay. */
export function mergeReports(
  known: FlowTestReport | undefined,
  news: FlowTestReport,
  { names }: Pick<Partial<RunTestsBody>, 'names'>,
): FlowTestReport {
  if (known === undefined || names === undefined) return news;
  const again = new Set(names);
  return {
    results: [...known.results.filter(({ name }) => !again.has(name)), ...news.results],
    coverage: known.coverage,
  };
}
