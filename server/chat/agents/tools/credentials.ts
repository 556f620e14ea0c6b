import { z } from 'zod';
import type { Asker, SecretService } from '#engine';
import { Id } from '#shared/flow.ts';

/** The credentials of a resource: which secret it uses, and how. */
export const Auth = z.strictObject({
  type: z.enum(['bearer', 'header']).default('bearer'),
  /** Name of the header, with `type: header`. */
  name: z.string().max(200).optional(),
  secret: z.strictObject({ $secret: Id }),
});
export type Auth = z.infer<typeof Auth>;

/** The header that carries the secret, for requests to `url`. Throws the errors of revealing it. */
export async function authHeaders(
  auth: Auth | undefined,
  secrets: SecretService | undefined,
  { by, url }: { readonly by: Asker; readonly url: string },
): Promise<Record<string, string>> {
  if (auth === undefined || secrets === undefined) return {};
  const value = await secrets.reveal(auth.secret.$secret, by, url);
  if (auth.type === 'header') return { [(auth.name ?? 'x-api-key').toLowerCase()]: value };
  return { authorization: `Bearer ${value}` };
}
