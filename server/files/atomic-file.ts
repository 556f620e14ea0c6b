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
 * Whole files or none. What this file keeps:
 * 1. A reader sees the old content or the new, never a part, also when the process is killed at any moment.
 * 2. When a write fails the old file is as it was, and the caller gets `storage_failed`.
 * 3. What is left behind by a killed process never looks like a file of ours, and is swept at the next start.
 */
export interface WriteOptions {
  /** Called right before the new file takes the old one's place; what it throws calls the write off. */
  readonly guard?: () => void;
  /** Wait until the disk has it. Off for what can be made again. */
  readonly durable?: boolean;
  /** Of a new file; the umask takes bits away. */
  readonly mode?: number;
}

/** Replaces or makes a file in a folder that exists; an existing file keeps its mode. */
export async function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const temp = tempOf(file);
  try {
    await writeNew(temp, content, (await modeOf(file)) ?? options.mode, options.durable ?? true);
    options.guard?.();
    // In the same turn as the guard, so that nothing of this process comes between.
    renameSync(temp, file);
    if (options.durable ?? true) await syncFolder(dirname(file));
  } catch (error) {
    await rm(temp, { force: true }).catch(() => undefined);
    throw storageError(error, file);
  }
}

/** The same within one turn, for a small file of the owner's. Waits until the disk has it. */
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
    // The umask may have taken bits away that the old file had.
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

/** Without this a power cut may forget the rename. Not every system can do it (Windows): there the rename is all we have. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Turns an error of the file system into `storage_failed`; others pass as they are. */
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

/** Removes what a killed process left in a folder; files of a process that still runs are left alone. */
export function sweepLeftovers(folder: string): void {
  for (const name of namesIn(folder)) {
    const pid = Number(LEFTOVER.exec(name)?.[1] ?? Number.NaN);
    // Our own id at start means an earlier process had the same one, as in a container.
    if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) continue;
    remove(join(folder, name));
  }
}

/** In a folder that may not be written it stays: it harms nobody. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // As said.
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
