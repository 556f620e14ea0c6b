import { z } from 'zod';
import { RunSummary, Tokens } from './run-event.ts';

/** Where a run's time went: answered at `/api/v1/runs/:id/timeline`. All times are milliseconds. */

export const SpanWait = z.object({
  /**
   * `turn`: for a place among the steps at work; `retry`: before another attempt; `queue`: for a connection that others had;
   * `outside`: for a person, a time, an event.
   */
  kind: z.enum(['turn', 'retry', 'queue', 'outside']),
  /** After the start of the whole run. */
  start: z.number(),
  ms: z.number(),
  /** What it waits for, where that was said. */
  for: z.string().optional(),
});
export type SpanWait = z.infer<typeof SpanWait>;

export const TimelineSpan = z.object({
  id: z.string(),
  /** Id of the span that it is a part of. */
  parent: z.string().optional(),
  /** `round`: one time that the body of the node above it ran. */
  kind: z.enum(['node', 'run', 'round']),
  /**
   * 0 for the nodes of the run itself; runs that are parts of it and their nodes are below the node that called them, rounds and what
   * is in them below their container.
   */
  depth: z.int(),
  run: z.string(),
  flow: z.string(),
  /** For a node: its id, its name and its operator, where they are known. */
  node: z.string().optional(),
  name: z.string().optional(),
  /** For a round, and for a node in one: its place, such as `loop#3`. */
  round: z.string().optional(),
  /** For a round: the `id` of its input, or the input itself if it is short. */
  key: z.string().optional(),
  operator: z.string().optional(),
  status: z.enum(['running', 'ok', 'failed', 'cancelled', 'abandoned']),
  /** After the start of the whole run. */
  start: z.number(),
  ms: z.number(),
  /** The part of `ms` that is neither waiting nor the time of its parts. */
  selfMs: z.number(),
  waits: z.array(SpanWait),
  attempts: z.int(),
  /** It is one of those that the run took its time for. */
  critical: z.boolean(),
  tokens: Tokens.optional(),
  cost: z.number().optional(),
  model: z.string().optional(),
  /** Code of the error. */
  error: z.string().optional(),
});
export type TimelineSpan = z.infer<typeof TimelineSpan>;

export const RunTimeline = z.object({
  summary: RunSummary,
  /** Until now, while it is in progress. */
  ms: z.number(),
  /** False where the times of its nodes were not taken: nobody watched, and the flow does not record everything. */
  timed: z.boolean(),
  /** False where the version that ran is not kept: then nothing is marked as critical. */
  graph: z.boolean(),
  /** Time of the nodes on the critical path, each from the end of the one before it. */
  criticalMs: z.number(),
  /** Each behind what it is a part of; by start within it. */
  spans: z.array(TimelineSpan),
  /** There are more runs that are parts of it than are told here. */
  cut: z.boolean(),
});
export type RunTimeline = z.infer<typeof RunTimeline>;
