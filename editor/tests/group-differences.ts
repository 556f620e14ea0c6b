import type { FlowTestResult } from '#shared/flow-test-api.ts';

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
