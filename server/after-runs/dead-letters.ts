import type { DatabaseSync } from 'node:sqlite';
import type { DeadLetter } from '#shared/calls-api.ts';
import { storing } from '../adapters/weft-db.ts';

/** Runs that failed for good and that nobody has dealt with. Every method throws `storage_failed`. */
export interface DeadLetters {
  /** On disk when it returns. Beyond 10,000 the oldest is dropped. */
  add(letter: DeadLetter): void;
  /** Newest first, those before the given run. */
  list(query: {
    readonly flow?: string | undefined;
    readonly before?: string | undefined;
    readonly limit: number;
  }): DeadLetter[];
  /** The runs of a flow, oldest first. */
  oldest(flow: string, limit: number): string[];
  /** False if there is none for this run. */
  drop(run: string): boolean;
  count(): number;
}

export const MAX_LETTERS = 10_000;

const TABLE = `
  CREATE TABLE IF NOT EXISTS dead_letters (run TEXT PRIMARY KEY, flow TEXT NOT NULL, letter TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS dead_letters_flow ON dead_letters (flow, run);
`;

/** Stored in `weft.db`. The caller closes the database; the table is created on first use. */
export function createDeadLetters(db: DatabaseSync, most: number = MAX_LETTERS): DeadLetters {
  let opened: ReturnType<typeof prepared> | undefined;
  const use = <T>(work: (statements: ReturnType<typeof prepared>) => T): T =>
    storing(() => work((opened ??= prepared(db))));
  return {
    add: (letter) =>
      use(({ add, trim }) => {
        add.run(letter.run, letter.flow, JSON.stringify(letter));
        trim.run(most);
      }),
    list: ({ flow, before, limit }) =>
      use(({ all, ofFlow }) =>
        flow === undefined ? all.all(before ?? LAST, limit) : ofFlow.all(flow, before ?? LAST, limit),
      ).map((row) => JSON.parse(row['letter'] as string) as DeadLetter),
    oldest: (flow, limit) => use(({ oldest }) => oldest.all(flow, limit)).map((row) => row['run'] as string),
    drop: (run) => use(({ drop }) => drop.run(run).changes > 0),
    count: () => (use(({ count }) => count.get()) as { letters: number }).letters,
  };
}

/** Sorts after every run id, because ids begin with their time. */
const LAST = '\u{10ffff}';

function prepared(db: DatabaseSync) {
  db.exec(TABLE);
  return {
    add: db.prepare('INSERT OR REPLACE INTO dead_letters (run, flow, letter) VALUES (?, ?, ?)'),
    trim: db.prepare(
      'DELETE FROM dead_letters WHERE run IN (SELECT run FROM dead_letters ORDER BY run DESC LIMIT -1 OFFSET ?)',
    ),
    all: db.prepare('SELECT letter FROM dead_letters WHERE run < ? ORDER BY run DESC LIMIT ?'),
    ofFlow: db.prepare(
      'SELECT letter FROM dead_letters WHERE flow = ? AND run < ? ORDER BY run DESC LIMIT ?',
    ),
    oldest: db.prepare('SELECT run FROM dead_letters WHERE flow = ? ORDER BY run LIMIT ?'),
    drop: db.prepare('DELETE FROM dead_letters WHERE run = ?'),
    count: db.prepare('SELECT COUNT(*) AS letters FROM dead_letters'),
  };
}
