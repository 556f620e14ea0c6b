import { z } from 'zod';

/**
 * What a run says. The log, the history, the socket, the chat stream and the editor's node colours read these events and
 * nothing else. `seq` starts at 1 and has no holes within a run; `at` is Unix time in milliseconds.
 */
const base = {
  run: z.string(),
  seq: z.int().positive(),
  at: z.number(),
  /** For a node in a body: the rounds that it is in, outermost first, such as `loop#3` or `loop#3/group#0`. */
  round: z.string().optional(),
};
const node = z.string();

/** An error as it leaves the engine: never with a stack. */
export const RunError = z.object({
  code: z.string(),
  message: z.string(),
  node: z.string().optional(),
  operator: z.string().optional(),
  field: z.string().optional(),
  attempt: z.int().optional(),
  /** The producer of a stream whose failure surfaced at a consumer. */
  via: z.string().optional(),
  data: z.unknown().optional(),
  /** Whether another attempt may help, where that is not what the table of errors says of the code. */
  transient: z.boolean().optional(),
});
export type RunError = z.infer<typeof RunError>;

export const RunStatus = z.enum(['ok', 'failed', 'cancelled']);
export type RunStatus = z.infer<typeof RunStatus>;

export const SkipReason = z.enum(['missing-input', 'no-live-input', 'disabled', 'left-out', 'not-needed']);
export type SkipReason = z.infer<typeof SkipReason>;

export const LogLevel = z.enum(['debug', 'info', 'warn', 'error']);
export type LogLevel = z.infer<typeof LogLevel>;

/**
 * Tokens as the provider of a model counts them. `cached`: those of `input` that it had in its cache; `reasoning`: those of `output`
 * that it thought with.
 */
export const Tokens = z.object({
  input: z.number(),
  output: z.number(),
  cached: z.number().optional(),
  reasoning: z.number().optional(),
});
export type Tokens = z.infer<typeof Tokens>;

/** What calls of models took; absent where there were none. `cost`: in US dollars, absent where no price is known. */
const spent = { tokens: Tokens.optional(), cost: z.number().optional() };
/** The same of a node, with the model that was asked last. */
const spentByNode = { ...spent, model: z.string().optional() };

/** One time that the body of a node ran. If there are thousands, the first ones, the first failed ones and the slowest are reported. */
export const RoundRow = z.object({
  /** Within the round around it: `loop#3`, and `loop#3@2` for the second attempt at it. */
  place: z.string(),
  /** Milliseconds from the start of the run to its own; absent in records of 0.2.0. */
  start: z.number().optional(),
  /** Absent while it runs. */
  status: RunStatus.optional(),
  ms: z.number().optional(),
  ...spent,
  /** The `id` of its input, or the input itself where that is a number or a short text. */
  key: z.string().optional(),
});
export type RoundRow = z.infer<typeof RoundRow>;

/** Whether a node with `cache` used an earlier output, and why or why not. */
export const CacheNote = z.object({
  hit: z.boolean(),
  reason: z.string(),
  ageMs: z.number().optional(),
  /** The run that made the output. */
  run: z.string().optional(),
});
export type CacheNote = z.infer<typeof CacheNote>;

/** What became of a node in a run that did not carry out everything, and why. */
export const NodeDecision = z.object({
  node,
  does: z.enum(['run', 'pinned', 'changed', 'reused', 'left-out']),
  reason: z.string(),
});
export type NodeDecision = z.infer<typeof NodeDecision>;

/** For a run that did not carry out everything. */
export const RunInPart = z.object({
  /** The earlier run whose outputs were used. */
  reused: z.string().optional(),
  decisions: z.array(NodeDecision),
  /** It was no run of what was published, by who may publish: what it gave is not either, where another run uses it. */
  untrusted: z.literal(true).optional(),
});
export type RunInPart = z.infer<typeof RunInPart>;

