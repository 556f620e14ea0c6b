import { z } from 'zod';

/** How often something may happen: as a param of triggers and nodes, and in settings. */

export const PERIOD_MS = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

const MOST = 100_000;
const periods = z.enum(['second', 'minute', 'hour', 'day']);

/** `limit` in each period on average, `burst` of them at once. */
export const rateFields = {
  limit: z.int().min(1).max(MOST).describe('How many are allowed in a period, on average.'),
  per: periods.default('minute').describe('The period.'),
  burst: z
    .int()
    .min(1)
    .max(MOST)
    .optional()
    .describe('How many may come at once after a quiet time; as many as the limit by default.'),
};

/** A limit on the calls of a trigger. */
export const CallRate = z.object({
  ...rateFields,
  by: z
    .enum(['caller', 'address', 'all'])
    .default('caller')
    .describe(
      'Who shares the limit: each `caller` has its own (an API key if the trigger asks for one, otherwise an address), each `address` has, or `all` callers have one together.',
    ),
});
export type CallRate = z.output<typeof CallRate>;

/** `an hour`. */
export function periodText(per: CallRate['per']): string {
  return `${per === 'hour' ? 'an' : 'a'} ${per}`;
}
