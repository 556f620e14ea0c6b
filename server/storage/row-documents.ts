import { type Db, type DbData, NO_DATA } from '../adapters/db.ts';
import { DEFAULT_PROJECT, type Sql } from './sql.ts';

const ALL = 'SELECT part, json FROM document WHERE project = ?';
const FIND = 'SELECT json FROM document WHERE project = ? AND part = ?';
const PUT = `INSERT INTO document (project, part, json) VALUES (?, ?, ?)
  ON CONFLICT (project, part) DO UPDATE SET json = excluded.json`;

/** The server's small documents in the rows of a database, which the caller closes; read once, then from memory. */
export async function openRowDocuments(sql: Sql, project: string = DEFAULT_PROJECT): Promise<Db> {
  const rows = await sql.all<{ readonly part: string; readonly json: string }>(ALL, project);
  let data: DbData = {
    ...NO_DATA,
    ...Object.fromEntries(rows.map(({ part, json }) => [part, JSON.parse(json) as unknown])),
  };
  let last: Promise<unknown> = Promise.resolve();

  async function replace<K extends keyof DbData>(part: K, next: (current: DbData[K]) => DbData[K]) {
    const changed = await sql.transaction(async (tx) => {
      // What another process has written since is what is changed.
      const row = await tx.first<{ readonly json: string }>(FIND, project, part);
      const value = next(row === undefined ? NO_DATA[part] : (JSON.parse(row.json) as DbData[K]));
      await tx.run(PUT, project, part, JSON.stringify(value));
      return value;
    });
    data = { ...data, [part]: changed };
  }

  return {
    get data() {
      return data;
    },
    change(part, next) {
      const done = last.then(() => replace(part, next));
      last = done.catch(() => undefined);
      return done;
    },
    // Migrations of the database bring its rows to the newest format.
    upgrade: async () => {},
  };
}
