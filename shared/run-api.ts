import { z } from 'zod';
import { Id } from './flow.ts';
import { NodeDecision, RoundRow, RunError, RunEvent, RunSummary, Tokens } from './run-event.ts';

/** What is asked and answered about runs; part of `api.ts`. */

/** Unix milliseconds, a day (its begin in UTC), or ISO 8601 with a zone; read as milliseconds. */
const Time = z.union(
  [
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
    z.union([z.iso.date(), z.iso.datetime({ offset: true })]).transform((text) => Date.parse(text)),
  ],
  'Give Unix milliseconds, a day such as 2026-11-01, or a time with its zone such as 2026-11-01T08:00:00Z',
);

export const RunListQuery = z.strictObject({
  flow: Id.optional(),
  status: RunSummary.shape.status.optional(),
  source: RunSummary.shape.source.optional().describe('What started it.'),
  code: z.string().min(1).max(64).optional().describe('Code of the error that it failed with.'),
  since: Time.optional().describe(
    'Started then or later: Unix milliseconds, a day (UTC), or ISO 8601 with a zone.',
  ),
  until: Time.optional().describe('Started before then.'),
  text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Part of its id, its flow’s id or its error, in upper or lower case.'),
  value: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Part of a value that was recorded of it: of its input or of an output of a node, in upper or lower case. Looks into 500 runs at a time, so a page may hold few runs, or none, and still have a `next`; runs in progress are left out.',
    ),
  parent: z.string().min(1).max(64).optional().describe('Id of a run; those that it started itself.'),
  nested: z
    .stringbool()
    .default(false)
    .describe(
      'With those that other runs started as a part of themselves; without `parent` they are left out.',
    ),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  before: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('Id of a run; older ones follow. `next` of the page before.'),
});
export type RunListQuery = z.infer<typeof RunListQuery>;

/** What became of runs that were to be deleted. */
export const DeletedRuns = z.object({
  deleted: z.int(),
  /** Present when others may follow: the `before` to go on with. */
  next: z.string().optional(),
});
export type DeletedRuns = z.infer<typeof DeletedRuns>;

export const RunPage = z.object({
  runs: z.array(RunSummary),
  /** Present when older runs may follow: the `before` to ask with. */
  next: z.string().optional(),
  /** Present when servers of the same database did not answer in time: their names; their runs in progress are left out. */
  missing: z.array(z.string()).optional(),
  /** For a search for a value: how many runs were looked at for this page, and of how many of them values were recorded. */
  searched: z.object({ runs: z.int(), recorded: z.int() }).optional(),
});
export type RunPage = z.infer<typeof RunPage>;

export const RunEventsQuery = z.strictObject({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  limit: z.coerce.number().int().min(1).max(10_000).default(1000),
});
export type RunEventsQuery = z.infer<typeof RunEventsQuery>;

