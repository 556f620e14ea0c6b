import { Low } from 'lowdb';
import { JSONFile } from 'lowdb/node';
import { z } from 'zod';
import { scopes } from './scopes.ts';

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

/** Other parts of the server keep their own lists in the same file. */
const Document = z.looseObject({ keys: z.array(KeyRecord).default([]) });
type Document = z.infer<typeof Document>;

/** Where API keys are kept. */
export interface KeyStore {
  list(): readonly KeyRecord[];
  add(record: KeyRecord): Promise<void>;
}

/** Reads `db.json`; a missing file is an empty one, a damaged one is an error that names it. Writes are atomic. */
export async function openKeyStore(file: string): Promise<KeyStore> {
  const db = new Low<Document>(new JSONFile(file), { keys: [] });
  try {
    await db.read();
    db.data = Document.parse(db.data);
  } catch (error) {
    throw new Error(
      `${file} cannot be read (${(error as Error).message}); restore it from a backup or move it away.`,
    );
  }
  return {
    list: () => db.data.keys,
    add: (record) => db.update((data) => data.keys.push(record)),
  };
}
