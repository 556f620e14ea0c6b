import { z } from 'zod';
import { AuditQuery } from '#shared/audit.ts';
import { ConnectionRate } from '#shared/connection.ts';
import { Id } from '#shared/flow.ts';
import { ImportDraft } from '#shared/import-report.ts';
import { KeyBody } from '#shared/key.ts';

const RunId = z.string().min(1).max(64);

const Letters = { runs: z.array(RunId).min(1).max(500).optional(), flow: Id.optional() };

/**
 * The requests that a command line may send to the server that holds its data folder, as JSON in a POST over the
 * socket in that folder.
 */
export const Ask = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('open') }),
  // Where this machine reaches the HTTP API.
  z.strictObject({ do: z.literal('address') }),
  z.strictObject({ do: z.literal('audit.list'), query: AuditQuery }),
  z.strictObject({ do: z.literal('keys.list') }),
  z.strictObject({ do: z.literal('keys.create'), key: KeyBody }),
  z.strictObject({ do: z.literal('keys.revoke'), key: z.string().min(1).max(200) }),
  // Base64 of the new key; without one, the server makes it.
  z.strictObject({ do: z.literal('secrets.rotate'), key: z.string().max(100).optional() }),
  z.strictObject({ do: z.literal('connections.list') }),
  z.strictObject({ do: z.literal('connections.test'), name: Id }),
  z.strictObject({ do: z.literal('connections.remove'), name: Id }),
  z.strictObject({ do: z.literal('connections.authorize'), name: Id }),
  z.strictObject({ do: z.literal('connections.progress'), name: Id, id: z.string().max(100) }),
  z.strictObject({ do: z.literal('connections.limit'), name: Id, rate: ConnectionRate.nullable() }),
  z.strictObject({ do: z.literal('connections.grant'), name: Id, flows: z.array(Id).min(1).max(1000) }),
  z.strictObject({
    do: z.literal('flows.import'),
    flow: z.unknown(),
    id: Id.optional(),
    open: z.boolean(),
  }),
  // The flows that the command line has read from a file of another product, with the values of their secrets.
  z.strictObject({
    do: z.literal('flows.draft'),
    drafts: z.array(ImportDraft).min(1).max(100),
    found: z.array(z.strictObject({ name: Id, value: z.string().max(64_000) })).max(1000),
    // Outputs by node and port.
    pins: z.record(Id, z.record(Id, z.unknown())).default({}),
    open: z.boolean(),
  }),
  z.strictObject({ do: z.literal('runs.get'), run: RunId }),
  z.strictObject({ do: z.literal('runs.list'), flow: Id.optional(), limit: z.int().min(1).max(500) }),
  z.strictObject({ do: z.literal('runs.events'), run: RunId }),
  z.strictObject({ do: z.literal('runs.value'), run: RunId, hash: z.string().max(64) }),
  z.strictObject({ do: z.literal('runs.tape'), run: RunId }),
  z.strictObject({ do: z.literal('letters.list'), flow: Id.optional(), limit: z.int().min(1).max(500) }),
  z.strictObject({ do: z.literal('letters.drop'), ...Letters }),
  z.strictObject({ do: z.literal('letters.retry'), ...Letters, version: z.enum(['same', 'live']) }),
]);
export type Ask = z.infer<typeof Ask>;

/** The answer, with any status. */
export type Reply =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string };
