import { z } from 'zod';

/**
 * What a run says. The log, the history, the socket, the chat stream and the editor's node colours read these events and
 * nothing else. `seq` starts at 1 and has no holes within a run; `at` is Unix time in milliseconds.
 */
const base = { run: z.string(), seq: z.int().positive(), at: z.number() };
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
});
export type RunError = z.infer<typeof RunError>;

export const RunStatus = z.enum(['ok', 'failed', 'cancelled']);
export type RunStatus = z.infer<typeof RunStatus>;

export const SkipReason = z.enum(['missing-input', 'no-live-input', 'disabled', 'left-out']);
export type SkipReason = z.infer<typeof SkipReason>;

export const LogLevel = z.enum(['debug', 'info', 'warn', 'error']);
export type LogLevel = z.infer<typeof LogLevel>;

/** Whether a node with `cache` used an earlier output, and why or why not. */
export const CacheNote = z.object({ hit: z.boolean(), reason: z.string(), ageMs: z.number().optional() });
export type CacheNote = z.infer<typeof CacheNote>;

export const RunEvent = z.discriminatedUnion('kind', [
  z.object({
    ...base,
    kind: z.literal('run-started'),
    flow: z.string(),
    version: z.string(),
    trigger: z.string(),
    parent: z.string().optional(),
    input: z.unknown().optional(),
  }),
  z.object({ ...base, kind: z.literal('node-started'), node, attempt: z.int() }),
  z.object({ ...base, kind: z.literal('node-output'), node, port: z.string(), value: z.unknown() }),
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
  }),
  /** `ms` is absent where the node was not timed (nobody watched when it started). */
  z.object({
    ...base,
    kind: z.literal('node-finished'),
    node,
    ms: z.number().optional(),
    cache: CacheNote.optional(),
  }),
  z.object({ ...base, kind: z.literal('node-waiting'), node, for: z.string() }),
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
  }),
  z.object({
    ...base,
    kind: z.literal('run-finished'),
    status: RunStatus,
    ms: z.number(),
    error: RunError.optional(),
    nodes: z.object({ ok: z.int(), failed: z.int(), skipped: z.int() }),
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
  /** Where it came from. */
  source: z.enum(['http', 'chat', 'mcp', 'test', 'cli', 'dev', 'manual', 'flow', 'schedule']),
  startedAt: z.number(),
  ms: z.number().optional(),
  status: z.enum(['running', 'ok', 'failed', 'cancelled']),
  error: RunError.optional(),
  /** Whole events are kept, not the summary alone. */
  recorded: z.boolean(),
});
export type RunSummary = z.infer<typeof RunSummary>;
