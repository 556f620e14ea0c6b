import { z } from 'zod';
import { RunSummary } from './run-event.ts';

/** How two runs differ, node by node; `before` is the run that is compared with. */

/** `open`: it had begun when the run ended. `none`: the run has no such node, or did not get to it. */
export const RunNodeState = z.enum(['ok', 'failed', 'skipped', 'open', 'none']);
export type RunNodeState = z.infer<typeof RunNodeState>;

/** One difference; an end that is absent was or is not there. */
export const ValueChange = z.object({
  /** Begins with the output port, or with `error`: `out.items[0].name`. */
  place: z.string(),
  /** As it was recorded; `{"$items": n}` stands for a stream of n items. */
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export type ValueChange = z.infer<typeof ValueChange>;

export const RunNodeDiff = z.object({
  node: z.string(),
  status: z.object({ before: RunNodeState, after: RunNodeState }),
  /** Milliseconds; absent where the node was not timed. */
  ms: z.object({ before: z.number().optional(), after: z.number().optional() }),
  changes: z.array(ValueChange),
  /** Changes of this node beyond those that are listed. */
  more: z.int().optional(),
});
export type RunNodeDiff = z.infer<typeof RunNodeDiff>;

export const RunDiff = z.object({
  before: RunSummary,
  after: RunSummary,
  /** Whether both runs were of the same version of the same flow. */
  sameVersion: z.boolean(),
  /** What the runs were started with, where that differs; places begin with `input`. */
  input: z.array(ValueChange),
  /**
   * Only nodes that differ in status, outputs or error, or of which one took twice as long and at least 100 ms longer; in the
   * order in which the runs came to them.
   */
  nodes: z.array(RunNodeDiff),
  /** Nodes that do not differ. */
  same: z.int(),
});
export type RunDiff = z.infer<typeof RunDiff>;
