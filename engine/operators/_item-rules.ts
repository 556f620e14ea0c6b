import { z } from 'zod';

/** Settings of nodes that work on items one by one. */
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
      .describe('A list with more items is an error, so that a wrong list does no harm.'),
    onItemError: z
      .enum(['fail', 'skip', 'collect'])
      .default('fail')
      .describe(
        'If an item fails: the node fails, the item is left out, or the result reports it and is a list of { ok, value } and { ok, error }.',
      ),
    attempts: z
      .int()
      .min(1)
      .max(100)
      .default(1)
      .describe('Attempts per item, including the first; only errors that may succeed later are retried.'),
    retryDelayMs: z
      .number()
      .min(0)
      .max(3_600_000)
      .default(1000)
      .describe('Wait before another attempt of an item, in milliseconds.')
      .meta({ title: 'Pause before a retry' }),
    itemTimeoutMs: z
      .number()
      .min(1)
      .max(86_400_000)
      .optional()
      .describe('Time limit of one attempt of an item, in milliseconds.')
      .meta({ title: 'Time limit of an item' }),
  };
}
