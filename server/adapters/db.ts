import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Low } from 'lowdb';
import { JSONFile } from 'lowdb/node';
import { storageError } from '../files/atomic-file.ts';
import { StartError } from '../errors/start-error.ts';

/**
 * The server's small documents, in one JSON file that each write replaces as a whole. Parts of different owners never
 * affect each other.
 */
export interface DbData {
  /** API keys; their shape belongs to `security`. */
  keys: readonly unknown[];
  variables: Record<string, unknown>;
  /** Apps, oldest first; their shape belongs to `apps`. */
  apps: readonly unknown[];
  /** Providers of models by id; their shape belongs to `models`. */
  providers: Record<string, unknown>;
  /** Default models and aliases; their shape belongs to `models`. */
  models: Record<string, unknown>;
  /** Budgets of agents; their shape belongs to `agents`. */
  budgets: Record<string, unknown>;
}

export interface Db {
  /** The content of the file; replace parts only through `change`. */
  readonly data: Readonly<DbData>;
  /** Replaces one part and writes the file; if that fails, the old part stays and the error is `storage_failed`. */
  change<K extends keyof DbData>(part: K, next: (current: DbData[K]) => DbData[K]): Promise<void>;
}

/**
 * Opens the file, which need not exist, and creates its folder. Throws a `StartError` if it is damaged. Open each
 * file once: two instances do not see each other's writes.
 */
export async function openDb(file: string): Promise<Db> {
  await mkdir(dirname(file), { recursive: true });
  // Not lowdb's preset, which stores everything in memory under NODE_ENV=test.
  const low = new Low<DbData>(new JSONFile(file), {
    keys: [],
    variables: {},
    apps: [],
    providers: {},
    models: {},
    budgets: {},
  });
  await read(low, file);
  if (!isDbData(low.data)) throw damaged(file, 'it is no object with the parts of the server');
  // A file of an earlier version may lack some parts.
  const {
    keys = [],
    variables = {},
    apps = [],
    providers = {},
    models = {},
    budgets = {},
  } = low.data as Partial<DbData>;
  low.data = { ...low.data, keys, variables, apps, providers, models, budgets };
  let last: Promise<unknown> = Promise.resolve();
  return {
    get data() {
      return low.data;
    },
    change(part, next) {
      const done = last.then(() => replace(low, file, { ...low.data, [part]: next(low.data[part]) }));
      last = done.catch(() => undefined);
      return done;
    },
  };
}

async function read(low: Low<DbData>, file: string): Promise<void> {
  try {
    await low.read();
  } catch (error) {
    throw damaged(file, (error as Error).message);
  }
}

function damaged(file: string, reason: string): StartError {
  return new StartError(
    `Cannot read ${file} (${reason}): repair it, restore a copy, or move it away to start without it.`,
  );
}

/** Checks that each existing part has the right kind; its owner checks the rest. */
function isDbData(data: unknown): boolean {
  if (!isObject(data)) return false;
  const { keys = [], apps = [], variables = {}, providers = {}, budgets = {} } = data;
  return [keys, apps].every(Array.isArray) && [variables, providers, budgets].every(isObject);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function replace(low: Low<DbData>, file: string, data: DbData): Promise<void> {
  const before = low.data;
  low.data = data;
  try {
    await low.write();
  } catch (error) {
    low.data = before;
    throw storageError(error, file);
  }
}
