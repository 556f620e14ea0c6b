import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { ID_PATTERN } from '#shared/flow.ts';
import { EvaluationSet } from '#shared/evaluation.ts';
import { parseExactly } from '#shared/lost-digits.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic-file.ts';

/** A stored set, usable or not. */
export interface StoredSet {
  readonly id: string;
  /** The path of its file below the flows folder, with `/`. */
  readonly shown: string;
  /** Throws `evaluation_broken`, with the place and the reason. */
  read(): EvaluationSet;
}

interface SetFile extends StoredSet {
  /** Absolute. */
  readonly path: string;
}

/** The sets of a server. Every method may throw `storage_failed`. */
export interface SetStore {
  /** Ordered by id. */
  all(): Promise<StoredSet[]>;
  /** Throws `evaluation_not_found`. */
  get(id: string): Promise<StoredSet>;
  /** Creates or changes a set. `edit` gets undefined for a new set, may throw, and may be called again. */
  change(
    id: string,
    edit: (before: EvaluationSet | undefined) => EvaluationSet,
    mayBeBroken?: boolean,
  ): Promise<EvaluationSet>;
  /** Throws `evaluation_not_found`. */
  remove(id: string): Promise<void>;
}

const ENDING = '.eval.json';

/** The files of all sets, by id. If two have the same id, the first counts: by folder as configured, then by path. */
export function findSets(folders: readonly string[]): Map<string, SetFile> {
  const found = new Map<string, SetFile>();
  for (const root of folders.map((folder) => resolve(folder)))
    for (const path of filesIn(root)) {
      const id = basename(path, ENDING);
      const shown = relative(root, path).split(sep).join('/');
      if (ID_PATTERN.test(id) && !found.has(id))
        found.set(id, { id, path, shown, read: () => readSet(path, shown) });
    }
  return found;
}

function filesIn(folder: string): string[] {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      // Links to folders are not followed, because they could form a cycle.
      if (entry.isDirectory()) return filesIn(path);
      return entry.name.endsWith(ENDING) ? [path] : [];
    });
}

function readSet(path: string, shown: string): EvaluationSet {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw broken(shown, `it cannot be read: ${(error as Error).message}`);
  }
  return parseSet(shown, text);
}

/** Throws `evaluation_broken`, with the place and the reason. */
export function parseSet(shown: string, text: string): EvaluationSet {
  let json: unknown;
  try {
    json = parseExactly(text);
  } catch (error) {
    throw broken(shown, `it is not valid JSON: ${(error as Error).message}`);
  }
  const parsed = EvaluationSet.safeParse(json);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  throw broken(shown, `${first?.path.join('.') || 'the file'}: ${first?.message}`);
}

function broken(shown: string, why: string): ServiceError {
  return new ServiceError('evaluation_broken', `${shown}: ${why}.`);
}

/** Throws `invalid_request` for a text that is not the id of a set. */
export function checkSetId(id: string): void {
  if (!ID_PATTERN.test(id))
    throw new ServiceError(
      'invalid_request',
      'The name of an evaluation is a lower-case letter, then a-z, 0-9 and _ (at most 64).',
      { param: 'set' },
    );
}

export function noSet(id: string): ServiceError {
  return new ServiceError('evaluation_not_found', `There is no evaluation ${JSON.stringify(id)}.`);
}

/** Sets in files of the flows folders. Changes are made one after another. */
export class SetFiles implements SetStore {
  private readonly folders: readonly string[];
  private last: Promise<unknown> = Promise.resolve();

  constructor(folders: readonly string[]) {
    this.folders = folders;
  }

  async all(): Promise<StoredSet[]> {
    return [...findSets(this.folders).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async get(id: string): Promise<StoredSet> {
    return this.file(id);
  }

  change(
    id: string,
    edit: (before: EvaluationSet | undefined) => EvaluationSet,
    mayBeBroken = false,
  ): Promise<EvaluationSet> {
    const done = this.last.then(async () => {
      checkSetId(id);
      const file = findSets(this.folders).get(id);
      const set = edit(file && !mayBeBroken ? file.read() : undefined);
      await this.write(file?.path ?? join(this.home(), `${id}${ENDING}`), set);
      return set;
    });
    this.last = done.catch(() => {});
    return done;
  }

  remove(id: string): Promise<void> {
    const done = this.last.then(() => rmSync(this.file(id).path, { force: true }));
    this.last = done.catch(() => {});
    return done;
  }

  private file(id: string): SetFile {
    const file = findSets(this.folders).get(id);
    if (file) return file;
    throw noSet(id);
  }

  private home(): string {
    const folder = this.folders.find((one) => existsSync(one));
    if (folder !== undefined) return folder;
    throw new ServiceError('conflict', 'There is no flows folder that the evaluation could be stored in.');
  }

  private async write(path: string, set: EvaluationSet): Promise<void> {
    try {
      await writeFileAtomic(path, `${JSON.stringify(withoutEmpty(set), null, 2)}\n`);
    } catch {
      throw new ServiceError('storage_failed', 'The evaluation could not be written to the flows folder.');
    }
  }
}

/** The set in a form with small diffs. */
function withoutEmpty({ cases, ...rest }: EvaluationSet): object {
  const shown = cases.map(({ expect, ...one }) =>
    Object.keys(expect).length === 0 ? one : { ...one, expect },
  );
  return { ...rest, cases: shown };
}
