import { hash as hashOf } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type BlobStore, HASH_PATTERN } from './blob-store.ts';

/**
 * Blobs as files `ab/<hash>` of one folder.
 * DB1. A file gets its name only once it is complete; leftovers of a crash never have such a name, and are removed when
 *      the folder is listed, once, on the first call.
 * DB2. A file is returned only if its content has the hash in its name.
 * DB3. With `synced` a file and its name are on the disk itself when `put` returns, so that they survive a power cut.
 */
export function createDiskBlobs(folder: string, { synced = false } = {}): BlobStore {
  let known: Map<string, number> | undefined;
  let total = 0;
  const fileOf = (hash: string): string => join(folder, hash.slice(0, 2), hash);
  const sizes = (): Map<string, number> => (known ??= look());

  function look(): Map<string, number> {
    const found = new Map<string, number>();
    for (const { hash, bytes } of filesIn(folder)) found.set(hash, bytes);
    for (const bytes of found.values()) total += bytes;
    return found;
  }

  return {
    put({ hash, json }) {
      if (sizes().has(hash)) return 0;
      const bytes = Buffer.byteLength(json);
      writeWhole(fileOf(hash), json, synced);
      sizes().set(hash, bytes);
      total += bytes;
      return bytes;
    },
    get(hash) {
      const text = sizes().has(hash) ? textOf(fileOf(hash)) : undefined;
      return text !== undefined && hashOf('sha256', text, 'hex') === hash ? text : undefined;
    },
    remove(hash) {
      const bytes = sizes().get(hash);
      if (bytes === undefined) return 0;
      rmSync(fileOf(hash), { force: true });
      sizes().delete(hash);
      total -= bytes;
      return bytes;
    },
    hashes: () => [...sizes().keys()],
    get bytes() {
      sizes();
      return total;
    },
  };
}

function writeWhole(path: string, text: string, synced: boolean): void {
  const half = `${path}.half`;
  const folder = dirname(path);
  const made = mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(half, text, { flush: synced });
    renameSync(half, path);
    if (synced) syncFolders(folder, made === undefined ? folder : dirname(made));
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  }
}

/** From the inner folder to the outer one: each stores the names of its new entries. */
function syncFolders(inner: string, outer: string): void {
  for (let folder = inner; ; folder = dirname(folder)) {
    syncFolder(folder);
    if (folder === outer || folder === dirname(folder)) return;
  }
}

/** Windows cannot open a folder, and stores names without this. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function* filesIn(folder: string): Generator<{ hash: string; bytes: number }> {
  for (const part of namesIn(folder)) {
    for (const name of namesIn(join(folder, part))) {
      const path = join(folder, part, name);
      if (HASH_PATTERN.test(name)) yield { hash: name, bytes: statSync(path).size };
      else if (name.endsWith('.half')) rmSync(path, { force: true });
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
