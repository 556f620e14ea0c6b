import { handleOf, type FileValue } from '#shared/file.ts';
import { WeftError } from '../base/errors.ts';
import type { FileService, FolderService } from '../base/file-services.ts';

/** The file of examples: a small table. */
export const EXAMPLE_FILE: FileValue = {
  $file: 'f_example0000000000000000000000000',
  name: 'people.csv',
  type: 'text/csv',
  bytes: 21,
};
const CONTENT = 'name,age\nAda,36\nLin,4';

/** Files in memory, with handles that are the same each time. `held`: files that are there from the start. */
export function exampleFiles(
  held: readonly (readonly [FileValue, Uint8Array])[] = [[EXAMPLE_FILE, new TextEncoder().encode(CONTENT)]],
): FileService {
  const files = new Map(held.map(([file, content]) => [file.$file, { file, content }]));
  const find = (value: unknown) => files.get(handleOf(value) ?? '');
  return {
    find: async (value) => find(value)?.file,
    async open(value, _by, range) {
      const found = find(value);
      if (found === undefined)
        throw new WeftError(
          handleOf(value) === undefined ? 'bad_input' : 'file_not_found',
          'There is no such file.',
        );
      const { first = 0, last = found.content.length - 1 } = range ?? {};
      return { file: found.file, content: once(found.content.slice(first, last + 1)) };
    },
    async create({ name = 'file', type = 'application/octet-stream', content, maxBytes }, _by, signal) {
      const bytes = await gathered(content, signal);
      if (maxBytes !== undefined && bytes.length > maxBytes)
        throw new WeftError('file_too_large', 'The file is too large.');
      const file = { $file: `f_new${String(files.size).padStart(29, '0')}`, name, type, bytes: bytes.length };
      files.set(file.$file, { file, content: bytes });
      return file;
    },
    async download({ url }, by, signal) {
      const [name, type] = [new URL(url).pathname.slice(1), 'application/pdf'];
      const file = await this.create({ name, type, content: '%PDF' }, by, signal);
      return { status: 200, headers: { 'content-type': type }, url, file };
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function gathered(
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (typeof content === 'string') return new TextEncoder().encode(content);
  if (content instanceof Uint8Array) return content;
  const all: number[] = [];
  for await (const piece of content) {
    signal.throwIfAborted();
    all.push(...piece);
  }
  return Uint8Array.from(all);
}

/** The folder `inbox` of examples, which holds the example's file. */
export function exampleFolders(files: FileService): FolderService {
  const names = new Set([EXAMPLE_FILE.name]);
  const known = (folder: string): void => {
    if (folder !== 'inbox') throw new WeftError('folder_unknown', 'There is no such folder.');
  };
  return {
    async read(folder, path, by, { signal }) {
      known(folder);
      if (!names.has(path)) throw new WeftError('folder_file_not_found', 'There is nothing.');
      return files.create({ ...EXAMPLE_FILE, content: CONTENT }, by, signal);
    },
    async write(folder, path, _file, { replace }) {
      known(folder);
      if (names.has(path) && replace !== true) throw new WeftError('folder_file_exists', 'There is one.');
      names.add(path);
    },
    async list(folder) {
      known(folder);
      const modified = '2026-01-01T00:00:00.000Z';
      return [...names].map((path) => ({ path, kind: 'file', bytes: CONTENT.length, modified }));
    },
    async remove(folder, path) {
      known(folder);
      return names.delete(path);
    },
  };
}
