import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ServiceError } from '../errors/errors.ts';

/**
 * Writes complete files or nothing. Guarantees:
 * 1. A reader sees the old content or the new, never a part, even if the process is killed at any moment.
 * 2. If a write fails, the old file is unchanged, and the caller gets `storage_failed`.
 * 3. Leftovers of a killed process never look like a real file, and are removed at the next start.
 */
export interface WriteOptions {
  /** Called right before the new file replaces the old one; if it throws, the write is cancelled. */
  readonly guard?: () => void;
  /** Waits until the disk has it. Off for files that can be recreated. */
  readonly durable?: boolean;
  /** Mode of a new file; the umask removes bits. */
  readonly mode?: number;
}

/** Replaces or creates a file in an existing folder; an existing file keeps its mode. */
export function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  { guard, ...options }: WriteOptions = {},
): Promise<void> {
  return stageFile(file, content, options).commit(guard);
}

/** New content beside its file. One of both must be called; otherwise it stays until the next start. */
export interface StagedFile {
  /** Puts it in place of the file, as `writeFileAtomic` does. */
  commit(guard?: () => void): Promise<void>;
  /** Removes it if it was not put in place. Never throws. */
  discard(): Promise<void>;
}

/** Starts to write new content beside its file. */
export function stageFile(
  file: string,
  content: string | Uint8Array,
  { durable = true, mode }: Omit<WriteOptions, 'guard'> = {},
): StagedFile {
  const temp = tempOf(file);
  const written = modeOf(file).then((existing) => writeNew(temp, content, existing ?? mode, durable));
  // `commit` reports it, if it is called.
  written.catch(() => undefined);
  let isInPlace = false;

  async function discard(): Promise<void> {
    await written.catch(() => undefined);
    if (!isInPlace) await rm(temp, { force: true }).catch(() => undefined);
  }

  return {
    discard,
    async commit(guard) {
      try {
        await written;
        guard?.();
        // In the same turn as the guard, so that nothing else in this process runs in between.
        renameSync(temp, file);
        isInPlace = true;
        if (durable) await syncFolder(dirname(file));
      } catch (error) {
        await discard();
        throw storageError(error, file);
      }
    },
  };
}

/** The same within one turn, for a small file of the owner. Waits until the disk has it. */
export function writeOwnFileSync(file: string, content: string): void {
  const temp = tempOf(file);
  try {
    const handle = openSync(temp, 'wx', 0o600);
    try {
      writeFileSync(handle, content);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temp, file);
  } catch (error) {
    rmSync(temp, { force: true });
    throw storageError(error, file);
  }
}

function tempOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`);
}

async function writeNew(
  temp: string,
  content: string | Uint8Array,
  mode: number | undefined,
  durable: boolean,
): Promise<void> {
  const handle = await open(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode ?? 0o666);
  try {
    // The umask may have removed bits that the old file had.
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(content);
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
}

async function modeOf(file: string): Promise<number | undefined> {
  const stats = await stat(file).catch(() => undefined);
  return stats && stats.mode & 0o777;
}

/**
 * Without this a power cut may undo the rename. Not every system supports it (Windows): there the rename has to
 * suffice.
 */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Converts a file system error to `storage_failed`; other errors pass unchanged. */
export function storageError(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (error instanceof ServiceError || typeof code !== 'string') return error;
  return new ServiceError(
    'storage_failed',
    `Could not write ${basename(file)} (${code}); the old state is intact.`,
    {
      detail: [{ type: code, loc: [basename(file)], msg: error instanceof Error ? error.message : code }],
    },
  );
}

const LEFTOVER = /^\..+\.(\d+)-[0-9a-f]{8}\.tmp$/;

/** Removes the leftovers of killed processes in a folder; files of running processes are left alone. */
export function sweepLeftovers(folder: string): void {
  for (const name of namesIn(folder)) {
    const pid = Number(LEFTOVER.exec(name)?.[1] ?? Number.NaN);
    // At the start our own id means that an earlier process had the same one, as in a container.
    if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) continue;
    remove(join(folder, name));
  }
}

/** In a read-only folder it stays, which does no harm. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // See above.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
