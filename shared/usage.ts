import { z } from 'zod';

/** What calls of models took, summed up: asked and answered at `/api/v1/usage`. */

export const USAGE_PARTS = ['flow', 'model', 'key', 'day'] as const;

const Day = z.iso.date();

export const UsageQuery = z.strictObject({
  since: Day.optional().describe('First day (UTC), such as 2026-11-01.'),
  until: Day.optional().describe('Last day (UTC).'),
  by: z
    .enum(USAGE_PARTS)
    .default('flow')
    .describe(
      'What is summed up apart: the flow whose node asked, the model, the API key that asked for the run, the day.',
    ),
});
export type UsageQuery = z.infer<typeof UsageQuery>;

export const UsageSum = z.object({
  /** Id of the flow, `<provider>/<model>`, name of the key (empty where there was none), or the day. */
  name: z.string(),
  calls: z.int(),
  tokens: z.object({ input: z.number(), output: z.number(), cached: z.number() }),
  /** In US dollars; of the calls whose model has prices. */
  cost: z.number(),
  /** Calls of models without prices. */
  unpriced: z.int(),
});
export type UsageSum = z.infer<typeof UsageSum>;

export const Usage = z.object({
  by: z.enum(USAGE_PARTS),
  /** Most tokens first; days in their order. At most 1000. */
  rows: z.array(UsageSum),
  total: UsageSum.omit({ name: true }),
});
export type Usage = z.infer<typeof Usage>;
