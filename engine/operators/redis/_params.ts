import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { literal } from '../../base/operator.ts';

/** The connection by its name. It is fixed, so that it is known before a run who uses what. */
export const connectionParam = literal(
  z
    .string()
    .regex(ID_PATTERN)
    .describe('The name of a connection to Redis.')
    .meta({ widget: 'connection', kinds: ['redis'] }),
);

export const keyParam = z
  .string()
  .min(1)
  .max(10_000)
  .describe('The key of the value, a text with expressions, such as user:{{ input.id }}.');

export const formatParam = z.enum(['text', 'json']).default('text').meta({ title: 'Format' });

export const timeoutParam = z
  .int()
  .min(1)
  .max(3_600_000)
  .default(30_000)
  .describe('Time limit in milliseconds, including the wait for a connection.');
