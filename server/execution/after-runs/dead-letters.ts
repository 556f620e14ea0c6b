import type { DeadLetter } from '#shared/calls-api.ts';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';

/** Runs that failed for good and still wait to be dealt with. Every method throws `storage_failed`. */
export interface DeadLetters {
  /** Stored when it resolves. Beyond 10,000 the oldest is dropped. */
  add(letter: DeadLetter): Promise<void>;
  /** Newest first; only those before the given run. */
  list(query: {
    readonly flow?: string | undefined;
    readonly before?: string | undefined;
    readonly limit: number;
  }): Promise<DeadLetter[]>;
  /** The runs of a flow, oldest first. */
  oldest(flow: string, limit: number): Promise<string[]>;
  /** False if there is none for this run. */
  drop(run: string): Promise<boolean>;
  count(): Promise<number>;
}

export const MAX_LETTERS = 10_000;

const ADD = `INSERT INTO dead_letters (project, run, flow, letter) VALUES (?, ?, ?, ?)
  ON CONFLICT (project, run) DO UPDATE SET flow = excluded.flow, letter = excluded.letter`;
/** Keeps the newest ones: ids begin with their time. */
const TRIM = `DELETE FROM dead_letters WHERE project = ? AND run <= (
  SELECT run FROM dead_letters WHERE project = ? ORDER BY run DESC LIMIT 1 OFFSET ?)`;
const LIST = `SELECT letter FROM dead_letters
  WHERE project = ? AND run < ? AND (CAST(? AS TEXT) IS NULL OR flow = ?) ORDER BY run DESC LIMIT ?`;
const OLDEST = 'SELECT run FROM dead_letters WHERE project = ? AND flow = ? ORDER BY run LIMIT ?';
const DROP = 'DELETE FROM dead_letters WHERE project = ? AND run = ?';
const COUNT = 'SELECT count(*) AS letters FROM dead_letters WHERE project = ?';

/** Sorts after every run id, because ids begin with their time. */
const LAST = '\u{10ffff}';

/** Stored in the rows of a database, which the caller closes. */
export function createDeadLetters(
  sql: Sql,
  {
    most = MAX_LETTERS,
    project = DEFAULT_PROJECT,
  }: { readonly most?: number; readonly project?: string } = {},
): DeadLetters {
  return {
    async add(letter) {
      await sql.batch([
        [ADD, project, letter.run, letter.flow, JSON.stringify(letter)],
        [TRIM, project, project, most],
      ]);
    },
    async list({ flow = null, before = LAST, limit }) {
      const rows = await sql.all<{ readonly letter: string }>(LIST, project, before, flow, flow, limit);
      return rows.map(({ letter }) => JSON.parse(letter) as DeadLetter);
    },
    async oldest(flow, limit) {
      const rows = await sql.all<{ readonly run: string }>(OLDEST, project, flow, limit);
      return rows.map(({ run }) => run);
    },
    drop: async (run) => (await sql.run(DROP, project, run)) > 0,
    async count() {
      return (await sql.first<{ readonly letters: number }>(COUNT, project))?.letters ?? 0;
    },
  };
}