export const RunEvent = z.discriminatedUnion('kind', [
  z.object({
    ...base,
    kind: z.literal('run-started'),
    flow: z.string(),
    version: z.string(),
    trigger: z.string(),
    parent: z.string().optional(),
    /** The node of `parent` that asked for this run. */
    parentNode: z.string().optional(),
    input: z.unknown().optional(),
    inPart: RunInPart.optional(),
  }),
  z.object({ ...base, kind: z.literal('node-started'), node, attempt: z.int() }),
  z.object({
    ...base,
    kind: z.literal('node-output'),
    node,
    port: z.string(),
    value: z.unknown().optional(),
  }),
  z.object({
    ...base,
    kind: z.literal('node-chunk'),
    node,
    port: z.string(),
    count: z.int(),
    value: z.unknown().optional(),
  }),
  z.object({
    ...base,
    kind: z.literal('node-retrying'),
    node,
    attempt: z.int(),
    delayMs: z.number(),
    error: RunError,
  }),
  z.object({ ...base, kind: z.literal('node-skipped'), node, reason: SkipReason }),
  z.object({
    ...base,
    kind: z.literal('node-failed'),
    node,
    error: RunError,
    handled: z.enum(['no', 'route', 'continue']),
    ...spentByNode,
  }),
  /** `ms` is absent where the node was not timed (nobody watched when it started). */
  z.object({
    ...base,
    kind: z.literal('node-finished'),
    node,
    ms: z.number().optional(),
    cache: CacheNote.optional(),
    ...spentByNode,
  }),
  z.object({ ...base, kind: z.literal('node-waiting'), node, for: z.string(), until: z.number().optional() }),
  /** How often the body of the node ran. The events of the first, the failed and the slowest rounds precede it. */
  z.object({
    ...base,
    kind: z.literal('node-rounds'),
    node,
    count: z.int(),
    failed: z.int(),
    /** The sum over all rounds. */
    ms: z.number().optional(),
    ...spent,
    rows: z.array(RoundRow).optional(),
  }),
  /** It has waited `ms` milliseconds until now for something that others had, such as a connection. */
  z.object({ ...base, kind: z.literal('node-queued'), node, for: z.string(), ms: z.number() }),
  z.object({ ...base, kind: z.literal('node-abandoned'), node }),
  z.object({
    ...base,
    kind: z.literal('log'),
    node: z.string().optional(),
    level: LogLevel,
    text: z.string(),
    data: z.unknown().optional(),
  }),
  z.object({
    ...base,
    kind: z.literal('run-answered'),
    node: z.string().optional(),
    status: z.int(),
    /** What the caller gets, unless that is a stream. */
    body: z.unknown().optional(),
  }),
  z.object({
    ...base,
    kind: z.literal('run-finished'),
    status: RunStatus,
    ms: z.number(),
    error: RunError.optional(),
    nodes: z.object({ ok: z.int(), failed: z.int(), skipped: z.int() }),
    /** With what runs that it started as parts of itself took. */
    ...spent,
  }),
]);
export type RunEvent = z.infer<typeof RunEvent>;
export type RunEventKind = RunEvent['kind'];

/** One line of the run list: what is kept of every run. */
export const RunSummary = z.object({
  run: z.string(),
  flow: z.string(),
  version: z.string(),
  trigger: z.string(),
  /** The run that started this one as a part of itself. */
  parent: z.string().optional(),
  /** The node of that run that asked for this one. */
  parentNode: z.string().optional(),
  /** Where it came from. */
  source: z.enum([
    'http',
    'chat',
    'mcp',
    'test',
    'cli',
    'dev',
    'manual',
    'flow',
    'schedule',
    'failure',
    'form',
    'source',
    'knowledge',
  ]),
  startedAt: z.number(),
  ms: z.number().optional(),
  /** `waiting`: a durable run that is carried on when what it waits for has come. */
  status: z.enum(['running', 'waiting', 'ok', 'failed', 'cancelled']),
  error: RunError.optional(),
  /** With what runs that it started as parts of itself took. */
  ...spent,
  /** Whole events are kept, not the summary alone. */
  recorded: z.boolean(),
  /** In a list: the host and process of the other server that executes it. */
  server: z.string().optional(),
});
export type RunSummary = z.infer<typeof RunSummary>;
