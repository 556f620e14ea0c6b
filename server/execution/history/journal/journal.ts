import type { RunHistory } from '../history.ts';
import { JournalThread } from './journal-thread.ts';
import type { JournalCalls, JournalSetup } from './protocol.ts';
import { packRows } from './packs.ts';
import { writeRows } from './rows-text.ts';

export interface JournalOptions extends JournalSetup {
  /** Reports facts to the operator of the server, such as a file that was set aside. */
  readonly warn: (message: string) => void;
}

/** A history that also accepts rows which another process has prepared. */
export interface Journal extends RunHistory {
  /** Stores all or nothing; returns how many large values of the batches could not be stored. */
  append(written: JournalCalls['append']['in']): Promise<number>;
}

/**
 * The history on disk: SQLite files in `folder`, written and read by a separate thread. A crash of the process loses
 * what was not yet appended, and never damages what was. Calls reject with `storage_failed`.
 */
export function createJournal({ warn, ...setup }: JournalOptions): Journal {
  const thread = new JournalThread(setup, () => void reportBroken());

  async function reportBroken(): Promise<void> {
    // If the folder cannot be used at all, the first caller gets the error.
    const broken = await thread.call('broken', null).catch(() => []);
    for (const { file, reason } of broken)
      warn(`${file} of the run history could not be read (${reason}); it was renamed to ${file}.broken.`);
  }

  return {
    append: (written) => thread.call('append', written).then(({ lost }) => lost),
    // Neither keeps its argument while it waits: it would stay in memory until the thread has written it.
    appendSummaries(rows) {
      const { packs, rest } = packRows(rows);
      return thread.call('append', { rows: writeRows(rest), packs, batches: [] }).then(() => {});
    },
    appendEvents(batches) {
      return thread.call('append', { rows: writeRows([]), packs: [], batches }).then(({ lost }) => lost);
    },
    get: (run) => thread.call('get', run),
    list: (query) => thread.call('list', query),
    events: (run, after) => thread.call('events', { run, after }),
    value: (run, hash) => thread.call('value', { run, hash }),
    tape: (run) => thread.call('tape', run),
    remove: (run) => thread.call('remove', run),
    reserve: (bytes) => thread.call('reserve', bytes),
    prune: (time) => thread.call('prune', time),
    close: () => thread.close(),
  };
}
