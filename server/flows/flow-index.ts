import { existsSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { TriggerTable } from '../context.ts';
import {
  edited,
  type Entry,
  isLive,
  isWaiting,
  newEntry,
  type Serving,
  servingOf,
  type Stored,
} from './entry.ts';
import { compiledNow, type Examine, type Examined } from './examine.ts';
import { examineFile } from './examine-file.ts';
import {
  byRank,
  type FileContent,
  type FlowFile,
  flowFileAt,
  isFile,
  readFlowFile,
  scanFlowFiles,
} from './flow-files.ts';
import { installRoutes } from './install-routes.ts';

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
  /** Judges a content again, after what surrounds it has changed. */
  recheck(id: string, stored: Stored): Stored;
}

/** What changed: flows whose file serves now and did not before, and ids that have no file any more. */
export interface Settled {
  readonly live: readonly Entry[];
  readonly gone: readonly string[];
}

export interface FlowIndexParts {
  readonly roots: readonly string[];
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly triggers: TriggerTable;
  readonly examine: Examine;
  /** Called for every folder that is searched at first. */
  readonly onFolder: (folder: string) => void;
}

/** Files examined in one turn; requests are answered between two. */
const FILES_PER_TURN = 10;

export function createFlowIndex(parts: FlowIndexParts): FlowIndex {
  const { roots, log, triggers, examine } = parts;
  const entries = new Map<string, Entry>();
  /** Size and time of each file when it was last read, to notice changes that no event told of. */
  const seen = new Map<string, Pick<FileContent, 'modifiedAt' | 'size'>>();

  function entry(id: string): Entry {
    const found = entries.get(id) ?? newEntry(id);
    entries.set(id, found);
    return found;
  }

  function read(file: FlowFile, known?: string): Stored | 'same' | undefined {
    const content = readFlowFile(file.path);
    if (!content) return isUnreachable(file.path) ? 'same' : undefined;
    const { hash, modifiedAt, size } = content;
    seen.set(file.path, { modifiedAt, size });
    return hash === known ? 'same' : { hash, modifiedAt, examined: examineFile(examine, file, content) };
  }

  function isUnreachable(path: string): boolean {
    return roots.some((root) => path.startsWith(root + sep) && !existsSync(root));
  }

  function serve(found: Entry, next: Serving | undefined): boolean {
    const current = found.serving?.routes ?? [];
    const won = installRoutes(triggers, [{ id: found.id, current, wanted: next?.routes ?? [] }]);
    if (won.size > 0) found.serving = next;
    return won.size > 0;
  }

  function load(): void {
    for (const file of scanFlowFiles(roots, parts.onFolder)) {
      const found = entry(file.id);
      found.files = [...found.files, file];
      const stored = found.files.length === 1 ? read(file) : undefined;
      if (stored === undefined || stored === 'same') continue;
      found.file = stored;
      if (stored.examined.runnable) serve(found, servingOf(file.id, stored.examined));
    }
  }

  async function refresh(paths: readonly string[]): Promise<Settled> {
    const files = paths.map((path) => flowFileAt(roots, path)).filter((file) => file !== undefined);
    const touched = [...new Set(files.map(relist))];
    const fresh = new Map<Entry, Stored | undefined>();
    for (const [i, found] of touched.entries()) {
      const stored = found.files[0] && read(found.files[0], found.file?.hash);
      if (stored !== 'same' && stored !== found.file) fresh.set(found, stored);
      if (i % FILES_PER_TURN === FILES_PER_TURN - 1) await nextTurn();
    }
    if (fresh.size === 0) {
      dropEmpty(touched);
      return { live: [], gone: [] };
    }
    // Only now, so that files which changed together take effect together.
    for (const [found, stored] of fresh) found.file = stored;
    const settled = settle(touched);
    for (const found of fresh.keys()) report(log, found);
    return settled;
  }

  function relist(file: FlowFile): Entry {
    const found = entry(file.id);
    const others = found.files.filter((f) => f.path !== file.path);
    const known = others.length < found.files.length;
    const isThere = isFile(file.path) || (known && isUnreachable(file.path));
    found.files = isThere ? [...others, file].sort(byRank) : others;
    return found;
  }

  function settle(touched: readonly Entry[]): Settled {
    const gone = touched.filter((found) => !found.file);
    for (const found of gone) serve(found, undefined);
    dropEmpty(gone);
    return { live: serveWaiting(), gone: gone.map((found) => found.id) };
  }

  function dropEmpty(touched: readonly Entry[]): void {
    for (const found of touched) {
      if (!edited(found) && found.files.length === 0) entries.delete(found.id);
    }
  }

  /** Also those that have waited for long: what they wait for may be free now. */
  function serveWaiting(): Entry[] {
    const waiting = [...entries.values()].filter(isWaiting);
    for (const found of waiting) found.file = withExamined(found, compiledNow);
    const wishes = waiting.flatMap((found) => {
      const next = isWaiting(found) && found.file && servingOf(found.id, found.file.examined);
      return next
        ? [{ id: found.id, found, next, current: found.serving?.routes ?? [], wanted: next.routes }]
        : [];
    });
    const won = installRoutes(triggers, wishes);
    const changed = wishes.filter(({ id }) => won.has(id));
    for (const { found, next } of changed) found.serving = next;
    // Who holds which path has changed, and with it what is wrong with the files that want one.
    for (const { found } of wishes) if (found.file) found.file = recheck(found.id, found.file);
    return changed.map(({ found }) => found);
  }

  function recheck(id: string, stored: Stored): Stored {
    // Bytes that are no text cannot be judged again from what is shown of them.
    if (!stored.examined.flow) return stored;
    return { ...stored, examined: examine(id, stored.examined.source) };
  }

  return {
    entries,
    adopt: (found) => void entries.set(found.id, found),
    load,
    refresh,
    settle,
    recheck,
    serveKept: (found, examined) => examined.runnable && serve(found, servingOf(found.id, examined)),
    changedPaths() {
      const known = new Set([...entries.values()].flatMap((found) => found.files.map((file) => file.path)));
      const paths = scanFlowFiles(roots).map((file) => file.path);
      const changed = paths.filter((path) => !known.delete(path) || hasChanged(path, seen.get(path)));
      return [...changed, ...known];
    },
  };
}

function withExamined(found: Entry, change: (examined: Examined) => Examined): Stored | undefined {
  return found.file && { ...found.file, examined: change(found.file.examined) };
}

function hasChanged(path: string, known: Pick<FileContent, 'modifiedAt' | 'size'> | undefined): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.mtimeMs !== known?.modifiedAt || stats?.size !== known?.size;
}

function report(log: FlowIndexParts['log'], found: Entry): void {
  const flow = found.id;
  const version = found.serving?.live.version;
  if (!found.file) return log.info({ flow }, 'The file of the flow was removed.');
  if (isLive(found)) return log.info({ flow, version }, 'The flow is live.');
  const serves = version ? `version ${version} keeps serving` : 'nothing of it serves';
  log.warn(
    { flow, version, problems: found.file.examined.problems },
    `The file of the flow cannot go live; ${serves}.`,
  );
}
