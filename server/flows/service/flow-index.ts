import type { FastifyBaseLogger } from 'fastify';
import type { TriggerTable } from './trigger-table.ts';
import { examineCode, type LoadedCode, withoutPlaces } from './code-flows.ts';
import {
  edited,
  type Entry,
  isCode,
  isLive,
  missingOperators,
  newEntry,
  servingOf,
  type Stored,
} from './entry.ts';
import { examineFile } from './examine-file.ts';
import type { Examinations } from './examinations.ts';
import type { Examined } from './examine.ts';
import { byRank, type FileContent, type FlowFile } from './flow-files.ts';
import type { FlowStore } from './flow-store.ts';
import { inTurns } from './mutation-queue.ts';
import { serve, serveWaiting } from './serve-flows.ts';
import { routesOf } from './trigger-routes.ts';

/**
 * All flows in memory, in step with their files. Invariants of this file:
 * 1. A flow serves its file, or, while the file is broken or waits for a path, the version that served before.
 * 2. The serving versions and the trigger table change together, within one turn.
 * 3. A missing folder (an unmounted disk) takes no flow down.
 *    Where several servers share the files, one that lacks operators of a file serves nothing of its flow, because the version
 *    that served before is no longer what the others serve.
 * 4. The examination of a text is stored here, and saving, reading, listing and serving all use it.
 */
export interface FlowIndex {
  readonly entries: ReadonlyMap<string, Entry>;
  /** Adds a flow that has just received its first file or draft. */
  adopt(entry: Entry): void;
  /** Reads everything for the first time; plans are compiled on first use. */
  load(): void;
  /** Updates the index from the files at these paths. */
  refresh(paths: readonly string[]): Promise<Settled>;
  /** Paths whose file differs by size or time from the last read. */
  changedPaths(): string[];
  /** Updates the serving versions from the files. */
  settle(touched: readonly Entry[]): Settled;
  /** Checks a flow's file and draft again if their surroundings have changed. */
  renew(entry: Entry): Promise<void>;
  /** Serves a stored version of a flow whose own file cannot serve. False if the version cannot serve either. */
  serveKept(entry: Entry, examined: Examined): boolean;
}

/** The changes: flows whose file serves now and did not before, and ids that no longer have a file. */
export interface Settled {
  readonly live: readonly Entry[];
  readonly gone: readonly string[];
}

export interface FlowIndexDeps {
  readonly store: Pick<FlowStore, 'isShared' | 'scan' | 'at' | 'read' | 'isThere' | 'changed'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly triggers: TriggerTable;
  readonly examinations: Examinations;
  /** Flows written in code, as loaded when the server started. */
  readonly codeFlows: readonly LoadedCode[];
  /** Called with the ids of flows whose serving version has changed. */
  readonly onServed: (ids: readonly string[]) => void;
}

export function createFlowIndex(deps: FlowIndexDeps): FlowIndex {
  const { store, log, triggers, examinations } = deps;
  const entries = new Map<string, Entry>();

  function entryOf(id: string): Entry {
    const entry = entries.get(id) ?? newEntry(id);
    entries.set(id, entry);
    return entry;
  }

  function load(): void {
    for (const loaded of deps.codeFlows) {
      const stored = { ...loaded.content, examined: examineCode(examinations.now, loaded) };
      take(triggers, entryOf(loaded.file.id), loaded.file, stored);
    }
    for (const file of store.scan()) {
      const entry = entryOf(file.id);
      const stored = entry.files.length === 0 ? readFirst(store, examinations, file) : undefined;
      take(triggers, entry, file, stored);
      if (store.isShared === true) setAside(triggers, entry);
    }
  }

  function relist(file: FlowFile): Entry {
    const entry = entryOf(file.id);
    const others = entry.files.filter((f) => f.path !== file.path);
    const isThere = store.isThere(file.path, others.length < entry.files.length);
    entry.files = isThere ? [...others, file].sort(byRank) : others;
    return entry;
  }

  async function refresh(paths: readonly string[]): Promise<Settled> {
    const files = paths.map((path) => store.at(path)).filter((file) => file !== undefined);
    const touched = [...new Set(files.map(relist))];
    const fresh = await readChanged(store, examinations, touched);
    // Done last, so that files which changed together take effect together.
    for (const [entry, stored] of fresh) entry.file = stored;
    const ended = store.isShared === true ? [...fresh.keys()].filter((one) => setAside(triggers, one)) : [];
    if (ended.length > 0) deps.onServed(ended.map(({ id }) => id));
    const settled = fresh.size > 0 ? settle([...fresh.keys()]) : { live: [], gone: [] };
    for (const entry of fresh.keys()) report(log, entry);
    dropEmpty(entries, touched);
    return settled;
  }

  function settle(touched: readonly Entry[]): Settled {
    const gone = touched.filter((entry) => !entry.file);
    for (const entry of gone) serve(triggers, entry, undefined);
    const live = serveWaiting(deps, entries.values());
    if (live.length > 0 || gone.length > 0) deps.onServed([...live, ...gone].map((entry) => entry.id));
    return { live, gone: gone.map((entry) => entry.id) };
  }

  return {
    entries,
    renew: (entry) => renew(examinations, entry),
    adopt: (entry) => void entries.set(entry.id, entry),
    load,
    refresh,
    settle,
    changedPaths: () => store.changed(pathsOf(entries.values())),
    serveKept: (entry, examined) =>
      examined.runnable &&
      !(store.isShared === true && missingOperators(entry).length > 0) &&
      serve(triggers, entry, servingOf(entry.id, examined)),
  };
}

