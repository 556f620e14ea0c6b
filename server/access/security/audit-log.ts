import type { Actor, AuditEntry, AuditPage, AuditQuery } from '#shared/audit.ts';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';

/** A record of changes: who, what, from where, when. Entries are never changed. */
export interface AuditLog {
  /** Rejects with `storage_failed`. */
  add(entry: NewEntry): Promise<void>;
  /** The newest first, including all added before the call. Rejects with `storage_failed`. */
  list(query: AuditQuery): Promise<AuditPage>;
}

/** An entry before it has its time and number. */
export type NewEntry = Pick<AuditEntry, 'actor' | 'what' | 'facts' | 'from'>;

/** Entries beyond this number are dropped, the oldest first. */
const MOST = 100_000;
/** Number of entries after which the oldest are dropped. */
const TRIM_EVERY = 1000;

const ADD = `INSERT INTO audit (project, id, at, actor_kind, actor_id, actor_name, what, flow, facts, address)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const TRIM = `DELETE FROM audit WHERE project = ? AND id <= (
  SELECT id FROM audit WHERE project = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`;
const LIST = `SELECT * FROM audit WHERE project = ? AND id < ? AND at >= ?
  AND (CAST(? AS TEXT) IS NULL OR actor_name = ?) AND (CAST(? AS TEXT) IS NULL OR what = ?)
  AND (CAST(? AS TEXT) IS NULL OR flow = ?) ORDER BY id DESC LIMIT ?`;
/** Sorts after every id. */
const LAST = '~';

interface Options {
  readonly now: () => number;
  readonly project?: string;
  readonly most?: number;
}

/** In the rows of a database. The caller closes it. */
export function createAuditLog(sql: Sql, { now, project = DEFAULT_PROJECT, most = MOST }: Options): AuditLog {
  const adding = new Set<Promise<unknown>>();
  const idAt = createIds();
  let added = 0;
  return {
    async add({ actor, what, facts, from }) {
      const at = now();
      const flow = typeof facts['flow'] === 'string' ? facts['flow'] : null;
      const who = [actor.kind, actor.id, actor.name];
      const done = sql.batch([
        [ADD, project, idAt(at), at, ...who, what, flow, JSON.stringify(facts), from ?? null],
        ...(added++ % TRIM_EVERY === 0 ? [[TRIM, project, project, most] as const] : []),
      ]);
      adding.add(done);
      try {
        await done;
      } finally {
        adding.delete(done);
      }
    },
    async list({ actor = null, what = null, flow = null, since, before = LAST, limit }) {
      await Promise.allSettled(adding);
      const from = since === undefined ? 0 : Date.parse(since);
      const given = [project, before, from, actor, actor, what, what, flow, flow, limit];
      const entries = (await sql.all<Row>(LIST, ...given)).map(entryOf);
      const last = entries.at(-1);
      return { entries, ...(last && entries.length === limit && { next: last.id }) };
    },
  };
}

/** Ids that sort by time, and in the order in which they were made; different in every process. */
function createIds(): (at: number) => string {
  const process = crypto.randomUUID().slice(0, 8);
  let last = 0;
  let n = 0;
  return (at) => {
    // The clock may be set back; the order must not.
    n = at > last ? 0 : n + 1;
    last = Math.max(at, last);
    return `${last.toString(36).padStart(9, '0')}${n.toString(36).padStart(4, '0')}${process}`;
  };
}

interface Row {
  readonly id: string;
  readonly at: number;
  readonly actor_kind: Actor['kind'];
  readonly actor_id: string;
  readonly actor_name: string;
  readonly what: string;
  readonly facts: string;
  readonly address: string | null;
}

function entryOf({ id, at, what, facts, address, ...row }: Row): AuditEntry {
  return {
    id,
    at: new Date(at).toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    what,
    facts: JSON.parse(facts) as AuditEntry['facts'],
    ...(address !== null && { from: address }),
  };
}
