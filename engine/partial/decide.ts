import type { Plan, Step } from '../plan/plan.ts';
import { readersOf } from './substitute.ts';

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
  /** Nodes that give something else than in the earlier run by themselves, with why they then run: pinned otherwise, another input. */
  readonly altered: ReadonlyMap<string, string>;
  /** Nodes that the flow's author has changed since the earlier run. */
  readonly edited: ReadonlySet<string>;
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
 * The nodes that run and change something outside though nobody asked for them: they are neither asked for or changed by hand nor
 * depend on such a node. None where no part of the flow was asked for.
 */
export function unaskedWrites(
  plan: Plan,
  { only, from, changed }: Wanted,
  decisions: readonly Decision[],
): Decision[] {
  const asked = new Set([...((only ?? from) ? [only ?? (from as string)] : []), ...changed]);
  if (asked.size === 0) return [];
  const dependents = dependentsOf(plan);
  const reached = new Set(plan.steps.flatMap(({ id, index }) => (asked.has(id) ? [index] : [])));
  for (const step of plan.steps)
    if (reached.has(step.index)) for (const index of dependents(step)) reached.add(index);
  const running = new Map(decisions.flatMap((one) => (one.does === 'run' ? [[one.node, one] as const] : [])));
  return plan.steps.flatMap((step) => {
    const decision = running.get(step.id);
    const isWrite = step.effects === 'write' && step.operator.respond !== true && step.disabled === 'no';
    return decision !== undefined && isWrite && !reached.has(step.index) ? [decision] : [];
  });
}

/**
 * Decides for each node of a plan whether it runs, in topological order.
 * D1. What is changed or pinned never runs, unless it is the very node that was asked for.
 * D2. What was asked for, and what depends on it or on a change, runs. Where nothing was, it is the whole flow, or what an earlier
 *     run did not get to. Of `only` one node, what depends on a change counts as not there instead.
 * D3. Everything else takes its earlier outputs where it has any; else it runs where something that runs needs it, and is left
 *     out where nothing does.
 * D4. A node depends on those at the other end of its edges and on those that it reads by `nodes.…`; on the way, a node whose
 *     outputs are fixed passes no change on.
 */
export function decide(plan: Plan, wanted: Wanted): Decision[] {
  const asked = wanted.only ?? wanted.from;
  const fixed = (step: Step): Doing | undefined => {
    if (step.id === asked) return undefined;
    if (wanted.changed.has(step.id)) return 'changed';
    return wanted.pinned.has(step.id) ? 'pinned' : undefined;
  };
  const dependents = dependentsOf(plan);
  const causes = causesOf(plan, wanted, { dependents, fixed });
  const after = wanted.only === undefined ? new Set<number>() : below(plan, wanted.only);
  const running = new Set<number>();
  const decisions: Decision[] = [];
  for (const step of plan.steps.toReversed()) {
    const neededBy = dependents(step)
      .map((index) => plan.steps[index] as Step)
      .find(({ index }) => running.has(index));
    const cause = causes.get(step.index);
    const decision = decideOne({
      step,
      wanted,
      fixed: fixed(step),
      why: whyRuns(step, wanted, { cause, isFixed: fixed(step) !== undefined }),
      cause,
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
  /** What it depends on that is not as it was. */
  readonly cause: string | undefined;
  /** It depends on the only node that was asked for. */
  readonly isAfter: boolean;
  /** A step that runs and reads it. */
  readonly neededBy: Step | undefined;
}

function decideOne({ step, wanted, fixed, why, cause, isAfter, neededBy }: Case): Decision {
  const node = step.id;
  if (fixed === 'changed') return { node, does: 'changed', reason: 'Its output was changed by hand.' };
  if (fixed === 'pinned') return { node, does: 'pinned', reason: 'Its output is pinned.' };
  if (why !== undefined) return { node, does: 'run', reason: why };
  if (isAfter) return { node, does: 'left-out', reason: `It comes after ${wanted.only}.` };
  const changed = wanted.altered.has(node) ? 'it is not as it was' : undefined;
  const since = cause === undefined ? changed : `it depends on ${cause}, which is not as it was`;
  const earlier = since ?? wanted.earlier.get(node);
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

/** The steps at the other end of a step's edges, and those that read it. */
function dependentsOf(plan: Plan): (step: Step) => readonly number[] {
  const readers = readersOf(plan);
  return ({ index, next }) => {
    const more = readers.get(index);
    return more === undefined ? next : [...next, ...more];
  };
}

interface Ways {
  readonly dependents: (step: Step) => readonly number[];
  readonly fixed: (step: Step) => Doing | undefined;
}

/** By step, what it depends on that is not as it was. */
function causesOf(plan: Plan, wanted: Wanted, { dependents, fixed }: Ways): ReadonlyMap<number, string> {
  const causes = new Map<number, string>();
  for (const step of plan.steps) {
    const cause = causes.get(step.index);
    const next = nextCause(step, wanted, { cause, isFixed: fixed(step) !== undefined });
    if (next === undefined) continue;
    for (const index of dependents(step)) if (!causes.has(index)) causes.set(index, next);
  }
  return causes;
}

interface Standing {
  readonly cause: string | undefined;
  readonly isFixed: boolean;
}

function whyRuns({ id }: Step, wanted: Wanted, { cause, isFixed }: Standing): string | undefined {
  const { only, from, changed, altered, edited, earlier, reuses } = wanted;
  if (id === only || id === from) return 'It was asked for.';
  if (isFixed || only !== undefined) return undefined;
  const other = altered.get(id);
  if (other !== undefined) return other;
  if (cause !== undefined) return `It depends on ${cause}.`;
  if (from !== undefined || changed.size > 0) return undefined;
  if (!reuses) return 'The whole flow runs.';
  if (edited.has(id)) return 'It, or what it depends on, has been changed since the earlier run.';
  return earlier.has(id) ? undefined : 'It did not finish in the earlier run.';
}

/** What the steps behind this one depend on, through it. */
function nextCause(
  { id }: Step,
  { from, changed, altered }: Wanted,
  { cause, isFixed }: Standing,
): string | undefined {
  if (id === from || changed.has(id) || altered.has(id)) return id;
  return isFixed ? undefined : cause;
}