export const RunRoundsQuery = z.strictObject({
  within: z
    .string()
    .max(500)
    .optional()
    .describe('Of a container in the body of another one: the round that it is in, such as `loop#3`.'),
  sort: z
    .enum(['problems', 'order'])
    .default('problems')
    .describe('`problems`: failed rounds first, then the slowest. `order`: as they began.'),
  after: z.coerce.number().int().min(0).max(1_000_000).default(0).describe('How many rounds to pass over.'),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

/** The rounds of a container: sums over all of them, and one page of those that are told of. */
export const RunRounds = z.object({
  count: z.int(),
  failed: z.int(),
  /** Time of all rounds together, in milliseconds. */
  ms: z.number().optional(),
  tokens: Tokens.optional(),
  cost: z.number().optional(),
  /** How many rounds there are rows of; of thousands the first, the first failed and the slowest ones. */
  told: z.int(),
  rounds: z.array(
    RoundRow.extend({
      /** The whole place, as events of its nodes have it in `round`. */
      place: z.string(),
      /** Whether the nodes of the round are recorded. */
      recorded: z.boolean(),
    }),
  ),
  /** `after` for the next page; absent at the end. */
  next: z.int().optional(),
});
export type RunRounds = z.infer<typeof RunRounds>;

/** A hole in a sequence, announced; `to` is 2^53 - 1 where nobody counted what is gone. */
export const Gap = z.object({ kind: z.literal('gap'), from: z.int(), to: z.int(), reason: z.string() });

export const RunEventPage = z.object({
  events: z.array(z.union([RunEvent, Gap])),
  /** Whether more are there already: ask again with `after` = the last one's `seq` (of a gap: `to`). */
  more: z.boolean(),
});
export type RunEventPage = z.infer<typeof RunEventPage>;

/** One run with all that is kept of it, as a file. */
export const RunExport = z.object({
  format: z.literal('weft.run/1'),
  summary: RunSummary,
  events: z.array(z.union([RunEvent, Gap])),
  /** Values too large to stand in an event, by the hash that stands there (`{"$large": {"hash": …}}`). */
  values: z.record(z.string(), z.unknown()).optional(),
});
export type RunExport = z.infer<typeof RunExport>;

/** Outputs by node and port; the items of a stream as a list. */
export const NodeOutputs = z.record(Id, z.record(Id, z.json()));
export type NodeOutputs = z.infer<typeof NodeOutputs>;

export const PinBody = z.strictObject({
  outputs: z.record(Id, z.json()),
  run: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('The run whose record they come from: its large values are then taken whole.'),
});
export type PinBody = z.infer<typeof PinBody>;

export const RenamePinBody = z.strictObject({ to: Id.describe('The id that the node has now.') });

const startParts = {
  draft: z.boolean().default(false).describe('Run the draft instead of the live version.'),
  wait: z.boolean().default(true).describe('Answer when the run has ended; else at once with 202.'),
  stream: z
    .boolean()
    .default(false)
    .describe(
      'Answer as it goes, with lines of JSON (`application/x-ndjson`): `started`, `answer`, each `item` of an answer that is a stream, `ended`. The run goes on when the caller leaves.',
    ),
  only: Id.optional().describe('Run this node, and of the others only what it needs and no earlier run has.'),
  round: z
    .union([
      z.int().min(0),
      z
        .string()
        .max(500)
        .regex(/^[a-z]\w*#\d+(\/[a-z]\w*#\d+)*$/, 'must be written loop#3 or loop#3/group#0'),
    ])
    .optional()
    .describe(
      'Of `only` in a body: which round runs, from 0; of loops in loops its place, such as `loop#3/inner#0`. The first one if it is left out.',
    ),
  from: Id.optional().describe('Run this node and all that depends on it.'),
  outputs: NodeOutputs.optional().describe(
    'Outputs to use instead of running their nodes; what depends on them runs.',
  ),
  pins: z.boolean().default(true).describe('Use the pinned outputs of the flow.'),
  allowWrites: z
    .array(Id)
    .max(10_000)
    .optional()
    .describe('Nodes that may change something outside though only what was asked for needs them.'),
};

/** A schedule of a live flow. */
export const Schedule = z.object({
  flow: z.string(),
  node: z.string(),
  cron: z.string(),
  timezone: z.string(),
  /** ISO 8601; absent while it is paused, and when its pattern names no time any more. */
  next: z.string().optional(),
  /**
   * Everything up to this time has been started, or left out as `catchUp` says. Absent if this server starts no
   * schedules.
   */
  seenTo: z.string().optional(),
  /** Present while it is paused: who paused it, and when (ISO 8601). */
  paused: z.object({ by: z.string(), at: z.string() }).optional(),
});
export type Schedule = z.infer<typeof Schedule>;

export const KeepTestBody = z.strictObject({
  name: z.string().min(1).max(200).optional().describe('What the test is called; by default after the run.'),
});
export type KeepTestBody = z.infer<typeof KeepTestBody>;

export const StartRunBody = z.strictObject({
  trigger: Id.optional().describe('The trigger node; needed when the flow has several.'),
  input: z.json().optional().describe("The value of the trigger's output."),
  ...startParts,
  reuse: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      'Id of an earlier run whose outputs stand in for nodes that need not run; `last` takes the latest one that has any.',
    ),
});
export type StartRunBody = z.infer<typeof StartRunBody>;

export const ForkRunBody = z.strictObject({
  input: z
    .json()
    .optional()
    .describe("The value of the trigger's output; needed where it has fields that no record keeps."),
  ...startParts,
});
export type ForkRunBody = z.infer<typeof ForkRunBody>;

/** What the caller of a run gets. */
const CallerAnswer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('value'),
    status: z.int(),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.unknown().optional(),
    /** The body was a stream with more items than are answered here. */
    truncated: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal('empty') }),
  z.object({ kind: z.literal('error'), error: RunError }),
]);
export type CallerAnswer = z.infer<typeof CallerAnswer>;

export const StartedRun = z.object({
  run: z.string(),
  status: RunSummary.shape.status,
  ms: z.number().optional(),
  error: RunError.optional(),
  /** The earlier run whose outputs were used. */
  reused: z.string().optional(),
  /** Present when not everything ran: what became of each node. */
  decisions: z.array(NodeDecision).optional(),
  /** What the run's caller gets; absent while it runs. The items of a stream come as an array. */
  answer: CallerAnswer.optional(),
});
export type StartedRun = z.infer<typeof StartedRun>;

/** A line of a run that is answered as it goes (`"stream": true`). */
export const RunLine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started'), run: StartedRun }),
  /** With `items`, the body is a stream whose items follow. */
  z.object({ kind: z.literal('answer'), answer: CallerAnswer, items: z.literal(true).optional() }),
  z.object({ kind: z.literal('item'), value: z.unknown().optional() }),
  z.object({
    kind: z.literal('ended'),
    status: RunSummary.shape.status,
    ms: z.number().optional(),
    error: RunError.optional(),
    /** The stream had more items than were sent. */
    truncated: z.literal(true).optional(),
  }),
]);
export type RunLine = z.infer<typeof RunLine>;
