import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../adapters/db.ts';
import { StartError } from '../start-error.ts';
import { defaultKeyScopes, scopes } from './scopes.ts';
import { randomSecret, sha256 } from './secrets.ts';

/** An API key as it is kept: never the key itself. */
export const KeyRecord = z.object({
  id: z.string(),
  name: z.string(),
  /** SHA-256 of the key, hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  scopes: z.array(z.enum(scopes)),
  createdAt: z.iso.datetime(),
});
export type KeyRecord = z.infer<typeof KeyRecord>;

/** The keys that are kept. Throws a `StartError` when they are damaged: guessing who may do what is worse than not starting. */
export function keptKeys(db: Pick<Db, 'data'>): KeyRecord[] {
  const result = z.array(KeyRecord).safeParse(db.data.keys);
  if (result.success) return result.data;
  throw new StartError(`The API keys in db.json are damaged: ${z.prettifyError(result.error)}`);
}

/** Makes a key like those of WEFT_API_KEYS and keeps its hash. Gives the key, which nobody can show again. */
export async function makeKey(db: Db, name: string, now: number): Promise<string> {
  const key = `weft_${randomSecret()}`;
  const hash = sha256(key);
  const record: KeyRecord = {
    id: randomUUID(),
    name,
    hash,
    scopes: [...defaultKeyScopes],
    createdAt: new Date(now).toISOString(),
  };
  await db.change('keys', (keys) => [...keys, record]);
  return key;
}
