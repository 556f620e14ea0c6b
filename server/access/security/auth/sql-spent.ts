import { createHash } from 'node:crypto';
import { DEFAULT_PROJECT, type Sql } from '../../../storage/database/sql.ts';
import type { SpentSignatures } from './spent.ts';

const SPEND =
  'INSERT INTO spent_signature (project, key, until) VALUES (?, ?, ?) ON CONFLICT (project, key) DO NOTHING';
const GIVE_BACK = 'DELETE FROM spent_signature WHERE project = ? AND key = ?';
const FORGET = 'DELETE FROM spent_signature WHERE project = ? AND until <= ?';
/** How often expired requests are deleted, in milliseconds. */
const SWEEP_MS = 60_000;

interface Deps {
  readonly sql: Sql;
  /** Unix milliseconds, by a clock that all servers share. */
  readonly now: () => number;
  /** Gets errors that occur after the answer. */
  readonly warn: (err: unknown) => void;
  readonly project?: string;
}

/** The requests used on all servers of one database. */
export function createSqlSpent({ sql, now, warn, project = DEFAULT_PROJECT }: Deps): SpentSignatures {
  let sweptAt = now();

  function sweep(): void {
    if (now() - sweptAt < SWEEP_MS) return;
    sweptAt = now();
    sql.run(FORGET, project, sweptAt).catch(warn);
  }

  return {
    // Reading beforehand would cost a query, and decide nothing.
    isKnown: () => false,
    async spend(key, until) {
      const isNew = (await sql.run(SPEND, project, short(key), Math.ceil(until))) > 0;
      sweep();
      return isNew;
    },
    giveBack: (key) => void sql.run(GIVE_BACK, project, short(key)).catch(warn),
  };
}

/** A hash, so that the length does not depend on the flow's name. */
function short(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}
