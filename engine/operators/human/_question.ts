import { z } from 'zod';
import type { WaitAsk, WaitDecision } from '#shared/wait.ts';
import type { Call } from '../../base/operator.ts';
import { duration } from '../_duration.ts';
import { secretReference } from '../_secret.ts';
import { waitForAnswer } from '../_wait-answer.ts';

/** Params of every question to people. */
export const question = {
  title: z
    .string()
    .min(1)
    .max(200)
    .describe('The question, in one line; a text with expressions. It appears in the list of waits.'),
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
    .describe('Who should decide, for people to read. It does not stop others who may decide.'),
  data: z
    .unknown()
    .optional()
    .describe('A value that is shown with the question, at most 256 KB of JSON.')
    .meta({ widget: 'value' }),
  notify: z
    .union([z.string().min(1).max(2000), secretReference])
    .optional()
    .describe(
      'An address to notify: it gets a POST with `title`, `text`, `link`, `run`, `flow` and `node`, once. The link needs no login. May be a secret.',
    )
    .meta({ widget: 'text-or-secret' }),
  expiresAfter: duration
    .optional()
    .describe('Time to decide: milliseconds, or 90s, 2h 30m, 3d, 1w. Empty means no limit.'),
};

type Asked = z.output<z.ZodObject<typeof question>>;

/** Undefined if nobody decided in time. */
export async function ask(
  call: Pick<Call<Asked>, 'params' | 'wait' | 'now'>,
  more: Pick<WaitAsk, 'kind' | 'schema'>,
): Promise<{ readonly decision: WaitDecision | undefined; readonly at: string }> {
  const { title, text, who, data, notify, expiresAfter } = call.params;
  const given = { text, who, data, notify };
  const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return await waitForAnswer(call, { title, ask: { ...asked, ...more }, expiresAfter });
}

/** The type of an outcome, plus the fields of its own. */
export const outcomeFields = {
  by: { schema: { type: ['string', 'null'] } },
  at: { schema: { type: 'string', format: 'date-time' } },
  comment: { schema: { type: 'string' } },
  input: { input: 'in' },
} as const;
