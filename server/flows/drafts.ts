import { mkdirSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ID_PATTERN } from '#shared/flow.ts';
import { storageError, sweepLeftovers, writeFileAtomic } from './atomic-file.ts';
import { contentHash } from './content-hash.ts';
import { type FileContent, readFlowFile } from './flow-files.ts';

/** Unpublished work, in `<first flows folder>/.drafts/<id>.json`; hidden, so that no scan takes it for flows. */
export interface DraftStore {
  all(): { id: string; content: FileContent }[];
  write(id: string, text: string): Promise<Pick<FileContent, 'hash' | 'modifiedAt'>>;
  remove(id: string): Promise<void>;
}

export function draftPath(home: string, id: string): string {
  return join(home, '.drafts', `${id}.json`);
}

export function createDraftStore(home: string, now: () => number): DraftStore {
  const folder = join(home, '.drafts');
  const pathOf = (id: string) => draftPath(home, id);
  sweepLeftovers(folder);
  return {
    all: () =>
      idsIn(folder).flatMap((id) => {
        const content = readFlowFile(pathOf(id));
        return content?.bytes ? [{ id, content }] : [];
      }),
    async write(id, text) {
      ensureFolder(folder);
      await writeFileAtomic(pathOf(id), text);
      return { hash: contentHash(text), modifiedAt: now() };
    },
    async remove(id) {
      try {
        await rm(pathOf(id), { force: true });
      } catch (error) {
        throw storageError(error, pathOf(id));
      }
    },
  };
}

/** Not with its parents: where the flows folder is gone, a new one in its place would hide that. */
function ensureFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw storageError(error, folder);
  }
}

function idsIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return names.map((name) => name.slice(0, -'.json'.length)).filter((id) => ID_PATTERN.test(id));
  } catch {
    return [];
  }
}
