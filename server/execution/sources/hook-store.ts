import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';
import type { SourceId } from './source-store.ts';

/**
 * Who a hook is for: the live flow; a draft to which somebody listens; or either, where a person entered the address at the service,
 * which then outlasts both.
 */
export type HookUse = 'live' | 'draft' | 'hand';

/** A registration as it is stored; times in Unix milliseconds. */
export interface HookRow extends SourceId {
  readonly key: string;
  readonly use: HookUse;
  /** What it is registered with. */
  readonly of: string;
  /** The public address of the server that registered it, without a final slash. */
  readonly base: string;
  /** JSON, the params of the trigger. */
  readonly params: string;
  /** The sealed secret of the service; null while ours signs. */
  readonly sealed: string | null;
  readonly remote: string | null;
  readonly turn: number;
  /** Null: the service does not have it, as far as is known. */
  readonly registered_at: number | null;
  readonly ends_at: number | null;
  readonly last_at: number | null;
  readonly last_event: string | null;
  /** Until then somebody listens to the draft. */
  readonly listens_until: number;
  /** JSON, what came for the draft. */
  readonly heard: string | null;
  /** 1 if it is the hook of its trigger now; an earlier one goes once this one is registered. */
  readonly current: number;
  readonly may_replace: number;
  /** Grows when a person asks to register it again. */
  readonly asks: number;
  /** JSON: `code` and `message`. */
  readonly problem: string | null;
}

type Change = Partial<
  Pick<
    HookRow,
    | 'params'
    | 'base'
    | 'sealed'
    | 'remote'
    | 'turn'
    | 'registered_at'
    | 'ends_at'
    | 'last_at'
    | 'last_event'
    | 'listens_until'
    | 'heard'
    | 'current'
    | 'may_replace'
    | 'asks'
    | 'problem'
  >
>;

/** The registrations of triggers at services. Every method may throw `storage_failed`. */
export interface HookStore {
  all(): Promise<HookRow[]>;
  find(key: string): Promise<HookRow | undefined>;
  ofFlow(flow: string): Promise<HookRow[]>;
  ofNode(flow: string, node: string): Promise<HookRow[]>;
  /** Outlives a power cut once it resolves. */
  add(
    row: Pick<HookRow, 'key' | 'use' | 'of' | 'base' | 'params' | 'listens_until'> & SourceId,
  ): Promise<void>;
  change(key: string, change: Change): Promise<void>;
  /** Keeps what came for a draft to which somebody listens at `now`; false if nobody does, or something has come before. */
  hear(key: string, heard: string, now: number): Promise<boolean>;
  /** Makes it the hook of its trigger; an earlier one goes later. */
  makeCurrent(row: Pick<HookRow, 'key' | 'flow' | 'node' | 'use'>): Promise<void>;
  remove(key: string): Promise<void>;
}

const COLUMNS =
  'key, flow, node, operator, use, of_what AS "of", base, params, sealed, remote, turn, registered_at, ends_at, last_at, last_event, listens_until, heard, current, may_replace, asks, problem';
const ALL = `SELECT ${COLUMNS} FROM hooks WHERE project = ? ORDER BY flow, node, key`;
const FIND = `SELECT ${COLUMNS} FROM hooks WHERE project = ? AND key = ?`;
const OF_FLOW = `SELECT ${COLUMNS} FROM hooks WHERE project = ? AND flow = ? ORDER BY node, key`;
const OF_NODE = `SELECT ${COLUMNS} FROM hooks WHERE project = ? AND flow = ? AND node = ? ORDER BY key`;
const ADD = `INSERT INTO hooks (project, key, flow, node, operator, use, of_what, base, params, turn, listens_until, current, may_replace, asks)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0, 0, 0)`;
const CURRENT = `UPDATE hooks SET current = CASE WHEN key = ? THEN 1 ELSE 0 END
  WHERE project = ? AND flow = ? AND node = ? AND use = ?`;
const HEAR =
  'UPDATE hooks SET heard = ? WHERE project = ? AND key = ? AND heard IS NULL AND listens_until > ?';
const REMOVE = 'DELETE FROM hooks WHERE project = ? AND key = ?';

/** Stored in the rows of a database, which the caller closes. */
export function createHookStore(sql: Sql, project: string = DEFAULT_PROJECT): HookStore {
  return {
    all: () => sql.all<HookRow>(ALL, project),
    find: (key) => sql.first<HookRow>(FIND, project, key),
    ofFlow: (flow) => sql.all<HookRow>(OF_FLOW, project, flow),
    ofNode: (flow, node) => sql.all<HookRow>(OF_NODE, project, flow, node),
    async add({ key, flow, node, operator, use, of, base, params, listens_until: until }) {
      const values = [project, key, flow, node, operator, use, of, base, params, until];
      await sql.batch([[ADD, ...values]], { synced: true });
    },
    async change(key, change) {
      const names = Object.keys(change);
      if (names.length === 0) return;
      const set = names.map((name) => `${name} = ?`).join(', ');
      const values = Object.values(change) as (string | number | null)[];
      await sql.batch([[`UPDATE hooks SET ${set} WHERE project = ? AND key = ?`, ...values, project, key]], {
        synced: true,
      });
    },
    hear: async (key, heard, now) => (await sql.run(HEAR, heard, project, key, now)) > 0,
    async makeCurrent({ key, flow, node, use }) {
      await sql.run(CURRENT, key, project, flow, node, use);
    },
    async remove(key) {
      await sql.run(REMOVE, project, key);
    },
  };
}
