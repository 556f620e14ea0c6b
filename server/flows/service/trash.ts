import { readFileSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ServiceError } from '../../base/errors/errors.ts';
import { storageError, sweepLeftovers, writeFileAtomic } from '../../base/files/atomic-file.ts';
import { contentHash } from '../../base/files/content-hash.ts';

/**
 * The folder for deleted flows: `<data>/trash/<id>-<time>.json`, with draft and layout next to it. People empty it by
 * hand.
 */
export interface Trash {
  /**
   * Copies each file, then deletes the originals; if a copy fails, no original is deleted. Missing files are skipped.
   */
  take(files: readonly TrashFile[], time: number): Promise<void>;
}

export interface TrashFile {
  readonly path: string;
  /** Its name in the trash, before the time is inserted: `hello.draft.json`. */
  readonly name: string;
}

export function createTrash(folder: string): Trash {
  sweepLeftovers(folder);
  return {
    async take(files, time) {
      const copied: { path: string; hash: string }[] = [];
      for (const { path, name } of files) {
        try {
          // A copy, since the data folder may be on another disk; as bytes, since the file may be broken.
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

/** A file that was saved after the copy stays. */
function removeUnchanged(path: string, hash: string): void {
  try {
    const bytes = readIfThere(path);
    if (!bytes) return;
    if (contentHash(bytes) === hash) return rmSync(path);
  } catch (error) {
    throw storageError(error, path);
  }
  throw new ServiceError('conflict', `${basename(path)} was changed during the removal; it stays.`);
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
