import { readdirSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunHistory } from '../../execution/history/history.ts';
import type { Journal } from '../../execution/history/journal/journal.ts';
import { ENDING, OUTBOX, packsOf, rowsOf, type Sent } from './outbox.ts';

/** How often the runs of the other processes are stored, in milliseconds. */
const COLLECT_MS = 300;
/** How long this process waits at its stop for the runs of the others, and how often it looks, in milliseconds. */
const LAST_MS = 15_000;
const LAST_LOOK_MS = 50;

interface Deps {
  readonly journal: Journal;
  /** The folder of all processes. */
  readonly data: string;
  readonly warn: (err: unknown, message: string) => void;
  /** Whether another process may still hand over runs before all are stopped. */
  readonly isAwaited: () => Promise<boolean>;
}

/**
 * The journal of the first process, with the runs that the others have handed over.
 * CH1. A batch is deleted after it is in the journal. If the process was killed between storing and deleting, it is not
 *      stored again.
 * CH2. A read includes everything handed over before it.
 */
export function createCollectedHistory(deps: Deps): RunHistory {
  const { journal } = deps;
  const collect = createCollector(deps);
  const timer = setInterval(() => void collect().catch(() => undefined), COLLECT_MS).unref();
  const first = async <T>(read: () => Promise<T>): Promise<T> => {
    // The journal can be read even if nothing can be added.
    await collect().catch(() => undefined);
    return read();
  };
  return {
    ...journal,
    get: (run) => first(() => journal.get(run)),
    list: (query) => first(() => journal.list(query)),
    events: (run, after) => first(() => journal.events(run, after)),
    value: (run, hash) => first(() => journal.value(run, hash)),
    tape: (run) => first(() => journal.tape(run)),
    remove: (run) => first(() => journal.remove(run)),
    async close() {
      clearInterval(timer);
      const end = performance.now() + LAST_MS;
      while (performance.now() < end && (await deps.isAwaited().catch(() => false)))
        await sleep(LAST_LOOK_MS);
      await collect().catch(() => undefined);
      await journal.close();
    },
  };
}

/** Stores the runs handed over before the call. Rejects if that is not possible now; they stay in their files. */
export function createCollector({ journal, data, warn }: Omit<Deps, 'isAwaited'>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let complained = false;
  /** The first files after the start may be in the journal already. */
  const looked = new Set<string>();

  async function take(file: string, folder: string): Promise<void> {
    const text = await readFile(file, 'utf8').catch(unlessGone);
    if (text === undefined) return;
    const sent = readSent(text);
    if (sent === undefined) return await putAside(file);
    const isKnown = !looked.has(folder) && (await isStored(journal, sent));
    looked.add(folder);
    if (!isKnown) await journal.append({ rows: sent.rows, packs: packsOf(sent), batches: sent.batches });
    await rm(file, { force: true });
  }

  /** After a power cut a file may be empty. */
  async function putAside(file: string): Promise<void> {
    warn(undefined, `${file} cannot be read; it was renamed to ${file}.broken`);
    await rename(file, `${file}.broken`);
  }

  async function takeAll(): Promise<void> {
    try {
      for (const folder of outboxesIn(data)) for (const file of filesIn(folder)) await take(file, folder);
      complained = false;
    } catch (err) {
      if (!complained)
        warn(err, 'runs of the other processes could not be stored in the history; trying again');
      complained = true;
      throw err;
    }
  }

  return () => {
    // A collection that has begun may have missed later batches; the next one does not.
    next ??= last.then(() => {
      next = undefined;
      return takeAll();
    });
    last = next.catch(() => undefined);
    return next;
  };
}

function readSent(text: string): Sent | undefined {
  try {
    return JSON.parse(text) as Sent;
  } catch {
    return undefined;
  }
}

/** A batch is stored as a whole, so looking for one of its runs is enough. */
async function isStored(journal: RunHistory, sent: Sent): Promise<boolean> {
  const [row] = rowsOf(sent);
  const known = row && (await journal.get(row.run));
  if (known !== undefined && known.status === row?.status) return true;
  const [batch] = sent.batches;
  const first = batch?.events[0];
  if (batch === undefined || first === undefined) return false;
  return (await journal.events(batch.run, first.seq - 1)).some(({ seq }) => seq === first.seq);
}

/** Includes those of processes that no longer exist. */
function outboxesIn(data: string): string[] {
  return readdirSync(data)
    .filter((name) => /^process-\d+$/.test(name))
    .map((name) => join(data, name, OUTBOX));
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(ENDING))
      .sort()
      .map((name) => join(folder, name));
  } catch (error) {
    return unlessGone(error) ?? [];
  }
}

function unlessGone(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
