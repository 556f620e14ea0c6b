import { z } from 'zod';

/** Who changed something. */
export const Actor = z.object({
  kind: z
    .enum(['owner', 'key', 'command line', 'file', 'nobody'])
    .describe(
      'The owner in a browser, an API key, the command line in the data folder, a file that was changed from outside, or somebody without credentials.',
    ),
  /** Unique: another key of the same name has another one. */
  id: z.string(),
  /** At that time, such as `key ci` or `session 5f0c2a1b`. */
  name: z.string(),
});
export type Actor = z.infer<typeof Actor>;

export const AuditEntry = z.object({
  /** Sorts by time. */
  id: z.string(),
  /** ISO 8601, UTC. */
  at: z.string(),
  actor: Actor,
  what: z.string().describe('What was done, such as `flow published`.'),
  facts: z.record(z.string(), z.unknown()).describe('What it was done to; never a secret.'),
  from: z.string().optional().describe('The address that the request came from.'),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

const word = z.string().min(1).max(200);

export const AuditQuery = z.strictObject({
  actor: word.optional().describe('Only what the actor of this name did.'),
  what: word.optional().describe('Only this, such as `flow published`.'),
  flow: word.optional().describe('Only what was done to this flow.'),
  since: z.iso.datetime({ offset: true }).optional().describe('Only from this time on.'),
  before: word.optional().describe('Only entries before the one of this id.'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

export const AuditPage = z.object({
  /** The newest first. */
  entries: z.array(AuditEntry),
  next: z.string().optional().describe('For `before`, if there may be more.'),
});
export type AuditPage = z.infer<typeof AuditPage>;
