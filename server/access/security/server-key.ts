import { randomBytes } from 'node:crypto';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';

const FIND = 'SELECT key FROM server_keys WHERE project = ? AND name = ?';
const ADD =
  'INSERT INTO server_keys (project, name, key) VALUES (?, ?, ?) ON CONFLICT (project, name) DO NOTHING';

/**
 * A random key of 32 bytes that all processes of a project share, and that never changes: once read it is kept in
 * memory. Both methods throw `storage_failed`.
 */
export interface ServerKey {
  /** Undefined until the key was first needed. */
  find(): Promise<Uint8Array | undefined>;
  /** Creates the key on the very first call; once returned, it survives a power cut. */
  get(): Promise<Uint8Array>;
}

export function createServerKey(sql: Sql, name: string, project: string = DEFAULT_PROJECT): ServerKey {
  let known: Uint8Array | undefined;

  async function find(): Promise<Uint8Array | undefined> {
    known ??= (await sql.first<{ readonly key: Uint8Array }>(FIND, project, name))?.key;
    return known;
  }

  return {
    find,
    async get() {
      const found = await find();
      if (found !== undefined) return found;
      await sql.batch([[ADD, project, name, randomBytes(32)]], { synced: true });
      // Another process may have created it first.
      return (await find()) as Uint8Array;
    },
  };
}
