import { join } from 'node:path';
import { z } from 'zod';
import { Id } from '#shared/flow.ts';
import { KeyBody } from '#shared/key.ts';

/** What a command line may ask the server that holds its data folder, as JSON in a POST over the socket in that folder. */
export const Ask = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('keys.list') }),
  z.strictObject({ do: z.literal('keys.create'), key: KeyBody }),
  z.strictObject({ do: z.literal('keys.revoke'), key: z.string().min(1).max(200) }),
  z.strictObject({
    do: z.literal('flows.import'),
    flow: z.unknown(),
    id: Id.optional(),
    open: z.boolean(),
  }),
]);
export type Ask = z.infer<typeof Ask>;

/** The answer, with any status. */
export type Reply =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Only who may use the folder gets to the socket: folder and socket are their owner's alone. */
export function controlSocket(data: string): string {
  return join(data, 'weft.sock');
}
