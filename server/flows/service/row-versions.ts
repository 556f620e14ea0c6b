import type { Actor } from '#shared/audit.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { ChangeLog } from '../../storage/database/change-log.ts';
import type { Sql, SqlTransaction } from '../../storage/database/sql.ts';
import type { VersionStore } from './versions.ts';

const PUT = `INSERT INTO flow_version (project, flow, version, n, text, at, actor, label) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (project, flow, version) DO UPDATE SET n = excluded.n, at = excluded.at, actor = excluded.actor,
    label = coalesce(excluded.label, flow_version.label)`;
const LIST = `SELECT version, at, actor, label FROM flow_version WHERE project = ? AND flow = ? ORDER BY n DESC`;
const TEXT = 'SELECT text FROM flow_version WHERE project = ? AND flow = ? AND version = ?';
const LABEL = 'UPDATE flow_version SET label = ? WHERE project = ? AND flow = ? AND version = ?';
const LIVE = 'SELECT version FROM flow_live WHERE project = ? AND flow = ?';
const PUT_LIVE = `INSERT INTO flow_live (project, flow, version) VALUES (?, ?, ?)
  ON CONFLICT (project, flow) DO UPDATE SET version = excluded.version`;
/** Another server may have created the flow again. */
const RETIRE = `DELETE FROM flow_live WHERE project = ? AND flow = ?
  AND NOT EXISTS (SELECT 1 FROM flow_file WHERE flow_file.project = flow_live.project AND id = flow)`;

interface Row {
  readonly version: string;
  readonly at: string;
  readonly actor: string;
  readonly label: string | null;
}

interface Deps {
  readonly sql: Sql;
  readonly changes: Pick<ChangeLog, 'add'>;
  readonly project: string;
  /** Whether versions come from files, and are then stored here. */
  readonly keepsFiles?: boolean | undefined;
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly warn: (error: unknown, message: string) => void;
}

/** Versions in the rows of a database. */
export function createRowVersions({
  sql,
  changes,
  project,
  keepsFiles = false,
  inTurn,
  warn,
}: Deps): VersionStore {
  return {
    // `keep` writes everything: writing a text before it goes live would gain nothing.
    stage: async () => ({ text: undefined, mark: { commit: async () => {}, discard: async () => {} } }),
    async keep(id, { version, text, actor, label, at }, { moved = false } = {}) {
      // There are no files: a version that was not published here is kept by the server that published it.
      if (actor.kind === 'file' && !moved && !keepsFiles) return true;
      const store = async (tx: SqlTransaction): Promise<void> => {
        const n = await changes.add(tx, 'flow', id);
        await tx.run(PUT, project, id, version, n, text, at, JSON.stringify(actor), label ?? null);
        await tx.run(PUT_LIVE, project, id, version);
      };
      try {
        await inTurn(() => sql.transaction(store));
        return true;
      } catch (error) {
        warn(error, `Version ${version} of flow ${id} serves, but could not be stored in the database.`);
        return false;
      }
    },
    async list(id) {
      const live = await sql.first<{ readonly version: string }>(LIVE, project, id);
      const rows = await sql.all<Row>(LIST, project, id);
      return rows.map(({ version, at, actor, label }, i) => {
        const by = JSON.parse(actor) as Actor;
        return {
          version,
          // One that goes live again gets the highest: rows keep only the last time.
          number: rows.length - i,
          at,
          author: by.name,
          actor: by,
          label: label ?? undefined,
          live: version === live?.version,
        };
      });
    },
    async label(id, version, { label }) {
      const changed = await sql.run(LABEL, label === '' ? null : label, project, id, version);
      if (changed === 0) throw new ServiceError('version_not_found');
    },
    text: async (id, version) =>
      (await sql.first<{ readonly text: string }>(TEXT, project, id, version))?.text,
    lastLive: async (id) => (await sql.first<{ readonly version: string }>(LIVE, project, id))?.version,
    retire: (id) =>
      sql.run(RETIRE, project, id).then(
        () => {},
        (error: unknown) => warn(error, `The mark of the live version of flow ${id} could not be removed.`),
      ),
  };
}
