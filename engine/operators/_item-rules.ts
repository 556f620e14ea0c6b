import { z } from 'zod';

/** How a node that works on items one by one treats them. */
export function itemRules(concurrency: number) {
  return {
    concurrency: z
      .int()
      .min(1)
      .max(100)
      .default(concurrency)
      .describe('Items in progress at once; 1 works on them one after the other.'),
    maxItems: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(10_000)
      .describe('More items than this are an error, so that a list of the wrong kind does no harm.'),
    onItemError: z
      .enum(['fail', 'skip', 'collect'])
      .default('fail')
      .describe(
        'What a failing item does: ends the node with its error, is left out, or is told in the result, which is then a list of { ok, value } and { ok, error }.',
      ),
    attempts: z
      .int()
      .min(1)
      .max(100)
      .default(1)
      .describe('Attempts for each item, the first one included, as long as another one may succeed.'),
    retryDelayMs: z
      .number()
      .min(0)
      .max(3_600_000)
      .default(1000)
      .describe('Wait before another attempt of an item, in milliseconds.')
      .meta({ title: 'Retry delay (ms)' }),
    itemTimeoutMs: z
      .number()
      .min(1)
      .max(86_400_000)
      .optional()
      .describe('Limit of one attempt of an item, in milliseconds.')
      .meta({ title: 'Time limit of an item (ms)' }),
  };
}
