import { formatFlow } from '#engine/check';
import { applyFix } from '#engine/edit';
import type { Fix } from '#shared/problem.ts';
import type { Examined } from '../../../flows/service/examine.ts';
import { isApplicable } from '../show/print-problems.ts';

export interface FixedFlow {
  /** Canonical if a fix was applied. */
  readonly text: string;
  readonly applied: readonly Fix[];
}

/** Stops fixes that require each other endlessly. */
const MAX_FIXES = 1000;

/**
 * Applies the fixes of a flow's errors one at a time, each to the result of the previous ones, since one fix may make
 * another one unnecessary.
 */
export function fixFlow(first: Examined, examine: (text: string) => Examined): FixedFlow {
  const applied: Fix[] = [];
  const seen = new Set<string>();
  let examined = first;
  let text = first.source;
  while (applied.length < MAX_FIXES) {
    const next = nextFix(examined, seen);
    if (next === undefined) break;
    text = next.text;
    seen.add(text);
    applied.push(next.fix);
    examined = examine(text);
  }
  return { text, applied };
}

/** The first fix that changes the flow to a state that it has not had yet. */
function nextFix(
  { flow, problems }: Examined,
  seen: ReadonlySet<string>,
): { fix: Fix; text: string } | undefined {
  if (!flow) return undefined;
  for (const problem of problems) {
    if (!isApplicable(problem) || !problem.fix) continue;
    const changed = applyFix(flow, problem.fix);
    const text = changed === flow ? undefined : formatFlow(changed);
    if (text !== undefined && !seen.has(text)) return { fix: problem.fix, text };
  }
  return undefined;
}
