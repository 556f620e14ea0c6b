import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { TriggerTable } from './trigger-table.ts';
import { createDiskView, type DiskView } from './disk-view.ts';
import { examineCode, type LoadedCode } from './code-flows.ts';
import { edited, type Entry, isCode, isLive, newEntry, servingOf, type Stored } from './entry.ts';
import type { Examine, Examined } from './examine.ts';
import { byRank, type FlowFile, flowFileAt, scanFlowFiles } from './flow-files.ts';
import { serve, serveWaiting } from './serve-flows.ts';

/**
 * All flows in memory, as the files have them. What this file keeps:
 * 1. A flow serves its file, or, while the file is broken or waits for a path, what served before.
 * 2. What serves and the trigger table change together, within one turn.
 * 3. A folder that is gone altogether (an unmounted disk) takes no flow down.
 */
export interface FlowIndex {
  readonly entries: ReadonlyMap<string, Entry>;
  /** Takes in a flow that has just got its first file or draft. */
  adopt(entry: Entry): void;
  /** Reads everything for the first time; plans are compiled when first used. */
  load(): void;
  /** Takes over what is on disk at these paths now. */
  refresh(paths: readonly string[]): Promise<Settled>;
  /** Paths whose file is not as it was read, by size and time. */
  changedPaths(): string[];
  /** Brings what serves in line with the files. */
  settle(touched: readonly Entry[]): Settled;
  /** Serves a kept version for a flow whose own file cannot. False when that cannot either. */
  serveKept(entry: Entry, examined: Examined): boolean;
}

/** What changed: flows whose file serves now and did not before, and ids that have no file any more. */
export interface Settled {
  readonly live: readonly Entry[];
  readonly gone: readonly string[];
}

export interface FlowIndexDeps {
  readonly roots: readonly string[];
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly triggers: TriggerTable;
  readonly examine: Examine;
  /** Flows written in code, as they were when the server started. */
  readonly codeFlows: readonly LoadedCode[];
  /** Called for every folder that is searched at first. */
  readonly onFolder: (folder: string) => void;
  /** Called when other flows, or other versions of them, serve than before. */
  readonly onServed: () => void;
}

/** Files examined in one turn; requests are answered between two. */
const FILES_PER_TURN = 10;

export function createFlowIndex(deps: FlowIndexDeps): FlowIndex {
  const { roots, log, triggers, examine } = deps;
  const entries = new Map<string, Entry>();
  const disk = createDiskView(roots, examine);

  function entryOf(id: string): Entry {
    const entry = entries.get(id) ?? newEntry(id);
    entries.set(id, entry);
    return entry;
  }

  function load(): void {
    for (const loaded of deps.codeFlows) {
      const stored = { ...loaded.content, examined: examineCode(examine, loaded) };
      take(triggers, entryOf(loaded.file.id), loaded.file, stored);
    }
    for (const file of scanFlowFiles(roots, deps.onFolder)) {
      const entry = entryOf(file.id);
      const stored = entry.files.length === 0 ? disk.read(file) : undefined;
      take(triggers, entry, file, stored === 'same' ? undefined : stored);
    }
  }

  function relist(file: FlowFile): Entry {
    const entry = entryOf(file.id);
    const others = entry.files.filter((f) => f.path !== file.path);
    const isThere = disk.isThere(file.path, others.length < entry.files.length);
    entry.files = isThere ? [...others, file].sort(byRank) : others;
    return entry;
  }

  async function refresh(paths: readonly string[]): Promise<Settled> {
    const files = paths.map((path) => flowFileAt(roots, path)).filter((file) => file !== undefined);
    const touched = [...new Set(files.map(relist))];
    const fresh = await readChanged(disk, touched);
    // Only now, so that files which changed together take effect together.
    for (const [entry, stored] of fresh) entry.file = stored;
    const settled = fresh.size > 0 ? settle([...fresh.keys()]) : { live: [], gone: [] };
    for (const entry of fresh.keys()) report(log, entry);
    dropEmpty(touched);
    return settled;
  }

  function settle(touched: readonly Entry[]): Settled {
    const gone = touched.filter((entry) => !entry.file);
    for (const entry of gone) serve(triggers, entry, undefined);
    const live = serveWaiting(deps, entries.values());
    if (live.length > 0 || gone.length > 0) deps.onServed();
    return { live, gone: gone.map((entry) => entry.id) };
  }

  function dropEmpty(touched: readonly Entry[]): void {
    for (const entry of touched) {
      if (!edited(entry) && entry.files.length === 0) entries.delete(entry.id);
    }
  }

  return {
    entries,
    adopt: (entry) => void entries.set(entry.id, entry),
    load,
    refresh,
    settle,
    changedPaths: () => disk.changed(entries.values()),
    serveKept: (entry, examined) =>
      examined.runnable && serve(triggers, entry, servingOf(entry.id, examined)),
  };
}

/** The first file of an id serves; others are only listed. */
function take(triggers: TriggerTable, entry: Entry, file: FlowFile, stored: Stored | undefined): void {
  entry.files = [...entry.files, file];
  if (stored === undefined || entry.files.length > 1) return;
  entry.file = stored;
  if (stored.examined.runnable) serve(triggers, entry, servingOf(entry.id, stored.examined));
}

/** The entries whose file is not the one that is known, with its content now. */
async function readChanged(
  disk: DiskView,
  touched: readonly Entry[],
): Promise<Map<Entry, Stored | undefined>> {
  const fresh = new Map<Entry, Stored | undefined>();
  for (const [i, entry] of touched.entries()) {
    if (isCode(entry)) continue;
    const stored = entry.files[0] && disk.read(entry.files[0], entry.file?.hash);
    if (stored !== 'same' && stored !== entry.file) fresh.set(entry, stored);
    if (i % FILES_PER_TURN === FILES_PER_TURN - 1) await nextTurn();
  }
  return fresh;
}

function report(log: FlowIndexDeps['log'], entry: Entry): void {
  const flow = entry.id;
  const version = entry.serving?.live.version;
  if (!entry.file) return log.info({ flow }, 'The file of the flow was removed.');
  if (isLive(entry)) return log.info({ flow, version }, 'The flow is live.');
  const serves = version ? `version ${version} keeps serving` : 'nothing of it serves';
  log.warn(
    { flow, version, problems: entry.file.examined.problems },
    `The file of the flow cannot go live; ${serves}.`,
  );
}
