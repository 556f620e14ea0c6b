import type { DeletedFlow } from '#shared/api.ts';
import { readFileSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ServiceError } from '../../base/errors/errors.ts';
import { storageError, sweepLeftovers, writeFileAtomic } from '../../base/files/atomic-file.ts';
import { contentHash } from '../../base/files/content-hash.ts';
import { readLayout } from './flow-files.ts';
import type { DeletedFlows } from './flow-store.ts';

/** The folder for deleted flows: `<data>/trash/<id>-<time>.json`, with draft and layout next to it. */
export interface Trash extends DeletedFlows {
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
    async list() {
      const files = await namesIn(folder);
      const found = new Map<string, DeletedFlow>();
      for (const file of files) {
        const one = deletedOf(file);
        if (one !== undefined) found.set(`${one.id} ${one.at}`, one);
      }
      const isThere = new Set(files);
      const named: DeletedFlow[] = [];
      for (const one of found.values()) {
        const [draft, live] = ['.draft.json', '.json'].map((end) => trashName(`${one.id}${end}`, one.at));
        const file = isThere.has(draft ?? '') ? draft : live;
        named.push({ ...one, ...nameIn(await headOf(join(folder, file ?? ''))) });
      }
      return named.sort((a, b) => b.at - a.at);
    },
    async read(which) {
      const path = (name: string): string => join(folder, trashName(`${which.id}${name}`, which.at));
      const bytes = readIfThere(path('.draft.json')) ?? readIfThere(path('.json'));
      if (bytes === undefined) return undefined;
      return { text: Buffer.from(bytes).toString(), layout: await readLayout(path('.layout.json')) };
    },
    async drop({ id, at }) {
      const names = (await namesIn(folder)).filter((name) => {
        const one = deletedOf(name);
        return one?.id === id && one.at === at;
      });
      for (const name of names) await rm(join(folder, name), { force: true });
      return names.length > 0;
    },
  };
}

/** Enough of a flow for its name, which stands near the start of a saved text. */
export const HEAD_LENGTH = 2048;

/** The name in the head of a saved flow. A text that somebody wrote in another form may not tell it. */
export function nameIn(head: string): Pick<DeletedFlow, 'name'> {
  const [, quoted] = /^ {2}"name": ("(?:[^"\\]|\\.)*")/m.exec(head) ?? [];
  try {
    const name: unknown = quoted === undefined ? undefined : JSON.parse(quoted);
    return typeof name === 'string' && name !== '' ? { name } : {};
  } catch {
    return {};
  }
}

/** Empty for a file that is gone meanwhile, or cannot be read. */
async function headOf(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD_LENGTH) });
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await file.close();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw storageError(error, folder);
  }
}

const NAME = /^(.+)-(\d{4})(\d{2})(\d{2}T\d{2})(\d{2})(\d{2})(\d{3})Z(?:\.draft|\.layout|\.writers)?\.json$/;

/** The flow whose file has this name in the trash; undefined for files of others. */
function deletedOf(name: string): DeletedFlow | undefined {
  const [, id, year, month, hour, minute, second, ms] = NAME.exec(name) ?? [];
  const at = Date.parse(`${year}-${month}-${hour}:${minute}:${second}.${ms}Z`);
  return id === undefined || Number.isNaN(at) ? undefined : { id, at };
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
