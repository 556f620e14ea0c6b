import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DATA_MANIFEST } from '../../storage/database/manifest.ts';
import { SIGN_IN_FILE } from '../../access/security/sign-in.ts';
import { DATABASES_FOLDER } from '../../base/files/data-folder.ts';
import { storageError } from '../../base/files/atomic-file.ts';
import { OLDER_SESSIONS } from '../../access/security/session-store.ts';
import { version } from '../../access/http/version.ts';
import { pinDatabases } from './databases.ts';
import { hashOfFile, type Manifest, MANIFEST_NAME } from './manifest.ts';

/**
 * A copy of a data folder and of flows folders. A server may hold them and keep writing; the copy needs nothing from it.
 * BK1. All databases are copied in their state at one moment. They are copied before the files that they name
 *      (values, versions), which are written before they are named and never changed.
 * BK2. Writers replace files as a whole, so each copy is the old or the new one.
 * BK3. A folder with the requested name is a complete backup: it gets its name last.
 */
export interface BackupOptions {
  readonly data: string;
  readonly flows: readonly string[];
  /** Must not exist. */
  readonly to: string;
  /** Including the secrets key and the first API key. */
  readonly withKey: boolean;
  readonly now: () => number;
}

/** Throws `storage_failed`, and then leaves nothing behind. */
export async function makeBackup(options: BackupOptions): Promise<Manifest> {
  const partial = `${options.to}.partial`;
  try {
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true, mode: 0o700 });
    const at = new Date(options.now()).toISOString();
    await copyData(options.data, join(partial, 'data'), options.withKey);
    for (const [i, folder] of options.flows.entries())
      await copyFiles(folder, join(partial, flowsName(i)), (path) => !isPassing(path));
    const files = await listed(partial);
    const manifest: Manifest = {
      format: 'weft.backup/1',
      at,
      weft: version,
      withKey: options.withKey,
      lacksKey: !options.withKey && existsSync(join(options.data, SECRETS_KEY)),
      files,
    };
    writeFileSync(join(partial, MANIFEST_NAME), `${JSON.stringify(manifest, null, 2)}\n`);
    renameSync(partial, options.to);
    return manifest;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw storageError(error, options.to);
  }
}

/** The place of the flows folder with this index in a backup. */
function flowsName(i: number): string {
  return i === 0 ? 'flows' : `flows-${i + 1}`;
}

const DATABASE = /\.db$/;
/** Files of connections, which people name as they like. */
const OF_CONNECTIONS = `${DATABASES_FOLDER}/`;
const BESIDE = /-(?:wal|shm|journal)$/;
/** Files that belong to the process that holds the folder, or can be recreated. */
const OF_PROCESS = new Set(['weft.pid', 'weft.sock', '.probe', SIGN_IN_FILE, OLDER_SESSIONS]);
const SECRETS_KEY = 'secrets.key';
const KEYS = new Set([SECRETS_KEY, 'api-key.txt']);

async function copyData(data: string, to: string, withKey: boolean): Promise<void> {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  // First: a manifest newer than the stores would make them look like old copies.
  await copyFiles(data, to, (path) => path === DATA_MANIFEST);
  const found = filesBelow(data).filter((path) => isDatabase(data, path));
  using databases = pinDatabases(data, found.sort(durableFirst));
  await databases.copyTo(to);
  await copyFiles(
    data,
    to,
    (path) =>
      path !== DATA_MANIFEST &&
      !isDatabase(data, path) &&
      !isPassing(path) &&
      !isOfProcess(path) &&
      (withKey || !KEYS.has(path)),
  );
}

function isOfProcess(path: string): boolean {
  return OF_PROCESS.has(path) || path.startsWith('weft.lock');
}

function isDatabase(data: string, path: string): boolean {
  return path.startsWith(OF_CONNECTIONS) ? hasSqliteHeader(join(data, path)) : DATABASE.test(path);
}

const HEADER = Buffer.from('SQLite format 3\0');

function hasSqliteHeader(path: string): boolean {
  const start = Buffer.alloc(HEADER.length);
  const file = openSync(path, 'r');
  try {
    readSync(file, start);
  } finally {
    closeSync(file);
  }
  return start.equals(HEADER);
}

/** Unfinished writes, files that SQLite puts beside a database, and the lock of the server that starts schedules. */
function isPassing(path: string): boolean {
  if (path.startsWith(OF_CONNECTIONS)) return BESIDE.test(path);
  return /^\.drafts\/server\.lock|(?:^|\/)\.[^/]+\.tmp$|\.db-(?:wal|shm|journal)$|^files\/.*\.half$/.test(
    path,
  );
}

/** A run's journal may be older than people's decisions about it, which the run asks for again, but never newer. */
function durableFirst(a: string, b: string): number {
  return Number(b === 'durable.db') - Number(a === 'durable.db');
}

async function copyFiles(from: string, to: string, isWanted: (path: string) => boolean): Promise<void> {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const path of filesBelow(from).filter(isWanted)) {
    mkdirSync(dirname(join(to, path)), { recursive: true, mode: 0o700 });
    await copyFile(join(from, path), join(to, path)).catch((error: NodeJS.ErrnoException) => {
      // Removed meanwhile.
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

/** Files of all depths, with `/`, sorted. A missing folder has none. */
function filesBelow(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => statSync(join(folder, path), { throwIfNoEntry: false })?.isFile())
    .sort();
}

async function listed(folder: string): Promise<Manifest['files']> {
  const files: Manifest['files'] = [];
  for (const path of filesBelow(folder)) {
    const file = join(folder, path);
    files.push({ path, bytes: statSync(file).size, sha256: await hashOfFile(file) });
  }
  return files;
}
