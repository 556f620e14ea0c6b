import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Kinds of content in the data folder: files of flows, large values of runs, records of runs, databases. */
export const DISK_KINDS = ['files', 'blobs', 'runs', 'databases', 'other'] as const;
export type DiskUsage = Readonly<Record<(typeof DISK_KINDS)[number], number>>;

/** Bytes in the data folder by kind; unreadable files count as nothing. */
export async function diskUsage(data: string): Promise<DiskUsage> {
  const used = { files: 0, blobs: 0, runs: 0, databases: 0, other: 0 };
  for (const { name, isFolder } of await entriesOf(data))
    used[kindOf(name, isFolder)] += await sizeOf(join(data, name), isFolder);
  return used;
}

function kindOf(name: string, isFolder: boolean): keyof DiskUsage {
  if (isFolder) return name === 'files' || name === 'blobs' || name === 'runs' ? name : 'other';
  return /\.db(?:-wal|-shm)?$/.test(name) ? 'databases' : 'other';
}

/** One after the other, so that a folder of many files delays other work little. */
async function sizeOf(path: string, isFolder: boolean): Promise<number> {
  if (!isFolder) return (await stat(path).catch(() => undefined))?.size ?? 0;
  let bytes = 0;
  for (const entry of await entriesOf(path)) bytes += await sizeOf(join(path, entry.name), entry.isFolder);
  return bytes;
}

async function entriesOf(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
}

/** The disk of a folder, in bytes; `free` is the room that this user may still fill. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

/** The space on the disk of a folder. Rejects with the errors of the file system. */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** The part of a disk that files must not fill, in bytes: at most `most`, less on a small disk. */
export function reserveOf({ total }: DiskSpace, most: number): number {
  return Math.min(most, total / 20);
}
