import { NodeAbout, type NodeInfo } from '#shared/node.ts';
import type { Sql, SqlValue } from '../sql.ts';

/** The servers of a database, or the processes of a data folder, read from their rows. */

/** Milliseconds until an unseen server counts as gone, and one that does not reach the database as stale. */
export const GONE_MS = 10_000;
/** SQL for the current time of a database, in Unix milliseconds. */
export const POSTGRES_CLOCK = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
export const SQLITE_CLOCK = "CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)";
const list = (
  now: string,
): string => `SELECT id, name, version, started_at, seen_at, applied, state, url, about, ${now} AS now FROM node
  WHERE project = ? AND seen_at > ${now} - ? ORDER BY started_at, id`;

/** How long changes are kept, in milliseconds; a server that was cut off for longer reads everything again. */
export const KEPT_MS = 24 * 3_600_000;

/** The statements that use the current time. */
export const timedStatements = (now: string) => ({
  ADD: `INSERT INTO change (project, seq, node, kind, id, at) VALUES (?, ?, ?, ?, ?, ${now})`,
  JOIN: `INSERT INTO node (project, id, name, version, started_at, seen_at, applied, state, tag, url, about)
    VALUES (?, ?, ?, ?, ${now}, ${now}, ?, ?, ?, ?, ?)
    ON CONFLICT (project, id) DO UPDATE
    SET seen_at = ${now}, applied = excluded.applied, state = excluded.state, url = excluded.url, about = excluded.about
    RETURNING ${now} AS now`,
  PENDING: `SELECT name FROM node
    WHERE project = ? AND state = 'up' AND applied < ? AND seen_at > ${now} - ${GONE_MS} AND id <> ? ORDER BY name`,
  IS_LIVE: `SELECT 1 AS live FROM node WHERE project = ? AND id = ? AND seen_at > ${now} - ${GONE_MS}`,
  FIND: `SELECT name, tag, url, seen_at > ${now} - ${GONE_MS} AS "isLive" FROM node WHERE project = ? AND tag = ?`,
  OTHERS: `SELECT name, tag, url FROM node
    WHERE project = ? AND id <> ? AND tag IS NOT NULL AND seen_at > ${now} - ${GONE_MS} ORDER BY started_at, id`,
  /** Keeps the last one, by which a server that missed it finds out. */
  FORGET_CHANGES: `DELETE FROM change WHERE project = ? AND at < ${now} - ${KEPT_MS}
    AND seq < (SELECT seq FROM change_head WHERE project = change.project)`,
  FORGET_NODES: `DELETE FROM node WHERE project = ? AND seen_at < ${now} - ${KEPT_MS}`,
  TAKE: `INSERT INTO claim (project, name, node, until) VALUES (?, ?, ?, ${now} + ?)
    ON CONFLICT (project, name) DO UPDATE SET node = excluded.node, until = excluded.until
    WHERE claim.until < ${now} OR claim.node = excluded.node`,
});

/** A server as others reach it. */
export interface Reachable {
  readonly name: string;
  readonly tag: string;
  readonly url: string | null;
}

interface NodeRow {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly started_at: number;
  readonly seen_at: number;
  readonly applied: number;
  readonly state: 'starting' | 'up';
  readonly url: string | null;
  readonly about: string | null;
  readonly now: number;
}

/** The servers seen within this many milliseconds. */
export function readNodes(
  sql: Sql,
  project: string,
  { ms, clock }: { readonly ms: number; readonly clock: string },
): Promise<NodeRow[]> {
  return sql.all<NodeRow>(list(clock), project, ms);
}

/** Writes the row of a server and returns the database's time. SQLite reads and writes on different connections. */
export async function writeNode(
  sql: Sql,
  clock: string,
  facts: readonly SqlValue[],
): Promise<{ readonly now: number } | undefined> {
  const { JOIN } = timedStatements(clock);
  const write = (on: Pick<Sql, 'first'>) => on.first<{ readonly now: number }>(JOIN, ...facts);
  return clock === SQLITE_CLOCK ? sql.transaction(write) : write(sql);
}

/** Servers of another version may report another form. */
export function aboutOf(json: string | null): NodeAbout {
  return json === null ? {} : (NodeAbout.safeParse(JSON.parse(json)).data ?? {});
}

/** `head`: the number of the last change; `self`: the server that lists them. */
export function listed(
  rows: readonly NodeRow[],
  { head, self }: { readonly head: number; readonly self: string },
): NodeInfo[] {
  const isGone = ({ seen_at, now }: NodeRow): boolean => seen_at <= now - GONE_MS;
  const here = new Set(rows.filter((row) => !isGone(row)).map(({ name }) => name));
  return rows.map((row) => {
    const { id, name, version, started_at, seen_at, applied, state, url, about } = row;
    const {
      leaving,
      process: one,
      unserved,
      role = 'all',
      clockMs,
      unreachable = [],
      flows,
    } = aboutOf(about);
    const unreached = unreachable.filter((other) => here.has(other));
    return {
      id,
      name,
      version,
      startedAt: started_at,
      seenAt: seen_at,
      state: isGone(row) ? 'gone' : leaving === true ? 'leaving' : state,
      role,
      ...(url !== null && { url }),
      behind: Math.max(0, head - applied),
      ...(one !== undefined && { process: one }),
      ...(unserved !== undefined && { unserved }),
      ...(clockMs !== undefined && { clockMs }),
      ...(flows !== undefined && { flows }),
      ...(unreached.length > 0 && { unreachable: unreached }),
      self: id === self,
    };
  });
}