function dropEmpty(entries: Map<string, Entry>, touched: readonly Entry[]): void {
  for (const entry of touched) {
    if (!edited(entry) && entry.files.length === 0) entries.delete(entry.id);
  }
}

function pathsOf(entries: Iterable<Entry>): string[] {
  return [...entries].flatMap(({ files }) => files.map(({ path }) => path));
}

type Reading = Pick<FlowStore, 'read'>;

function readFirst(store: Reading, examinations: Examinations, file: FlowFile): Stored | undefined {
  const content = store.read(file.path);
  if (content === undefined || content === 'same') return undefined;
  return storedAs(content, examineFile(examinations.now, file, content));
}

/** The first file of an id serves; others are only listed. */
function take(triggers: TriggerTable, entry: Entry, file: FlowFile, stored: Stored | undefined): void {
  entry.files = [...entry.files, file];
  if (stored === undefined || entry.files.length > 1) return;
  entry.file = stored;
  if (stored.examined.runnable) serve(triggers, entry, servingOf(entry.id, stored.examined));
}

/** Records whether a flow cannot be served for lack of operators, and stops serving it then. True if that stopped it. */
function setAside(triggers: TriggerTable, entry: Entry): boolean {
  const operators = missingOperators(entry);
  const routes = routesOf(entry.file?.examined.triggers ?? []);
  triggers.setAside(entry.id, operators.length === 0 ? undefined : { flow: entry.id, operators, routes });
  return operators.length > 0 && entry.serving !== undefined && serve(triggers, entry, undefined);
}

/** The entries whose file has changed, with its current content. */
async function readChanged(
  store: Reading,
  examinations: Examinations,
  touched: readonly Entry[],
): Promise<Map<Entry, Stored | undefined>> {
  const fresh = new Map<Entry, Stored | undefined>();
  for await (const entry of inTurns(touched)) {
    if (isCode(entry)) continue;
    const [file] = entry.files;
    const content = file && store.read(file.path, entry.file?.hash);
    if (content === undefined && entry.file) fresh.set(entry, undefined);
    if (file && content !== undefined && content !== 'same') {
      const examined = await examineFile(examineChanged(examinations), file, content);
      fresh.set(entry, storedAs(content, examined));
    }
  }
  return fresh;
}

async function renew(examinations: Examinations, entry: Entry): Promise<void> {
  const renewed = async <S extends Stored>(stored: S): Promise<S> => {
    const examined = await examinations.current(entry.id, stored.examined);
    if (examined === stored.examined) return stored;
    return { ...stored, examined: isCode(entry) ? withoutPlaces(examined) : examined };
  };
  const { file, draft } = entry;
  const [newFile, newDraft] = [file && (await renewed(file)), draft && (await renewed(draft))];
  // A file that was written meanwhile was examined at that time.
  if (entry.file === file) entry.file = newFile;
  if (entry.draft === draft) entry.draft = newDraft;
}

/** Examines a text that goes live now; at once if too many texts wait for the thread. */
function examineChanged(examinations: Examinations) {
  return async (id: string, source: Uint8Array): Promise<Examined> => {
    const found = examinations.examine(id, source).catch(() => examinations.now(id, source));
    return examinations.forServing(await found);
  };
}

function storedAs({ hash, modifiedAt }: FileContent, examined: Examined): Stored {
  return { hash, modifiedAt, examined };
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
