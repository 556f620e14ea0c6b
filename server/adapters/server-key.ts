import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { storing } from './weft-db.ts';

const TABLE = 'CREATE TABLE IF NOT EXISTS server_keys (name TEXT PRIMARY KEY, key BLOB NOT NULL) STRICT;';

/** A random key of this server in `weft.db`, created on the first request for this name. Throws `storage_failed`. */
export function serverKey(db: DatabaseSync, name: string): Uint8Array {
  return storing(() => {
    db.exec(TABLE);
    db.prepare('INSERT OR IGNORE INTO server_keys (name, key) VALUES (?, ?)').run(name, randomBytes(32));
    const row = db.prepare('SELECT key FROM server_keys WHERE name = ?').get(name);
    return (row as { key: Uint8Array }).key;
  });
}
