import type { FlowTestReport, FlowTestResult, RunTestsBody } from '#shared/flow-test-api.ts';

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

export function resultText({ results }: FlowTestReport): string {
  const failed = results.filter(({ passed, updated }) => !passed && !updated).length;
  return `${results.length - failed} passed, ${failed} failed`;
}

type Difference = FlowTestResult['differences'][number];

export interface NodeDifferences {
  /** Undefined for the run as a whole: its status, its answer. */
  readonly node: string | undefined;
  readonly differences: readonly Difference[];
}

/** Differences grouped by their node, in order. */
export function groupDifferences(
  differences: readonly Difference[],
  isNode: (id: string) => boolean,
): NodeDifferences[] {
  const groups = new Map<string | undefined, Difference[]>();
  for (const difference of differences) {
    const dot = difference.path.indexOf('.');
    const first = dot < 0 ? difference.path : difference.path.slice(0, dot);
    const node = isNode(first) ? first : undefined;
    groups.set(node, [...(groups.get(node) ?? []), difference]);
  }
  return [...groups].map(([node, own]) => ({ node, differences: own }));
}
