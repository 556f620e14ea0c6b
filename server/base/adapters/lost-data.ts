import { closeSync, existsSync, openSync, readFileSync, readSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { STORE_MARK } from './store-marks.ts';

/** A store of the data folder that is missing, empty, damaged, older than before, or from another folder. */
export interface Loss {
  /** Its file, below the data folder. */
  readonly store: string;
  /** Sentences: the fault, what is lost with it, and what to do. */
  readonly message: string;
}

/** The content that is lost with a store. */
const HOLDS = {
  'weft.db': 'conversations, state, waits, schedules, sessions and idempotency keys',
  'db.json': 'API keys, variables, apps and providers',
  'secrets.json': 'secrets',
  'durable.db': 'durable runs that were accepted',
  runs: 'the history of runs',
  blobs: 'large values of the history',
  versions: 'versions of flows',
  files: 'files that were uploaded or created by runs',
  'knowledge.db': 'knowledge spaces and their documents',
} as const;

/** `how`: the fault of the store, as a predicate. */
export function lossOf(store: keyof typeof HOLDS, how: string): Loss {
  const remedy = 'Stop the server and put it back from a backup, or go on without.';
  return { store, message: `${store} ${how}, and with it ${HOLDS[store]}. ${remedy}` };
}

/**
 * Finds stores that are missing, or that lack something, by the references to them in other stores: for folders without
 * a manifest, and for losses that a manifest does not list. Call it before any store is opened, because opening
 * creates them. `environment`: whether there are secrets that need no file.
 */
export function findLosses(data: string, { environment }: { readonly environment: boolean }): Loss[] {
  const losses: Loss[] = [];
  const has = (name: string): boolean => sizeOf(join(data, name)) > 0;
  const lose = (store: keyof typeof HOLDS, how: string): void => {
    losses.push(lossOf(store, how));
  };
  const gone = (name: string): string => (existsSync(join(data, name)) ? 'is empty' : 'is gone');

  if (!has('weft.db') && (has('db.json') || has('durable.db'))) lose('weft.db', gone('weft.db'));
  if (!has('db.json') && has('weft.db')) lose('db.json', gone('db.json'));
  if (!has('secrets.json') && !environment && hasKeyOfSecrets(data))
    lose('secrets.json', gone('secrets.json'));
  const durable = durableLoss(data, has('durable.db'));
  if (durable !== undefined) lose('durable.db', durable);
  if (isEmptyFolder(join(data, 'runs'), '.db') && !isEmptyFolder(join(data, 'blobs')))
    lose('runs', 'has no files');
  return losses;
}

/** Whether a key exists that only secrets explain: the first connection and the first stored output create it too. */
function hasKeyOfSecrets(data: string): boolean {
  if (sizeOf(join(data, 'secrets.key')) === 0 || sizeOf(join(data, 'outputs.db')) > 0) return false;
  try {
    const { connections = {} } = JSON.parse(readFileSync(join(data, 'db.json'), 'utf8')) as {
      connections?: Record<string, object>;
    };
    return Object.values(connections).every((ofProject) => Object.keys(ofProject).length === 0);
  } catch {
    return true;
  }
}

/** The fault of `durable.db`, if `weft.db` and the folder of its values need it. */
function durableLoss(data: string, isThere: boolean): string | undefined {
  const file = join(data, 'durable.db');
  const { accepted, waiting } = needsOf(join(data, 'weft.db'));
  if (!isThere) {
    const isNeeded = accepted || waiting.length > 0 || !isEmptyFolder(join(data, 'durable-values'));
    return isNeeded ? (existsSync(file) ? 'is empty' : 'is gone') : undefined;
  }
  const missing = isCut(file) ? 'damaged' : missingRuns(file, waiting);
  if (missing === 'damaged') return 'is damaged';
  return missing > 0 ? `lacks ${missing} of the runs that wait for a decision` : undefined;
}

/** Whether runs were ever accepted, and which of them wait for people. */
function needsOf(weftDb: string): { accepted: boolean; waiting: string[] } {
  const nothing = { accepted: false, waiting: [] };
  if (sizeOf(weftDb) === 0) return nothing;
  const accepted = rowsOf(weftDb, "SELECT name FROM server_keys WHERE name = 'run-links'") ?? [];
  const waiting = rowsOf(weftDb, "SELECT DISTINCT run AS name FROM waits WHERE status = 'open' LIMIT 1000");
  return { accepted: accepted.length > 0, waiting: waiting ?? [] };
}

function missingRuns(durableDb: string, waiting: readonly string[]): number | 'damaged' {
  const known = rowsOf(
    durableDb,
    'SELECT run AS name FROM weft_runs WHERE run IN (SELECT value FROM json_each(?))',
    JSON.stringify(waiting),
  );
  if (known === undefined) return waiting.length > 0 || !isDatabase(durableDb) ? 'damaged' : 0;
  return waiting.length - known.length;
}

/** The column `name`; undefined if the table, or the whole database, cannot be read. */
function rowsOf(file: string, sql: string, ...values: string[]): string[] | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 1000 });
    return db
      .prepare(sql)
      .all(...values)
      .map(({ name }) => String(name));
  } catch {
    return undefined;
  } finally {
    db?.close();
  }
}

function isDatabase(file: string): boolean {
  return rowsOf(file, 'SELECT name FROM sqlite_schema') !== undefined;
}

/** Whether a SQLite file ends before the pages that its header counts. A journal beside it may still hold them. */
export function isCut(file: string): boolean {
  if (sizeOf(`${file}-wal`) > 0) return false;
  const head = Buffer.alloc(32);
  const descriptor = openSync(file, 'r');
  try {
    if (readSync(descriptor, head, 0, 32, 0) < 32) return true;
  } finally {
    closeSync(descriptor);
  }
  // The format writes a page size of 65,536 bytes as 1.
  const page = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
  return sizeOf(file) < page * head.readUInt32BE(28);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Whether the folder contains no file whose name ends like this. */
function isEmptyFolder(folder: string, end = ''): boolean {
  // A path that is not a folder is reported by the code that fails to write there.
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return true;
  return !readdirSync(folder).some((name) => name.endsWith(end) && name !== STORE_MARK);
}
