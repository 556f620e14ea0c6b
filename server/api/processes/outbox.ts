import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunSummary } from '#shared/run-event.ts';
import { storageError } from '../../base/files/atomic-file.ts';
import type { EventBatch, RunHistory } from '../../execution/history/history.ts';
import { type Pack, packRows, unpackRows } from '../../execution/history/journal/packs.ts';
import { readRows, writeRows } from '../../execution/history/journal/rows-text.ts';

/** The folder for a process's ended runs, inside its own folder. */
export const OUTBOX = 'ended-runs';
export const ENDING = '.json';
const PART = '.part';
/** How long a process remembers runs that it handed over, in milliseconds: a follower of a run may ask for its end. */
const KNOWN_MS = 10_000;

/** A batch on its way to the journal. */
export interface Sent {
  readonly rows: string;
  readonly packs: readonly (Omit<Pack, 'times'> & { readonly times: readonly number[] })[];
  readonly batches: readonly EventBatch[];
}

/**
 * The history of a process whose runs another one stores: each batch is a file that exists as a whole or not at all, and stays until the
 * other one has stored it, even if a process is killed. It answers only for the last seconds; the rest is in the journal.
 */
export function createOutbox(
  folder: string,
  now: () => number = performance.now.bind(performance),
): RunHistory {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder))
    if (name.endsWith(PART)) rmSync(join(folder, name), { force: true });
  const begun = String(Date.now()).padStart(15, '0');
  const known: { readonly until: number; readonly text: string }[] = [];
  let n = 0;
  // In order, so that a run's events exist before its line.
  let last: Promise<unknown> = Promise.resolve();

  async function put(text: string): Promise<void> {
    const file = join(folder, `${begun}-${String(++n).padStart(9, '0')}${ENDING}`);
    try {
      await writeFile(`${file}${PART}`, text, { mode: 0o600 });
      await rename(`${file}${PART}`, file);
    } catch (error) {
      throw storageError(error, file);
    }
  }

  function send(sent: Sent): Promise<void> {
    const text = JSON.stringify(sent);
    const at = now();
    while (known[0] !== undefined && known[0].until < at) known.shift();
    known.push({ until: at + KNOWN_MS, text });
    const done = last.then(() => put(text));
    last = done.catch(() => undefined);
    return done;
  }

  const all = (): Sent[] => known.map(({ text }) => JSON.parse(text) as Sent);
  const batchesOf = (run: string): EventBatch[] =>
    all().flatMap(({ batches }) => batches.filter((batch) => batch.run === run));

  return {
    appendSummaries(rows) {
      if (rows.length === 0) return Promise.resolve();
      const { packs, rest } = packRows(rows);
      const sent = packs.map((pack) => ({ ...pack, times: [...pack.times] }));
      return send({ rows: writeRows(rest), packs: sent, batches: [] });
    },
    appendEvents: (batches) => send({ rows: writeRows([]), packs: [], batches }).then(() => 0),
    get: async (run) =>
      all()
        .flatMap(rowsOf)
        .findLast((row) => row.run === run),
    // The caller adds runs in progress; the first process lists the ended ones.
    list: async () => [],
    events: async (run, after) =>
      batchesOf(run).flatMap(({ events }) => events.filter(({ seq }) => seq > after)),
    value: async (run, hash) =>
      batchesOf(run)
        .flatMap(({ values = [] }) => values)
        .find((value) => value.hash === hash)?.json,
    tape: async (run) => batchesOf(run).find(({ tape }) => tape !== undefined)?.tape,
    remove: async () => false,
    prune: async () => 0,
    close: async () => void (await last),
  };
}

export function packsOf({ packs }: Sent): Pack[] {
  return packs.map((pack) => ({ ...pack, times: new Float64Array(pack.times) }));
}

export function rowsOf(sent: Sent): RunSummary[] {
  return [...readRows(sent.rows), ...packsOf(sent).flatMap(unpackRows)];
}
