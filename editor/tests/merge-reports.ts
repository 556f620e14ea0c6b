import type { FlowTestReport, RunTestsBody } from '#shared/flow-test-api.ts';

/** Merges a rerun of some tests: their results are replaced, those of the others and the coverage of all stay. */
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
