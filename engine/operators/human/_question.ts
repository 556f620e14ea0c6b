import { z } from 'zod';
import type { WaitAsk, WaitDecision, WaitExpiry } from '#shared/wait.ts';
import type { Call } from '../../operator.ts';
import { duration, durationMs } from '../_duration.ts';
import { isoText } from '../_iso-time.ts';
import { secretReference } from '../_secret.ts';

/** Params that every question to people has. */
export const question = {
  title: z
    .string()
    .min(1)
    .max(200)
    .describe('What is asked, in a line; a text with expressions. It stands in the list of what waits.'),
  text: z
    .string()
    .max(20_000)
    .optional()
    .describe('More about it, Markdown with expressions.')
    .meta({ widget: 'textarea' }),
  who: z
    .string()
    .max(200)
    .optional()
    .describe('Who is to decide, for people to read. It stops nobody else who may decide.'),
  data: z
    .unknown()
    .optional()
    .describe('A value that is shown with the question, at most 256 KB of JSON.')
    .meta({ widget: 'value' }),
  notify: z
    .union([z.string().min(1).max(2000), secretReference])
    .optional()
    .describe(
      'An address that is told: it gets a POST with `title`, `text`, `link`, `run`, `flow` and `node`, once. The link needs no login. May be a secret.',
    ),
  expiresAfter: duration
    .optional()
    .describe('How long there is time to decide: milliseconds, or 90s, 2h 30m, 3d, 1w. For ever when empty.'),
};

type Asked = z.output<z.ZodObject<typeof question>>;

/** Undefined when nobody decided in time. */
export async function ask(
  call: Pick<Call<Asked>, 'params' | 'wait' | 'now'>,
  more: Pick<WaitAsk, 'kind' | 'schema'>,
): Promise<{ readonly decision: WaitDecision | undefined; readonly at: string }> {
  const { title, text, who, data, notify, expiresAfter } = call.params;
  const given = { text, who, data, notify };
  const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const until =
    expiresAfter === undefined ? undefined : call.now() + durationMs(expiresAfter, 'params.expiresAfter');
  const answer = (await call.wait({
    kind: 'answer',
    title,
    ask: { ...asked, ...more },
    ...(until !== undefined && { until }),
  })) as WaitDecision | WaitExpiry | undefined;
  const decision = answer?.decision === undefined ? undefined : answer;
  // When a run is carried on, `until` is counted from a later time than the one at which it asked.
  return { decision, at: answer?.at ?? isoText(until ?? call.now()) };
}

/** The type of an outcome, besides what it has of its own. */
export const outcomeFields = {
  by: { schema: { type: ['string', 'null'] } },
  at: { schema: { type: 'string', format: 'date-time' } },
  comment: { schema: { type: 'string' } },
  input: { input: 'in' },
} as const;
