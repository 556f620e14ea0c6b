import { isRecord } from '#shared/json.ts';
import { constants } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Low } from 'lowdb';
import { JSONFile } from 'lowdb/node';
import { storageError } from '../files/atomic-file.ts';
import { checkNotNewer, COPIES_FOLDER, StartError } from '../errors/start-error.ts';

/** The server's small documents. Parts of different owners never affect each other. */
export interface DbData {
  /** API keys; their shape belongs to `security`. */
  keys: readonly unknown[];
  variables: Record<string, unknown>;
  /** Apps, oldest first; their shape belongs to `apps`. */
  apps: readonly unknown[];
  /** Public pages by the code of their app; their shape belongs to `apps`. */
  pages: Record<string, unknown>;
  /** Providers of models by id; their shape belongs to `models`. */
  providers: Record<string, unknown>;
  /** Default models and aliases; their shape belongs to `models`. */
  models: Record<string, unknown>;
  /** Budgets of agents; their shape belongs to `agents`. */
  budgets: Record<string, unknown>;
  /** Connections by name, their settings sealed; their shape belongs to `connections`. */
  connections: Record<string, unknown>;
  /** Services of users by id; their shape belongs to `services`. */
  services: Record<string, unknown>;
}

/** `storage/database/documents.test.ts` tests every implementation. */
export interface Db {
  /** The content; replace parts only through `change`. */
  readonly data: Readonly<DbData>;
  /** Replaces one part and stores it; if that fails, the old part stays and the error is `storage_failed`. */
  change<K extends keyof DbData>(part: K, next: (current: DbData[K]) => DbData[K]): Promise<void>;
  /** `listener` is called after another server has changed the part. Only servers on one database have others. */
  onOthers(part: keyof DbData, listener: () => void): void;
  /** Stores data of an older format in the newest one. Call it once their owners have accepted all parts. */
  upgrade(): Promise<void>;
}

export const NO_DATA: DbData = {
  keys: [],
  variables: {},
  apps: [],
  pages: {},
  providers: {},
  models: {},
  budgets: {},
  connections: {},
  services: {},
};

/** The format of the file. In 0.1.0 (format 0) the parts were not divided by project. */
export const DB_FORMAT = 1;
const PROJECT = 'default';

/** The content of the file: each part by project. Version 0.1.0 refuses it, because lists have another type there. */
type Stored = { readonly format: number } & {
  readonly [K in keyof DbData]?: Readonly<Record<string, DbData[K]>>;
};

/**
 * Opens the file, which need not exist, and creates its folder; each write replaces it as a whole. Throws a
 * `StartError` if it is damaged, or newer than this program. Open each file once: two instances do not see each other's
 * writes.
 */
export async function openDb(file: string): Promise<Db> {
  await mkdir(dirname(file), { recursive: true });
  // Not lowdb's preset, which stores everything in memory under NODE_ENV=test.
  const low = new Low<unknown>(new JSONFile(file), null);
  await read(low, file);
  let data = partsOf(low.data, file);
  let isOlder = isRecord(low.data) && formatOf(low.data) < DB_FORMAT;
  let last: Promise<unknown> = Promise.resolve();

  async function replace(next: DbData): Promise<void> {
    try {
      if (isOlder) await copyBefore(file);
      isOlder = false;
      const kept = isStored(low.data) ? low.data : { ...markOf(low.data), format: DB_FORMAT };
      low.data = { ...kept, ...byProject(next, low.data) };
      await low.write();
    } catch (error) {
      throw storageError(error, file);
    }
    data = next;
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  return {
    get data() {
      return data;
    },
    change: (part, next) => inTurn(() => replace({ ...data, [part]: next(data[part]) })),
    onOthers: () => {},
    upgrade: () => inTurn(async () => (isOlder ? await replace(data) : undefined)),
  };
}

/** The variables in such a file, without opening it as a server does. Throws if the text is not JSON. */
export function variablesIn(text: string): Readonly<Record<string, unknown>> {
  const content = JSON.parse(text) as unknown;
  return partsOf(content, 'db.json').variables;
}

function partsOf(content: unknown, file: string): DbData {
  if (content === null || content === undefined) return NO_DATA;
  const flat = isStored(content) ? ofProject(content) : content;
  if (isRecord(content) && 'format' in content) checkNotNewer(file, formatOf(content), DB_FORMAT);
  if (!isDbData(flat)) throw damaged(file, 'it is no object with the parts of the server');
  const { store: _, ...parts } = flat as Partial<DbData> & { readonly store?: unknown };
  return { ...NO_DATA, ...parts };
}

function formatOf(content: unknown): number {
  return isStored(content) ? content.format : 0;
}

function isStored(content: unknown): content is Stored {
  return isRecord(content) && typeof content['format'] === 'number';
}

function ofProject(content: Stored): Partial<DbData> {
  const parts = Object.entries(content).filter(([name]) => name !== 'format');
  return Object.fromEntries(
    // A part that is not divided by project is left to the check.
    parts.flatMap(([name, of]) => {
      const part: unknown = isRecord(of) ? of[PROJECT] : of;
      return part === undefined ? [] : [[name, part]];
    }),
  ) as Partial<DbData>;
}

/** The manifest's mark, which a file of any format has under the key `store`. */
function markOf(content: unknown): { readonly store?: unknown } {
  return isRecord(content) && 'store' in content ? { store: content['store'] } : {};
}

/** Parts of other projects stay unchanged. */
function byProject(data: DbData, before: unknown): Partial<Stored> {
  const stored = isStored(before) ? before : undefined;
  return Object.fromEntries(
    Object.entries(data).map(([name, part]) => [
      name,
      { ...(stored?.[name as keyof DbData] as object | undefined), [PROJECT]: part },
    ]),
  ) as Partial<Stored>;
}

/** Keeps the copy made by an earlier attempt. */
async function copyBefore(file: string): Promise<void> {
  const folder = join(dirname(file), COPIES_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const copy = join(folder, `${basename(file, '.json')}-0.json`);
  await copyFile(file, copy, constants.COPYFILE_EXCL).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function read(low: Low<unknown>, file: string): Promise<void> {
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
  if (!isRecord(data)) return false;
  const { keys = [], apps = [], pages = {}, variables = {}, providers = {} } = data;
  const { budgets = {}, connections = {}, services = {} } = data;
  return (
    [keys, apps].every(Array.isArray) &&
    [variables, pages, providers, budgets, connections, services].every(isRecord)
  );
}
