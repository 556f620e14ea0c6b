import type { RunDiff, RunNodeDiff, ValueChange } from '#shared/run-diff.ts';
import { jsonChanges } from './json-changes.ts';
import type { KeptRun } from '../kept-run.ts';
import { inputOf, type RunNode, runNodes } from './run-nodes.ts';

/** The most listed changes of one node. */
const MAX_CHANGES = 100;
/** A slower node is reported if it takes this many times as long, and this many milliseconds longer. */
const SLOWER = { times: 2, ms: 100 } as const;

const NONE: RunNode = { state: 'none', ms: undefined, error: undefined, outputs: {} };

/** Which differences between two runs count. */
export interface DiffRules {
  /** Whether a change counts; by default all do. */
  readonly isMeant?: (change: ValueChange) => boolean;
  /** Whether a node that took much longer differs. */
  readonly times?: boolean;
}

/** How the second run differs from the first; nodes without differences are only counted. */
export function runDiff(before: KeptRun, after: KeptRun, rules: DiffRules = {}): RunDiff {
  const [old, now] = [runNodes(before.events), runNodes(after.events)];
  const all = [...new Set([...old.keys(), ...now.keys()])];
  const nodes = all.flatMap(
    (id) => nodeDiff(id, { before: old.get(id) ?? NONE, after: now.get(id) ?? NONE, rules }) ?? [],
  );
  const [first, second] = [before.summary, after.summary];
  return {
    before: first,
    after: second,
    sameVersion: first.flow === second.flow && first.version === second.version,
    input: jsonChanges('input', inputOf(before.events), inputOf(after.events)).slice(0, MAX_CHANGES),
    nodes,
    same: all.length - nodes.length,
  };
}

interface TwoNodes {
  readonly before: RunNode;
  readonly after: RunNode;
  readonly rules: DiffRules;
}

function nodeDiff(
  node: string,
  { before, after, rules: { isMeant = () => true, times = true } }: TwoNodes,
): RunNodeDiff | undefined {
  const changes = [
    ...jsonChanges('error', before.error, after.error),
    ...portChanges(before.outputs, after.outputs),
  ].filter(isMeant);
  const slower = times && isMuchSlower(before.ms, after.ms);
  if (before.state === after.state && changes.length === 0 && !slower) return undefined;
  const more = changes.length - MAX_CHANGES;
  return {
    node,
    status: { before: before.state, after: after.state },
    ms: {
      ...(before.ms !== undefined && { before: before.ms }),
      ...(after.ms !== undefined && { after: after.ms }),
    },
    changes: changes.slice(0, MAX_CHANGES),
    ...(more > 0 && { more }),
  };
}

function portChanges(before: RunNode['outputs'], after: RunNode['outputs']): ValueChange[] {
  const ports = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...ports].flatMap((port) => {
    const [old, now] = [before[port], after[port]];
    if (!isStandIn(old) && !isStandIn(now)) return jsonChanges(port, old, now);
    return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ place: port, before: old, after: now }];
  });
}

/** Whether this is a stream or a value that was not stored unchanged: its inner structure is not the value's. */
function isStandIn(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const [only, ...others] = Object.keys(value);
  return only?.startsWith('$') === true && others.length === 0;
}

/** In either direction, because a node that became faster is of interest too. */
function isMuchSlower(before: number | undefined, after: number | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const [less, more] = before < after ? [before, after] : [after, before];
  return more >= SLOWER.times * less && more - less >= SLOWER.ms;
}
