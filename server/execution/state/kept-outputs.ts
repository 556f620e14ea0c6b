import { createHash } from 'node:crypto';
import { decode, encode, type OutputService } from '#engine';
import type { Sealer } from '../../base/secrets/seal.ts';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';
import type { Migration } from '../../storage/database/migration.ts';

/** The file is a cache: it is in no backup, and may be deleted while the server is stopped. */
export const outputMigrations: readonly Migration[] = [
  {
    n: 1,
    name: 'outputs',
    statements: [
      `CREATE TABLE outputs (
        project TEXT NOT NULL, flow TEXT NOT NULL, node TEXT NOT NULL, key TEXT NOT NULL, definition TEXT NOT NULL,
        sealed BLOB NOT NULL, bytes INTEGER NOT NULL, at REAL NOT NULL, ends_at REAL, run TEXT,
        PRIMARY KEY (project, flow, node, key)
      ) STRICT`,
      'CREATE INDEX outputs_age ON outputs (project, at)',
      'CREATE INDEX outputs_end ON outputs (project, ends_at) WHERE ends_at IS NOT NULL',
    ],
  },
];

const FIND =
  'SELECT sealed, at, run, definition FROM outputs WHERE project = ? AND flow = ? AND node = ? AND key = ?';
const ANY = 'SELECT definition FROM outputs WHERE project = ? AND flow = ? AND node = ? LIMIT 1';
const OLD = 'DELETE FROM outputs WHERE project = ? AND flow = ? AND node = ? AND definition <> ?';
const PUT = `INSERT INTO outputs (project, flow, node, key, definition, sealed, bytes, at, ends_at, run)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project, flow, node, key) DO UPDATE SET
  definition = excluded.definition, sealed = excluded.sealed, bytes = excluded.bytes, at = excluded.at,
  ends_at = excluded.ends_at, run = excluded.run`;
const ENDED = 'DELETE FROM outputs WHERE project = ? AND ends_at <= ?';
const SIZE = 'SELECT COALESCE(SUM(bytes), 0) AS bytes FROM outputs WHERE project = ?';
const SPLIT = 'SELECT at FROM outputs WHERE project = ? ORDER BY at LIMIT 1 OFFSET ?';
const COUNT = 'SELECT COUNT(*) AS count FROM outputs WHERE project = ?';
const TRIM = 'DELETE FROM outputs WHERE project = ? AND at <= ?';

/** Expired outputs are deleted, and the size is checked, after this many stored outputs. */
const SWEEP_EVERY = 50;
const ABOUT = 'output';

interface Deps {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly now: () => number;
  /** Above this size the oldest outputs are deleted. */
  readonly maxBytes: number;
  readonly warn: (message: string) => void;
}

/**
 * Outputs of nodes in database rows, encrypted with the key of the secrets, because they may contain data that a secret
 * gave access to. An unreadable output counts as absent, and one that cannot be written is not stored: a cache never
 * fails a run.
 */
export function createKeptOutputs({ sql, sealer, now, maxBytes, warn }: Deps): OutputService {
  const project = DEFAULT_PROJECT;
  let writes = 0;

  async function sweep(): Promise<void> {
    if (writes++ % SWEEP_EVERY !== 0) return;
    await sql.run(ENDED, project, now());
    for (;;) {
      const size = await sql.first<{ bytes: number }>(SIZE, project);
      if ((size?.bytes ?? 0) <= maxBytes) return;
      const all = await sql.first<{ count: number }>(COUNT, project);
      const some = Math.floor((all?.count ?? 0) / 10);
      const split = await sql.first<{ at: number }>(SPLIT, project, some);
      if (split === undefined) return;
      await sql.run(TRIM, project, split.at);
    }
  }

  async function tried<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      warn(`An output on disk could not be used: ${(error as Error).message}`);
      return otherwise;
    }
  }

  return {
    get: (key, { flow, node, definition }) =>
      tried(async () => {
        const row = await sql.first<Row>(FIND, project, flow, node, digest(key));
        const known = row ?? (await sql.first<Pick<Row, 'definition'>>(ANY, project, flow, node));
        if (known === undefined) return undefined;
        if (known.definition !== digest(definition)) return { missing: 'node-changed' };
        if (row === undefined) return { missing: 'other-input' };
        const value = decode(
          JSON.parse(sealer.unseal(Buffer.from(row.sealed).toString(), ABOUT)),
          () => undefined,
        );
        return { value, at: row.at, ...(row.run !== null && { run: row.run }) };
      }, undefined),
    set: (key, { value, at, run, ttlMs }, { flow, node, definition }) =>
      tried(async () => {
        const sealed = Buffer.from(sealer.seal(JSON.stringify(encode(value)), ABOUT));
        // One output must not evict all others.
        if (sealed.length > maxBytes / 10) return false;
        const own = [digest(key), digest(definition), sealed, sealed.length, at] as const;
        await sql.batch([
          [OLD, project, flow, node, digest(definition)],
          [PUT, project, flow, node, ...own, ttlMs === undefined ? null : at + ttlMs, run ?? null],
        ]);
        await sweep();
        return true;
      }, false),
  };
}

interface Row {
  readonly sealed: Uint8Array;
  readonly at: number;
  readonly run: string | null;
  readonly definition: string;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
