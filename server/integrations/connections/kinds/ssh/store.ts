import { randomBytes } from 'node:crypto';
import type { Stats } from 'ssh2';
import type { FolderEntry } from '#engine';
import {
  fileExists,
  fileMissing,
  type FileStore,
  pathRefused,
  segmentsOf,
  type StoreList,
  type StoreWrite,
} from '../../../../storage/file-store/store.ts';
import type { Take } from '../../kind.ts';
import type { SshSession } from './session.ts';
import { refusedBy, type Sftp } from './sftp.ts';

/** Some servers are Windows, where `\` is a step too. */
const SEGMENT = /^(?!\.{1,2}$)[^\\/\p{Cc}]{1,255}$/u;

/** The files of an SSH server (SFTP), below the folder of the settings. Links are followed only within it. */
export function createSftpStore(take: Take<SshSession>): FileStore {
  /** Borrows a session for work on a path. `isMore`: it belongs to a use that has had its turn. */
  async function using<R>(
    path: string,
    signal: AbortSignal,
    work: (sftp: Sftp) => Promise<R>,
    isMore = false,
  ): Promise<R> {
    const lent = await take(signal, isMore);
    const end = lent.session.cutIfAborted(signal);
    try {
      signal.throwIfAborted();
      return await work(await lent.session.sftp());
    } catch (error) {
      throw signal.aborted ? signal.reason : refusedBy(error, path);
    } finally {
      end();
      lent.giveBack();
    }
  }

  return {
    async open(path, signal) {
      const segments = segmentsOf(path, SEGMENT);
      await using(path, signal, (sftp) => fileAt(sftp, path, segments));
      return { content: contentOf(take, path, segments, signal) };
    },
    write(path, file, signal) {
      const segments = segmentsOf(path, SEGMENT);
      return using(path, signal, (sftp) => writeInto(sftp, { path, segments }, file, signal));
    },
    list(path, options, signal) {
      const segments = path === '' ? [] : segmentsOf(path, SEGMENT);
      return using(path, signal, (sftp) => listed(sftp, { path, segments }, options, signal));
    },
    remove(path, signal) {
      const segments = segmentsOf(path, SEGMENT);
      return using(path, signal, (sftp) => removed(sftp, { path, segments }));
    },
  };
}

interface Place {
  readonly path: string;
  readonly segments: readonly string[];
}

const below = (folder: string, name: string): string => (folder.endsWith('/') ? folder : `${folder}/`) + name;

/** The path of what may be there. Throws `folder_path_refused` if a link leads out of the root. */
async function insideOf(sftp: Sftp, segments: readonly string[]): Promise<string> {
  const root = await sftp.root();
  const path = segments.reduce(below, root);
  if (root === '/' || segments.length === 0) return path;
  // Servers need not resolve what is not there.
  if ((await sftp.stat(path)) === undefined) return path;
  const real = await sftp.real(path);
  const isBelow = real === root || real.startsWith(below(root, ''));
  if (!isBelow) throw pathRefused('A link on this path leads out of the folder.');
  if (real === path && (await hasLink(sftp, root, segments)))
    throw pathRefused('There is a link on this path, and the server does not say where it leads.');
  return real;
}

/** Whether a part of the path is a link: some servers do not resolve links in real paths. */
async function hasLink(sftp: Sftp, root: string, segments: readonly string[]): Promise<boolean> {
  const paths = segments.map((_, depth) => segments.slice(0, depth + 1).reduce(below, root));
  const parts = await Promise.all(paths.map((path) => sftp.lstat(path)));
  return parts.some((part) => part?.isSymbolicLink() === true);
}

/** The path of a file. Throws `folder_file_not_found`. */
async function fileAt(sftp: Sftp, path: string, segments: readonly string[]): Promise<string> {
  const found = await insideOf(sftp, segments);
  if ((await sftp.stat(found))?.isFile() === true) return found;
  throw fileMissing(path);
}

