import type { Plan, Step } from '../compile/plan.ts';

/** What is wanted of a run that need not carry out everything. At most one of `only` and `from`. */
export interface Wanted {
  /** Carry out this node; of the others only what it needs and nobody has. */
  readonly only?: string | undefined;
  /** Carry out this node and all that depends on it. */
  readonly from?: string | undefined;
  /** Nodes whose outputs were changed by hand: what depends on them is carried out. */
  readonly changed: ReadonlySet<string>;
  /** Nodes whose outputs are pinned. */
  readonly pinned: ReadonlySet<string>;
  /** Outputs of an earlier run: true where they can be used, else why not. Absent: the node did not end well. */
  readonly earlier: ReadonlyMap<string, true | string>;
  /** There is an earlier run to take outputs from. */
  readonly reuses: boolean;
}

export type Doing = 'run' | 'pinned' | 'changed' | 'reused' | 'left-out';

/** What becomes of one node, and why, in plain words. */
export interface Decision {
  readonly node: string;
  readonly does: Doing;
  readonly reason: string;
}

/**
 * Decides for each node of a plan whether it runs, in topological order.
 * D1. What is changed or pinned never runs, unless it is the very node that was asked for.
 * D2. What was asked for, and what depends on it or on a change, runs. Where nothing was, it is the whole flow, or what an earlier
 *     run did not get to.
 * D3. Everything else takes its earlier outputs where it has any; else it runs where something that runs needs it, and is left
 *     out where nothing does.
 */
export function decide(plan: Plan, wanted: Wanted): Decision[] {
  const asked = wanted.only ?? wanted.from;
  const fixed = (step: Step): Doing | undefined => {
    if (step.id === asked) return undefined;
    if (wanted.changed.has(step.id)) return 'changed';
    return wanted.pinned.has(step.id) ? 'pinned' : undefined;
  };
  const fresh = stale(plan, wanted, fixed);
  const after = wanted.only === undefined ? new Set<number>() : below(plan, wanted.only);
  const running = new Set<number>();
  const decisions: Decision[] = [];
  for (const step of plan.steps.toReversed()) {
    const neededBy = step.next
      .map((index) => plan.steps[index] as Step)
      .find(({ index }) => running.has(index));
    const decision = decideOne({
      step,
      wanted,
      fixed: fixed(step),
      why: fresh.get(step.index),
      isAfter: after.has(step.index),
      neededBy,
    });
    if (decision.does === 'run') running.add(step.index);
    decisions.unshift(decision);
  }
  return decisions;
}

interface Case {
  readonly step: Step;
  readonly wanted: Wanted;
  readonly fixed: Doing | undefined;
  /** Why it has to run, whatever is there. */
  readonly why: string | undefined;
  /** It depends on the only node that was asked for. */
  readonly isAfter: boolean;
  /** A step that runs and reads it. */
  readonly neededBy: Step | undefined;
}

function decideOne({ step, wanted, fixed, why, isAfter, neededBy }: Case): Decision {
  const node = step.id;
  if (fixed === 'changed') return { node, does: 'changed', reason: 'Its output was changed by hand.' };
  if (fixed === 'pinned') return { node, does: 'pinned', reason: 'Its output is pinned.' };
  if (why !== undefined) return { node, does: 'run', reason: why };
  if (isAfter) return { node, does: 'left-out', reason: `It comes after ${wanted.only}.` };
  const earlier = wanted.earlier.get(node);
  if (earlier === true)
    return { node, does: 'reused', reason: 'Its output of the earlier run is used again.' };
  if (neededBy === undefined) return { node, does: 'left-out', reason: 'Nothing that runs needs it.' };
  const lack =
    earlier ?? (wanted.reuses ? 'it did not finish in the earlier run' : 'there is no earlier run');
  return { node, does: 'run', reason: `${neededBy.id} needs its output, and ${lack}.` };
}

/** The steps that depend on a node. */
function below(plan: Plan, node: string): ReadonlySet<number> {
  const found = new Set<number>();
  for (const step of plan.steps)
    if (step.id === node || found.has(step.index)) for (const index of step.next) found.add(index);
  return found;
}

/** Steps that have to run, with why. */
function stale(
  plan: Plan,
  wanted: Wanted,
  fixed: (step: Step) => Doing | undefined,
): ReadonlyMap<number, string> {
  const reasons = new Map<number, string>();
  /** By step, what it depends on that is not as it was. */
  const causes = new Map<number, string>();
  for (const step of plan.steps) {
    const cause = causes.get(step.index);
    const why = whyRuns(step, wanted, { cause, isFixed: fixed(step) !== undefined });
    if (why !== undefined) reasons.set(step.index, why);
    const next = nextCause(step, wanted, { cause, isFixed: fixed(step) !== undefined });
    if (next === undefined) continue;
    for (const index of step.next) if (!causes.has(index)) causes.set(index, next);
  }
  return reasons;
}

interface Standing {
  readonly cause: string | undefined;
  readonly isFixed: boolean;
}

function whyRuns({ id }: Step, wanted: Wanted, { cause, isFixed }: Standing): string | undefined {
  const { only, from, changed, earlier, reuses } = wanted;
  if (id === only || id === from) return 'It was asked for.';
  if (isFixed) return undefined;
  if (cause !== undefined) return `It depends on ${cause}.`;
  if (only !== undefined || from !== undefined || changed.size > 0) return undefined;
  if (!reuses) return 'The whole flow runs.';
  return earlier.has(id) ? undefined : 'It did not finish in the earlier run.';
}

/** What the steps behind this one depend on, through it. */
function nextCause(
  { id }: Step,
  { only, from, changed }: Wanted,
  { cause, isFixed }: Standing,
): string | undefined {
  if (id === from || changed.has(id)) return id;
  return id === only || isFixed ? undefined : cause;
}
