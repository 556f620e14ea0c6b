import { z } from 'zod';
import { Id } from './flow.ts';
import type { JsonSchema } from './json.ts';

/** Runs that wait for people or programs: what is asked of them, and what they answer. */

/** What may be decided of an approval, and of a form, and how programs answer. */
export const decisionsOf = {
  approval: ['approved', 'rejected'],
  form: ['submitted'],
  tool: ['approved', 'rejected'],
  call: ['received'],
  event: ['received'],
} as const;

/** Whether people answer; programs do otherwise. */
export function isForPeople({ kind }: Pick<WaitAsk, 'kind'>): boolean {
  return kind !== 'call' && kind !== 'event';
}

/** What happens, and what it happens to. */
export const EVENT_NAME = /^[a-zA-Z][\w.-]{0,99}$/;
export const EVENT_KEY = /^[^\p{Cc}]{1,200}$/u;

/** What stands in ids for what an address may not contain. */
const IN_IDS: Readonly<Record<string, string>> = { '@': '-', '#': '~', '/': '.' };

/**
 * The id of a wait, known even before the run has asked; suitable for an address: `<run>.<node>`, and `<run>.loop~3.ask` in a body or
 * a called flow. `key` names the rounds that the node is in: `loop#3/ask`.
 */
export function waitId(run: string, key: string): string {
  return `${run}.${key.replaceAll(/[@#/]/g, (mark) => IN_IDS[mark] as string)}`;
}

export const MAX_COMMENT = 10_000;

/** What an operator asks; travels to the store of waits as `ask` of a wait for an answer. */
export const WaitAsk = z.object({
  kind: z.enum(['approval', 'form', 'tool', 'call', 'event']),
  /** Markdown. */
  text: z.string().optional(),
  /** Who is to decide, for people to read. */
  who: z.string().optional(),
  /** Shown with the question. */
  data: z.unknown().optional(),
  /** The event that is waited for. */
  event: z.object({ name: z.string(), key: z.string() }).optional(),
  /** The tool that an agent wants to use; `data` holds the arguments. */
  tool: z.object({ name: z.string(), agent: z.string(), description: z.string().optional() }).optional(),
  /** Whoever sent the form that started the run, or the page before, is led to it. */
  sender: z.literal(true).optional(),
  /** Its run is only in memory, and lost with its server. */
  inMemory: z.literal(true).optional(),
  /** JSON Schema of what a form takes, of the arguments of a tool, or of the data of a call or event. */
  schema: z.custom<JsonSchema>((v) => typeof v === 'object' && v !== null).optional(),
  /** An address that is told of the wait with a POST, once; or the secret that holds it. */
  notify: z.union([z.string(), z.strictObject({ $secret: z.string() })]).optional(),
});
export type WaitAsk = z.infer<typeof WaitAsk>;

export const WaitDecision = z.object({
  decision: z.enum(['approved', 'rejected', 'submitted', 'received']),
  /** A name: of the session or key, or what somebody with the link wrote. */
  by: z.string(),
  via: z.enum(['session', 'key', 'link']),
  /** ISO 8601, UTC. */
  at: z.string(),
  comment: z.string(),
  /** For a form: what was entered; for a tool: the arguments, if they were changed; for a call or event: what it brought. */
  data: z.unknown().optional(),
  /** The `Idempotency-Key` of the call that brought it. */
  once: z.string().optional(),
});
export type WaitDecision = z.infer<typeof WaitDecision>;

/** What a run is told whose question nobody answered in time. */
export interface WaitExpiry {
  readonly decision?: undefined;
  /** When the time was over: ISO 8601, UTC. */
  readonly at: string;
}

/**
 * `early`: decided before the run has asked. `void`: its run is over without an answer.
 */
export const WaitStatus = z.enum(['early', 'open', 'decided', 'expired', 'void']);
export type WaitStatus = z.infer<typeof WaitStatus>;

/** A wait as the API tells it. Times are ISO 8601, UTC. */
export const WaitInfo = z.object({
  /** `<run>.<node>`; known before the run has asked. */
  id: z.string(),
  run: z.string(),
  flow: z.string(),
  node: z.string(),
  status: WaitStatus,
  title: z.string(),
  ask: WaitAsk,
  openedAt: z.string(),
  expiresAt: z.string().optional(),
  decision: WaitDecision.optional(),
  /** Where `ask.notify` names an address: whether it was told, and what it answered otherwise. */
  notified: z.object({ state: z.enum(['due', 'sent', 'failed']), problem: z.string().optional() }).optional(),
});
export type WaitInfo = z.infer<typeof WaitInfo>;

export const WaitListQuery = z.strictObject({
  status: WaitStatus.default('open').describe('Those that stand like this.'),
  of: z
    .enum(['people', 'call', 'event'])
    .optional()
    .describe('By default the questions to people; otherwise the waits for calls or events of programs.'),
  flow: Id.optional().describe('Those of one flow.'),
  run: z.string().min(1).max(64).optional().describe('Those of one run.'),
  after: z
    .string()
    .max(500)
    .regex(/^\d{1,16} ./)
    .optional()
    .describe('`next` of the answer before: the list goes on behind it.'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type WaitListQuery = z.infer<typeof WaitListQuery>;

export const WaitPage = z.object({
  /** Open ones with the longest open first, others with the newest first. */
  waits: z.array(WaitInfo),
  /** Whether there are more than were asked for. */
  more: z.boolean(),
  next: z.string().optional().describe('Send it as `after` to get the next page; absent at the end.'),
});
export type WaitPage = z.infer<typeof WaitPage>;

export const DecideBody = z.strictObject({
  decision: WaitDecision.shape.decision.describe(
    'Of an approval or a tool `approved` or `rejected`, of a form `submitted`, of a call or event `received`.',
  ),
  comment: z.string().max(MAX_COMMENT).default('').describe('A remark, for the run to read.'),
  data: z
    .json()
    .optional()
    .describe(
      'What was entered into a form, other arguments for the tool, or what the call or event brings.',
    ),
});
export type DecideBody = z.infer<typeof DecideBody>;

/** What an event did. */
export const EventAnswer = z.object({
  /** The waits that it ended. */
  received: z.array(WaitInfo.pick({ id: true, run: true, flow: true, node: true })),
  /** The waits whose schema its data do not match; they stay open. */
  refused: z.array(z.object({ id: z.string(), message: z.string() })),
});
export type EventAnswer = z.infer<typeof EventAnswer>;
