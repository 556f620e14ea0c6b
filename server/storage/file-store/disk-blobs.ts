import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WeftError } from '#engine';
import { errorTable } from '#shared/errors.ts';
import { type DiskSpace, diskSpace, reserveOf } from '../../base/files/disk-usage.ts';
import { isRefusedByDisk } from '../../base/errors/storage-refusal.ts';
import type { Blobs, ByteRange, StoredBlob } from './blobs.ts';

const ID = /^[0-9a-f]{32}$/;
const HALF = '.half';
/** Bytes gathered before a write, and bytes of one read. */
export const PIECE = 256 * 1024;
/** The age from which a half-written blob counts as a leftover, in milliseconds: a slow upload may still be writing it. */
const LEFTOVER_MS = 24 * 3_600_000;

/** Bytes written between two checks of the free space. */
const LOOK_EVERY = 16 * 1024 ** 2;

interface Options {
  /** Bytes of the disk that stay free for everything but blobs; a twentieth of a small disk. */
  readonly reserve: number;
  readonly space?: (folder: string) => Promise<DiskSpace>;
}

/**
 * Blobs as files `ab/<id>` of one folder, which is created on first use. A blob gets its name once it is
 * complete and on the disk. Blobs that would use the disk's reserve reject with `disk_low`.
 */
export function createDiskBlobs(
  folder: string,
  { reserve, space = diskSpace }: Options = { reserve: 0 },
): Blobs {
  async function checkSpace(): Promise<void> {
    const found = await space(folder);
    if (found.free < reserveOf(found, reserve)) throw new WeftError('disk_low', errorTable.disk_low.meaning);
  }

  /** The same content, cut off when the disk is nearly full. */
  async function* fitting(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    await checkSpace();
    let unlooked = 0;
    for await (const piece of content) {
      unlooked += piece.length;
      if (unlooked >= LOOK_EVERY) {
        await checkSpace();
        unlooked = 0;
      }
      yield piece;
    }
  }

  const fileOf = (id: string): string => join(folder, id.slice(0, 2), id);

  return {
    async put(content) {
      const id = randomBytes(16).toString('hex');
      const half = `${fileOf(id)}${HALF}`;
      try {
        await mkdir(dirname(half), { recursive: true, mode: 0o700 });
        const written = await writeTo(half, reserve > 0 ? fitting(content) : content);
        await rename(half, fileOf(id));
        return { id, ...written };
      } catch (error) {
        await rm(half, { force: true }).catch(() => undefined);
        throw isRefusedByDisk(error) ? refused(error) : error;
      }
    },
    async open(id, range) {
      const found = ID.test(id) ? await sizeOf(fileOf(id)) : undefined;
      if (found === undefined) throw gone();
      return readPieces(fileOf(id), range);
    },
    async remove(id) {
      if (ID.test(id)) await rm(fileOf(id), { force: true });
    },
    async *ids() {
      for (const part of await namesIn(folder)) {
        for (const name of await namesIn(join(folder, part))) {
          const path = join(folder, part, name);
          const at = (await stat(path).catch(() => undefined))?.mtimeMs;
          if (at === undefined) continue;
          if (ID.test(name)) yield { id: name, at };
          else if (name.endsWith(HALF) && Date.now() - at > LEFTOVER_MS) await rm(path, { force: true });
        }
      }
    },
  };
}

async function writeTo(path: string, content: AsyncIterable<Uint8Array>): Promise<Omit<StoredBlob, 'id'>> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  let bytes = 0;
  try {
    for await (const piece of gathered(content)) {
      hash.update(piece);
      await writeWhole(file, piece);
      bytes += piece.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Writes the whole piece: a disk that is nearly full may accept only a part at first. */
export async function writeWhole(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten;
}

/** Small pieces are gathered in one buffer, so that neither the disk nor the hash is asked for each. */
async function* gathered(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(PIECE);
  let length = 0;
  for await (const piece of content) {
    if (piece.length >= PIECE) {
      if (length > 0) yield buffer.subarray(0, length);
      length = 0;
      yield piece;
      continue;
    }
    if (length + piece.length > PIECE) {
      yield buffer.subarray(0, length);
      length = 0;
    }
    buffer.set(piece, length);
    length += piece.length;
  }
  if (length > 0) yield buffer.subarray(0, length);
}

async function* readPieces(path: string, range: ByteRange | undefined): AsyncGenerator<Uint8Array> {
  const part = range && { start: range.first, end: range.last };
  if (range && range.last < range.first) return;
  try {
    for await (const piece of createReadStream(path, { ...part, highWaterMark: PIECE }))
      yield piece as Buffer;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? gone() : error;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

function gone(): WeftError {
  return new WeftError('file_gone', errorTable.file_gone.meaning);
}

function refused(error: unknown): WeftError {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return new WeftError('storage_failed', `The file could not be stored (${code}); nothing of it was kept.`);
}
