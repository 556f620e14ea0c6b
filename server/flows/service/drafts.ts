import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { storageError, sweepLeftovers, writeFileAtomic } from '../../base/files/atomic-file.ts';
import { contentHash } from '../../base/files/content-hash.ts';
import { type FileContent, readFlowFile } from './flow-files.ts';

/** Unpublished work, in `<first flows folder>/.drafts/<id>.json`; hidden, so that no scan mistakes drafts for flows. */
export interface DraftStore {
  all(): ({ id: string; content: FileContent } & DraftNote)[];
  write(id: string, text: string, note: DraftNote): Promise<Pick<FileContent, 'hash' | 'modifiedAt'>>;
  remove(id: string): Promise<void>;
}

/** Facts about a draft that its text does not contain. */
export interface DraftNote {
  /** Everyone who wrote the draft since the last published version, as `Caller.owner`. */
  readonly writers: readonly string[];
  /** The version of the flow's file that the draft contains; undefined without a file, and for drafts of 0.2.0. */
  readonly base?: string | undefined;
}

const Writers = z.array(z.string());
const Note = z.union([Writers, z.object({ writers: Writers, base: z.string() })]);

/** A list of writers alone is what 0.2.0 writes. It takes any other note for an unknown writer, who gets no rights. */
export function noteText({ writers, base }: DraftNote): string {
  return JSON.stringify(base === undefined ? writers : { writers, base });
}

export function readNote(text: string): DraftNote {
  try {
    const note = Note.parse(JSON.parse(text));
    return Array.isArray(note) ? { writers: note } : note;
  } catch {
    return { writers: [UNKNOWN_WRITER] };
  }
}

export function draftPath(home: string, id: string): string {
  return join(home, '.drafts', `${id}.json`);
}

/** The file with the note about a draft, next to the draft. */
export function writersPath(home: string, id: string): string {
  return join(home, '.drafts', `${id}.writers.json`);
}

/** Stands for an unknown writer of a draft: no caller has this name, so the draft gets no rights. */
export const UNKNOWN_WRITER = 'unknown';

export function createDraftStore(home: string, now: () => number): DraftStore {
  const folder = join(home, '.drafts');
  const pathOf = (id: string) => draftPath(home, id);
  sweepLeftovers(folder);
  return {
    all: () =>
      idsIn(folder).flatMap((id) => {
        const content = readFlowFile(pathOf(id));
        return content?.bytes ? [{ id, content, ...readNoteAt(writersPath(home, id)) }] : [];
      }),
    async write(id, text, note) {
      ensureFolder(folder);
      // Written first: a crash in between leaves one writer too many, never one too few. If a power cut damages the file, the writers are unknown, so the write is not awaited.
      await writeFileAtomic(writersPath(home, id), `${noteText(note)}\n`, { durable: false });
      await writeFileAtomic(pathOf(id), text);
      return { hash: contentHash(text), modifiedAt: now() };
    },
    async remove(id) {
      try {
        await rm(pathOf(id), { force: true });
        await rm(writersPath(home, id), { force: true });
      } catch (error) {
        throw storageError(error, pathOf(id));
      }
    },
  };
}

/** Without its parents: if the flows folder is missing, a new one in its place would hide that. */
function ensureFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw storageError(error, folder);
  }
}

function readNoteAt(path: string): DraftNote {
  try {
    return readNote(readFileSync(path, 'utf8'));
  } catch {
    return { writers: [UNKNOWN_WRITER] };
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
