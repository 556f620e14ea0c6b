import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';
import { createServerKey } from './server-key.ts';

/** The file that 0.2.0 kept sessions in; the first start of a later version moves them to the store. */
export const OLDER_SESSIONS = 'sessions.json';

/** A stored session: nothing in it allows a sign-in. */
export interface StoredSession {
  /** SHA-256 of the cookie's secret. */
  readonly hash: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** The sessions that outlive the process, for all processes of a project. All methods reject with `storage_failed`. */
export interface SessionStore {
  /** When the session ends, in Unix milliseconds, which may be past; undefined if there is none. */
  find(hash: string): Promise<number | undefined>;
  /** Adds a session, and drops those that have ended, those above 200 that end first, and those of another password. */
  add(session: StoredSession): Promise<void>;
  /** Postpones the end of a session; does nothing if it is no longer stored. */
  extend(session: StoredSession): Promise<void>;
  remove(hash: string): Promise<void>;
  removeAll(): Promise<void>;
}

/** Above this number the session that ends first is dropped. */
export const MOST_SESSIONS = 200;

const FIND = 'SELECT expires_at FROM sessions WHERE project = ? AND hash = ? AND password = ?';
const ADD = `INSERT INTO sessions (project, hash, password, expires_at) VALUES (?, ?, ?, ?)
  ON CONFLICT (project, hash) DO NOTHING`;
const TRIM = `DELETE FROM sessions WHERE project = ? AND hash <> ? AND hash NOT IN (
  SELECT hash FROM sessions WHERE project = ? AND hash <> ? AND password = ? AND expires_at > ?
  ORDER BY expires_at DESC, hash LIMIT ?)`;
const EXTEND = 'UPDATE sessions SET expires_at = ? WHERE project = ? AND hash = ? AND expires_at < ?';
const REMOVE = 'DELETE FROM sessions WHERE project = ? AND hash = ?';
const REMOVE_ALL = 'DELETE FROM sessions WHERE project = ?';

interface Options {
  readonly now: () => number;
  /** The admin password. Changing it ends all sessions. */
  readonly password: string | undefined;
  readonly project?: string;
}

/** In the rows of a database. The caller closes it. */
export function createSessionStore(
  sql: Sql,
  { now, password, project = DEFAULT_PROJECT }: Options,
): SessionStore {
  const passwordHash = createPasswordHash(sql, password, project);
  return {
    async find(hash) {
      const of = await passwordHash(false);
      if (of === undefined) return undefined;
      return (await sql.first<{ readonly expires_at: number }>(FIND, project, hash, of))?.expires_at;
    },
    async add({ hash, expiresAt }) {
      const of = await passwordHash(true);
      await sql.batch([
        [ADD, project, hash, of, expiresAt],
        [TRIM, project, hash, project, hash, of, now(), MOST_SESSIONS - 1],
      ]);
    },
    async extend({ hash, expiresAt }) {
      await sql.run(EXTEND, expiresAt, project, hash, expiresAt);
    },
    async remove(hash) {
      await sql.run(REMOVE, project, hash);
    },
    async removeAll() {
      await sql.run(REMOVE_ALL, project);
    },
  };
}

const derive = promisify<string, Uint8Array, number, Buffer>(scrypt);

/** A slow hash of the password, salted by a key that all processes share, so that all of them compute the same one. */
function createPasswordHash(sql: Sql, password: string | undefined, project: string) {
  const salt = createServerKey(sql, 'sessions', project);
  let known: Promise<string> | undefined;

  /** Undefined if there has never been a sign-in, unless the salt is to be made. */
  async function passwordHash(make: true): Promise<string>;
  async function passwordHash(make: boolean): Promise<string | undefined>;
  async function passwordHash(make: boolean): Promise<string | undefined> {
    if (password === undefined) return '';
    const key = make ? await salt.get() : await salt.find();
    if (key === undefined) return undefined;
    known ??= derive(password, key, 32).then((hash) => hash.toString('base64url'));
    return known;
  }

  return passwordHash;
}
