import type { Plan, Step } from '../plan/plan.ts';
import { readersOf } from './substitute.ts';

/** What to execute in a partial run. At most one of `only` and `from` is set. */
export interface Wanted {
  /** Execute this node, and of the others only those whose outputs it needs and that have none. */
  readonly only?: string | undefined;
  /** Execute this node and all that depend on it. */
  readonly from?: string | undefined;
  /** Nodes whose outputs were edited by hand: the nodes that depend on them are executed. */
  readonly changed: ReadonlySet<string>;
  /** Nodes whose outputs are pinned. */
  readonly pinned: ReadonlySet<string>;
  /** Nodes whose own output now differs from the earlier run, with the reason: no longer pinned, another input. */
  readonly altered: ReadonlyMap<string, string>;
  /** Nodes that the flow's author has changed since the earlier run. */
  readonly edited: ReadonlySet<string>;
  /** Outputs of an earlier run: true if they can be reused, otherwise the reason why not. Absent: the node did not succeed. */
  readonly earlier: ReadonlyMap<string, true | string>;
  /** Whether there is an earlier run to take outputs from. */
  readonly reuses: boolean;
}

/** A partial run does this with a node. */
export type Doing = 'run' | 'pinned' | 'changed' | 'reused' | 'left-out';

/** What happens to one node, and why, in plain words. */
export interface Decision {
  readonly node: string;
  readonly does: Doing;
  readonly reason: string;
}

/**
 * The nodes that run and change something outside although nobody requested them: they are neither requested nor edited by
 * hand, and do not depend on such a node. Empty if the whole flow was requested.
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
 * D1. An edited or pinned node never runs, unless it is the requested node itself.
 * D2. The requested node, and all nodes that depend on it or on a change, run. Without a request it is the whole flow, or
 *     the nodes that an earlier run did not reach. With `only`, outputs that depend on a change count as missing instead.
 * D3. Every other node reuses its earlier outputs if it has any. Otherwise it runs if a node that runs needs it, and is left
 *     out if none does.
 * D4. A node depends on the sources of its edges and on the nodes that it reads by `nodes.…`. A node with fixed outputs does
 *     not pass a change on.
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
  /** Why it must run, even if it has outputs. */
  readonly why: string | undefined;
  /** The changed node that it depends on. */
  readonly cause: string | undefined;
  /** It depends on the only requested node. */
  readonly isAfter: boolean;
  /** A step that runs and reads it. */
  readonly neededBy: Step | undefined;
}

function decideOne({ step, wanted, fixed, why, cause, isAfter, neededBy }: Case): Decision {
  const node = step.id;
  if (fixed === 'changed') return { node, does: 'changed', reason: 'Its output was edited by hand.' };
  if (fixed === 'pinned') return { node, does: 'pinned', reason: 'Its output is pinned.' };
  if (why !== undefined) return { node, does: 'run', reason: why };
  if (isAfter) return { node, does: 'left-out', reason: `It comes after ${wanted.only}.` };
  const changed = wanted.altered.has(node) ? 'it has changed' : undefined;
  const since = cause === undefined ? changed : `it depends on ${cause}, which has changed`;
  const earlier = since ?? wanted.earlier.get(node);
  if (earlier === true) return { node, does: 'reused', reason: 'Its output of the earlier run is reused.' };
  if (neededBy === undefined) return { node, does: 'left-out', reason: 'No node that runs needs it.' };
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

/** The sources of a step's edges, and the steps that it reads. */
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

/** By step, the changed node that it depends on. */
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
  if (id === only || id === from) return 'It was requested.';
  if (isFixed || only !== undefined) return undefined;
  const other = altered.get(id);
  if (other !== undefined) return other;
  if (cause !== undefined) return `It depends on ${cause}.`;
  if (from !== undefined || changed.size > 0) return undefined;
  if (!reuses) return 'The whole flow runs.';
  if (edited.has(id)) return 'It, or what it depends on, has been changed since the earlier run.';
  return earlier.has(id) ? undefined : 'It did not finish in the earlier run.';
}

/** The changed node that later steps depend on, through this one. */
function nextCause(
  { id }: Step,
  { from, changed, altered }: Wanted,
  { cause, isFixed }: Standing,
): string | undefined {
  if (id === from || changed.has(id) || altered.has(id)) return id;
  return isFixed ? undefined : cause;
}
