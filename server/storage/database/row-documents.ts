import { type Db, type DbData, NO_DATA } from '../../base/adapters/db.ts';
import type { ChangeLog } from './change-log.ts';
import { DEFAULT_PROJECT, type Sql } from './sql.ts';

const ALL = 'SELECT part, json FROM document WHERE project = ?';
const FIND = 'SELECT json FROM document WHERE project = ? AND part = ?';
const PUT = `INSERT INTO document (project, part, json) VALUES (?, ?, ?)
  ON CONFLICT (project, part) DO UPDATE SET json = excluded.json`;

/** The part of the change log that documents need. */
type Changes = Pick<ChangeLog, 'add' | 'spread' | 'follow'>;

/** Called for a row that was changed by hand and cannot be read; the previous value stays. */
export type Damaged = (err: unknown, row: string) => void;

/**
 * The server's small documents in the rows of a database, which the caller closes; read once, then from memory, in step with
 * the change log if there is one.
 */
export async function openRowDocuments(
  sql: Sql,
  project: string = DEFAULT_PROJECT,
  changes?: Changes,
  damaged: Damaged = () => {},
): Promise<Db> {
  const listeners = new Set<readonly [part: keyof DbData, listener: () => void]>();
  const rows = await sql.all<{ readonly part: string; readonly json: string }>(ALL, project);
  let data: DbData = {
    ...NO_DATA,
    ...Object.fromEntries(rows.map(({ part, json }) => [part, JSON.parse(json) as unknown])),
  };
  let last: Promise<unknown> = Promise.resolve();

  async function replace<K extends keyof DbData>(part: K, next: (current: DbData[K]) => DbData[K]) {
    const changed = await sql.transaction(async (tx) => {
      // The change applies to what another process may have written since.
      const row = await tx.first<{ readonly json: string }>(FIND, project, part);
      const value = next(row === undefined ? NO_DATA[part] : (JSON.parse(row.json) as DbData[K]));
      await tx.run(PUT, project, part, JSON.stringify(value));
      return { value, seq: await changes?.add(tx, 'document', part) };
    });
    data = { ...data, [part]: changed.value };
    return changed.seq;
  }

  /** In turn with the changes of this server, so that none is overwritten by an earlier read. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function readAgain(part: keyof DbData): Promise<void> {
    const row = await sql.first<{ readonly json: string }>(FIND, project, part);
    const before = data;
    // An unreadable row must not keep later changes from being applied.
    try {
      if (row !== undefined) data = { ...data, [part]: JSON.parse(row.json) as unknown };
      for (const [of, listener] of listeners) if (of === part) listener();
    } catch (error) {
      data = before;
      damaged(error, part);
    }
  }

  changes?.follow('document', async (parts) => {
    const asked = parts === 'all' ? Object.keys(NO_DATA) : [...parts];
    for (const part of asked) {
      if (part in NO_DATA) await inTurn(() => readAgain(part as keyof DbData));
    }
  });

  return {
    get data() {
      return data;
    },
    async change(part, next) {
      const seq = await inTurn(() => replace(part, next));
      if (seq !== undefined) await changes?.spread(seq);
    },
    onOthers: (part, listener) => void listeners.add([part, listener]),
    // Migrations of the database bring its rows to the newest format.
    upgrade: async () => {},
  };
}