/** Borrows a session when the first piece is wanted, so that content which nobody reads keeps none. */
async function* contentOf(
  take: Take<SshSession>,
  path: string,
  segments: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const lent = await take(signal, true);
  const end = lent.session.cutIfAborted(signal);
  try {
    signal.throwIfAborted();
    const sftp = await lent.session.sftp();
    const handle = await sftp.open(await fileAt(sftp, path, segments), 'r');
    try {
      for await (const piece of sftp.content(handle)) {
        signal.throwIfAborted();
        yield piece;
      }
    } finally {
      await sftp.close(handle).catch(() => {});
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : refusedBy(error, path);
  } finally {
    end();
    lent.giveBack();
  }
}

/** Written beside its place first, so that it is there as a whole or not at all. */
async function writeInto(
  sftp: Sftp,
  { path, segments }: Place,
  { content, replace }: StoreWrite,
  signal: AbortSignal,
): Promise<void> {
  const folder = await madeInside(sftp, segments.slice(0, -1));
  const target = below(folder, segments.at(-1) as string);
  const before = await sftp.lstat(target);
  if (before?.isDirectory() === true) throw pathRefused(`${path} is a folder.`);
  if (before !== undefined && !replace) throw fileExists(path);
  const temp = below(folder, `.weft-${randomBytes(8).toString('hex')}.tmp`);
  const handle = await sftp.open(temp, 'wx');
  try {
    try {
      if (before?.isFile() === true) await sftp.setMode(handle, before.mode & 0o7777).catch(() => {});
      await sftp.write(handle, content, signal);
    } finally {
      await sftp.close(handle);
    }
    // A link is replaced, not followed.
    if (replace) await sftp.replace(temp, target);
    else await renamed(sftp, temp, target, path);
  } catch (error) {
    await sftp.remove(temp).catch(() => {});
    throw error;
  }
}

async function renamed(sftp: Sftp, temp: string, target: string, path: string): Promise<void> {
  try {
    await sftp.rename(temp, target);
  } catch (error) {
    throw (await sftp.lstat(target)) === undefined ? error : fileExists(path);
  }
}

/** The path of a folder; creates missing parts. */
async function madeInside(sftp: Sftp, segments: readonly string[]): Promise<string> {
  let at = await insideOf(sftp, []);
  for (const [depth, segment] of segments.entries()) {
    const next = await insideOf(sftp, segments.slice(0, depth + 1));
    let found = await sftp.stat(next);
    if (found === undefined) {
      // Another write may have made it meanwhile.
      const failure = await sftp.makeFolder(next).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      found = await sftp.stat(next);
      if (failure && found === undefined) throw failure.error;
    }
    if (found?.isDirectory() !== true) throw pathRefused(`${segment} is no folder.`);
    at = next;
  }
  return at;
}

async function listed(
  sftp: Sftp,
  { path, segments }: Place,
  { recursive, limit }: StoreList,
  signal: AbortSignal,
): Promise<FolderEntry[]> {
  const start = await insideOf(sftp, segments);
  if ((await sftp.stat(start))?.isDirectory() !== true) throw fileMissing(path);
  const entries: Found[] = [];
  const pending = [{ folder: start, path: path === '' ? '' : `${path}/` }];
  for (let next = pending.shift(); next !== undefined && entries.length < limit; next = pending.shift()) {
    const found = await entriesIn(sftp, next, signal);
    for (const entry of found.slice(0, limit - entries.length)) {
      entries.push(entry);
      if (entry.kind === 'folder' && recursive) pending.push({ folder: entry.at, path: `${entry.path}/` });
    }
  }
  return entries.map(({ at: _, ...entry }) => entry).sort((a, b) => (a.path < b.path ? -1 : 1));
}

interface Found extends FolderEntry {
  /** Its path on the server. */
  readonly at: string;
}

/** Sorted. Names that are no valid paths are left out, and links: where they lead is not part of the folder's list. */
async function entriesIn(
  sftp: Sftp,
  { folder, path }: { readonly folder: string; readonly path: string },
  signal: AbortSignal,
): Promise<Found[]> {
  const found: Found[] = [];
  for await (const { filename, attrs } of sftp.entries(folder)) {
    signal.throwIfAborted();
    if (!filename.isWellFormed() || !SEGMENT.test(filename)) continue;
    const at = below(folder, filename);
    const stats = await wholeOf(sftp, at, attrs as Stats);
    const kind = stats && kindOf(stats);
    if (stats === undefined || kind === undefined) continue;
    const bytes = kind === 'file' ? stats.size : 0;
    found.push({ path: path + filename, kind, bytes, modified: timeOf(stats), at });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A server may leave out of a list what it says when it is asked for one file. */
async function wholeOf(sftp: Sftp, path: string, stats: Partial<Stats>): Promise<Stats | undefined> {
  return stats.mode === undefined || stats.size === undefined ? sftp.lstat(path) : (stats as Stats);
}

function timeOf({ mtime }: Partial<Stats>): string | null {
  return mtime === undefined ? null : new Date(mtime * 1000).toISOString();
}

function kindOf(stats: Stats): FolderEntry['kind'] | undefined {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : undefined;
}

async function removed(sftp: Sftp, { path, segments }: Place): Promise<boolean> {
  const folder = await insideOf(sftp, segments.slice(0, -1));
  const target = below(folder, segments.at(-1) as string);
  const found = await sftp.lstat(target);
  if (found === undefined) return false;
  if (found.isDirectory()) throw pathRefused(`${path} is a folder, which is not deleted.`);
  return sftp.remove(target);
}
