import { readFileSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ServiceError } from '../errors/errors.ts';
import { storageError, sweepLeftovers, writeFileAtomic } from '../files/atomic-file.ts';
import { contentHash } from '../files/content-hash.ts';

/** Where removed flows go: `<data>/trash/<id>-<time>.json`, draft and layout beside. Emptied by hand. */
export interface Trash {
  /** Keeps a copy of each file, then removes them; when a copy fails all are still there. Missing files are none. */
  take(files: readonly TrashFile[], time: number): Promise<void>;
}

export interface TrashFile {
  readonly path: string;
  /** What it is called in the trash, before the time is put in: `hello.draft.json`. */
  readonly name: string;
}

export function createTrash(folder: string): Trash {
  sweepLeftovers(folder);
  return {
    async take(files, time) {
      const copied: { path: string; hash: string }[] = [];
      for (const { path, name } of files) {
        try {
          // A copy, for the data folder may lie on another disk; as bytes, for what is removed may be broken.
          const bytes = readIfThere(path);
          if (!bytes) continue;
          await mkdir(folder, { recursive: true });
          await writeFileAtomic(join(folder, trashName(name, time)), bytes);
          copied.push({ path, hash: contentHash(bytes) });
        } catch (error) {
          throw storageError(error, path);
        }
      }
      for (const { path, hash } of copied) removeUnchanged(path, hash);
    },
  };
}

/** What was saved after the copy was made stays. */
function removeUnchanged(path: string, hash: string): void {
  try {
    const bytes = readIfThere(path);
    if (!bytes) return;
    if (contentHash(bytes) === hash) return rmSync(path);
  } catch (error) {
    throw storageError(error, path);
  }
  throw new ServiceError('conflict', `${basename(path)} was changed while it was to be removed; it stays.`);
}

function readIfThere(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** `hello.json` becomes `hello-20250131T120000000Z.json`. */
function trashName(name: string, time: number): string {
  const dot = name.indexOf('.');
  const stamp = new Date(time).toISOString().replace(/[-:.]/g, '');
  return `${name.slice(0, dot)}-${stamp}${name.slice(dot)}`;
}
