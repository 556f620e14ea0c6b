import { WeftError } from '#engine';
import { AskedThread } from '../../../base/adapters/asked-thread.ts';
import type { RunHistory } from '../history.ts';
import type { JournalCalls, JournalSetup, Written } from './protocol.ts';
import { packRows } from './packs.ts';
import { writeRows } from './rows-text.ts';

/** Whom the journal tells of trouble. */
export interface JournalOptions extends JournalSetup {
  /** Reports facts to the administrator of the server, such as a file that was set aside. */
  readonly warn: (message: string) => void;
}

/** A history that also accepts rows which another process has prepared. */
export interface Journal extends RunHistory {
  /** Stores all or nothing; returns how many large values of the batches could not be stored. */
  append(written: Written): Promise<number>;
}

/**
 * The history on disk: SQLite files in `folder`, written and read by a separate thread. A crash of the process loses
 * what was not yet appended, and never damages what was. Calls reject with `storage_failed`.
 */
export function createJournal({ warn, ...setup }: JournalOptions): Journal {
  const thread = new AskedThread<JournalCalls>({
    program: new URL('./thread.js', import.meta.url),
    open: setup,
    failure: ({ message }) => failure(message),
    begun: () => void reportBroken(),
  });

  async function reportBroken(): Promise<void> {
    // If the folder cannot be used at all, the first caller gets the error.
    const broken = await thread.ask('broken').catch(() => []);
    for (const { file, reason } of broken)
      warn(`${file} of the run history could not be read (${reason}); it was renamed to ${file}.broken.`);
  }

  return {
    append: (written) => thread.ask('append', written),
    // Neither keeps its argument while it waits: it would stay in memory until the thread has written it.
    appendSummaries(rows) {
      const { packs, rest } = packRows(rows);
      return thread.ask('append', { rows: writeRows(rest), packs, batches: [] }).then(() => {});
    },
    appendEvents(batches) {
      return thread.ask('append', { rows: writeRows([]), packs: [], batches });
    },
    get: (run) => thread.ask('get', run),
    list: (query) => thread.ask('list', query),
    events: (run, after) => thread.ask('events', run, after),
    value: (run, hash) => thread.ask('value', run, hash),
    tape: (run) => thread.ask('tape', run),
    remove: (run) => thread.ask('remove', run),
    reserve: (bytes) => thread.ask('reserve', bytes),
    prune: (time) => thread.ask('prune', time),
    close: () => thread.close(),
  };
}

function failure(reason: string): WeftError {
  return new WeftError(
    'storage_failed',
    `The run history could not be used (${reason}); free space or repair permissions of the data folder.`,
  );
}
