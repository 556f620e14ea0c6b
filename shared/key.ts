import { z } from 'zod';
import { scopes } from './scopes.ts';

/** A name for people and for the audit log: printable, on one line. */
const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'must be printable text on one line');

/** Most requests a minute that a limit of a key may allow. */
export const MAX_PER_MINUTE = 100_000;

/** Makes a key. */
export const KeyBody = z.strictObject({
  name: name.describe('Who or what it is for; each name once.'),
  scopes: z.array(z.enum(scopes)).min(1).describe('What it may do.'),
  expiresAt: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('When it ends, ISO 8601; without, it lasts until it is revoked.'),
  perMinute: z
    .int()
    .min(1)
    .max(MAX_PER_MINUTE)
    .optional()
    .describe('How many requests it may make in a minute; without, there is no limit.'),
});
export type KeyBody = z.infer<typeof KeyBody>;

/** All that is ever told of a key; the key itself is not. Times are ISO 8601, UTC. */
export const KeyInfo = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(scopes)).readonly(),
  /** Those of WEFT_API_KEYS can only be taken away there. */
  source: z.enum(['kept', 'environment']),
  /** Absent for those of the environment. */
  createdAt: z.string().optional(),
  expiresAt: z.string().optional(),
  /** Requests that it may make in a minute; absent where there is no limit. */
  perMinute: z.number().optional(),
  /** The time of the last request with it, to a minute after a restart; absent if there was none. */
  lastUsedAt: z.string().optional(),
});
export type KeyInfo = z.infer<typeof KeyInfo>;

/** The answer to making a key, and the only one that holds it. */
export const CreatedKey = KeyInfo.extend({ key: z.string() });
export type CreatedKey = z.infer<typeof CreatedKey>;
