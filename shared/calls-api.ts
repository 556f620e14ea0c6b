import { z } from 'zod';
import { RunError } from './run-event.ts';

/** The data of `/api/v1` about calls that outlive their request. */

/** The answer to a caller whose run continues after the request. */
export const AcceptedRun = z.object({
  run: z.string().describe('Id of the run, which continues.'),
  status: z.enum(['pending', 'running', 'waiting']).describe('Status of the run when this was sent.'),
  statusUrl: z
    .string()
    .describe(
      'Where to ask for its status and its answer. Whoever knows this address can read it without a key.',
    ),
});
export type AcceptedRun = z.infer<typeof AcceptedRun>;

export const RunStatusQuery = z.strictObject({
  token: z.string().max(200).describe('Part of the address that the caller was given.'),
});

/** State of a run that outlives its request. Times are Unix milliseconds. */
export const CalledRun = z.object({
  run: z.string(),
  flow: z.string(),
  status: z.enum(['pending', 'running', 'waiting', 'ok', 'failed', 'cancelled']),
  startedAt: z.number(),
  endedAt: z.number().optional(),
  answer: z
    .object({
      status: z.int(),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.unknown().optional(),
    })
    .optional()
    .describe('The result of the flow, once there is one.'),
  error: RunError.pick({ code: true, message: true }).optional(),
});
export type CalledRun = z.infer<typeof CalledRun>;

/** What is sent to the address in `notify` when the run is over. Times are Unix milliseconds. */
export const RunNotice = CalledRun.required({ endedAt: true });
export type RunNotice = z.infer<typeof RunNotice>;

/** A notice that has not arrived yet, or never did. */
export const Delivery = z.object({
  run: z.string(),
  flow: z.string(),
  url: z.string(),
  status: z.enum(['due', 'given-up']),
  attempts: z.int().describe('Number of attempts to send it.'),
  since: z.number().describe('When the run ended.'),
  nextAt: z.number().optional().describe('When it is sent again.'),
  problem: z.string().optional().describe('Why the last attempt failed.'),
});
export type Delivery = z.infer<typeof Delivery>;

/** The input of an error flow. */
export const RunFailure = z.object({
  run: z.string(),
  flow: z.string(),
  version: z.string(),
  trigger: z.string(),
  error: RunError,
  startedAt: z.number(),
  input: z.unknown().optional(),
});
export type RunFailure = z.infer<typeof RunFailure>;

/** A run that outlived its request and failed for good. */
export const DeadLetter = z.object({
  run: z.string(),
  flow: z.string(),
  version: z.string(),
  trigger: z.string(),
  error: RunError.pick({ code: true, message: true, node: true }),
  startedAt: z.number(),
  failedAt: z.number(),
});
export type DeadLetter = z.infer<typeof DeadLetter>;

export const DeadLetterQuery = z.strictObject({
  flow: z.string().max(64).optional().describe('Only those of this flow.'),
  before: z.string().max(100).optional().describe('Run id to continue after.'),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

export const DeadLetterPage = z.object({
  deadLetters: z.array(DeadLetter),
  next: z.string().optional().describe('Send it as `before` to get the next page.'),
});
export type DeadLetterPage = z.infer<typeof DeadLetterPage>;

const version = z
  .enum(['same', 'live'])
  .default('same')
  .describe('The version that failed, or the one that is live now.');

export const RetryBody = z.strictObject({ version });

/** Which dead letters: named by run, or all of a flow. */
const which = {
  runs: z.array(z.string().max(100)).min(1).max(500).optional().describe('Run ids.'),
  flow: z.string().max(64).optional().describe('All of this flow, the oldest 500 first.'),
};
const isOne = (body: { runs?: unknown; flow?: unknown }) =>
  (body.runs === undefined) !== (body.flow === undefined);
const ONE = { message: 'Send either `runs` or `flow`.', path: ['runs'] };

export const RetryManyBody = z.strictObject({ ...which, version }).refine(isOne, ONE);
export const DropManyBody = z.strictObject(which).refine(isOne, ONE);
export type WhichLetters = z.infer<typeof DropManyBody>;

export const Retried = z.object({
  retried: z.array(
    z.object({ run: z.string(), as: z.string().describe('The run that makes the new attempt.') }),
  ),
  failed: z.array(z.object({ run: z.string(), code: z.string(), message: z.string() })),
});
export type Retried = z.infer<typeof Retried>;
