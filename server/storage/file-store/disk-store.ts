import { constants, type Stats } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join, sep } from 'node:path';
import { type FolderEntry, WeftError } from '#engine';
import { isRefusedByDisk } from '../../base/errors/storage-refusal.ts';
import type { ByteRange } from './blobs.ts';
import { PIECE, writeWhole } from './disk-blobs.ts';
import { changed, versionOf } from './linked.ts';
import {
  fileExists,
  fileMissing,
  type FileStore,
  pathRefused,
  segmentsOf,
  type StoreList,
  type StoreWrite,
} from './store.ts';

/** Windows reads more into a name than its letters; everywhere a control character is a mistake or an attack. */
const SEGMENT = /^(?!\.{1,2}$)[^\\/:\p{Cc}]{1,255}$/u;

/** A folder of this machine by its real path. Links are followed only within it. */
export function createDiskStore(root: string): FileStore {
  return {
    async open(path) {
      const { file } = await opened(root, path);
      return { content: file.createReadStream() as AsyncIterable<Uint8Array> };
    },
    async find(path) {
      const { file, stats } = await opened(root, path);
      await file.close();
      return { bytes: stats.size, version: versionOf(stats) };
    },
    async openAt(path, version, range) {
      const { file, stats } = await opened(root, path).catch(() => {
        throw changed();
      });
      if (versionOf(stats) === version) return unchanged(file, version, range);
      await file.close();
      throw changed();
    },
    write: (path, file, signal) => writeInto(root, path, file, signal),
    async list(path, options, signal) {
      const start = path === '' ? root : await existing(root, path);
      if (!(await stat(start)).isDirectory()) throw fileMissing(path);
      return listed(start, path, options, signal);
    },
    async remove(path) {
      const segments = segmentsOf(path, SEGMENT);
      const name = segments.pop() as string;
      const parent = await insideOf(root, segments);
      if (parent === undefined) return false;
      const file = join(parent, name);
      const found = await lstat(file).catch(() => undefined);
      if (found === undefined) return false;
      if (found.isDirectory()) throw pathRefused(`${path} is a folder, which is not deleted.`);
      await rm(file, { force: true }).catch(failed);
      return true;
    },
  };
}

/** The caller closes the file. */
async function opened(root: string, path: string): Promise<{ file: FileHandle; stats: Stats }> {
  const found = await existing(root, path);
  // The target of a link was checked; a link created since is not followed.
  const file = await open(found, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  const stats = await file?.stat();
  if (file !== undefined && stats?.isFile() === true) return { file, stats };
  await file?.close();
  throw fileMissing(path);
}

async function* unchanged(
  file: FileHandle,
  version: string,
  range: ByteRange | undefined,
): AsyncGenerator<Uint8Array> {
  const part = range && { start: range.first, end: range.last };
  try {
    if (range === undefined || range.last >= range.first)
      for await (const piece of file.createReadStream({ ...part, autoClose: false, highWaterMark: PIECE }))
        yield piece as Buffer;
    if (versionOf(await file.stat()) !== version) throw changed();
  } finally {
    await file.close();
  }
}

async function writeInto(
  root: string,
  path: string,
  { content, replace }: StoreWrite,
  signal: AbortSignal,
): Promise<void> {
  const segments = segmentsOf(path, SEGMENT);
  const name = segments.pop() as string;
  const parent = await madeInside(root, segments);
  const target = join(parent, name);
  if ((await lstat(target).catch(() => undefined))?.isDirectory()) throw pathRefused(`${path} is a folder.`);
  const temp = join(parent, `.weft-${randomBytes(8).toString('hex')}.tmp`);
  try {
    const handle = await open(temp, 'wx', 0o644);
    try {
      for await (const piece of content) {
        signal.throwIfAborted();
        await writeWhole(handle, piece);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    // A link is replaced, not followed.
    if (replace) await rename(temp, target);
    else await link(temp, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw fileExists(path);
    failed(error);
  } finally {
    await rm(temp, { force: true });
  }
}

async function listed(
  start: string,
  path: string,
  { recursive, limit }: StoreList,
  signal: AbortSignal,
): Promise<FolderEntry[]> {
  const entries: FolderEntry[] = [];
  const pending = [{ folder: start, below: path === '' ? '' : `${path}/` }];
  for (let next = pending.shift(); next !== undefined && entries.length < limit; next = pending.shift()) {
    for (const name of (await readdir(next.folder)).sort()) {
      signal.throwIfAborted();
      const found = await lstat(join(next.folder, name)).catch(() => undefined);
      const kind = kindOf(found);
      // Links are left out: where they lead is not part of the folder's list.
      if (found === undefined || kind === undefined || entries.length >= limit) continue;
      const at = `${next.below}${name}`;
      entries.push({
        path: at,
        kind,
        bytes: kind === 'file' ? found.size : 0,
        modified: found.mtime.toISOString(),
      });
      if (kind === 'folder' && recursive) pending.push({ folder: join(next.folder, name), below: `${at}/` });
    }
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function kindOf(found: Stats | undefined): FolderEntry['kind'] | undefined {
  if (found?.isFile() === true) return 'file';
  return found?.isDirectory() === true ? 'folder' : undefined;
}

/** The real path of an existing file or folder. Throws `folder_file_not_found`, `folder_path_refused`. */
async function existing(root: string, path: string): Promise<string> {
  const found = await insideOf(root, segmentsOf(path, SEGMENT));
  if (found === undefined) throw fileMissing(path);
  return found;
}

async function insideOf(root: string, segments: readonly string[]): Promise<string | undefined> {
  const real = await realpath(join(root, ...segments)).catch(() => undefined);
  if (real === undefined || real === root || real.startsWith(root + sep)) return real;
  throw pathRefused('A link on this path leads out of the folder.');
}

/** The real path of a folder; creates missing parts. */
async function madeInside(root: string, segments: readonly string[]): Promise<string> {
  let at = root;
  for (const segment of segments) {
    const next = await insideOf(at, [segment]).catch(() => undefined);
    if (next === undefined) await mkdir(join(at, segment)).catch(ignoreExisting);
    const real = await insideOf(root, [
      ...(at === root ? [] : at.slice(root.length + 1).split(sep)),
      segment,
    ]);
    if (real === undefined || !(await stat(real)).isDirectory())
      throw pathRefused(`${segment} is no folder.`);
    at = real;
  }
  return at;
}

function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') failed(error);
}

function failed(error: unknown): never {
  if (!isRefusedByDisk(error)) throw error;
  const { code } = error as NodeJS.ErrnoException;
  throw new WeftError('storage_failed', `The folder could not be written (${code}); nothing was changed.`);
}
