import { type Asker, type FileService, type HttpService, rootOf, WeftError } from '#engine';
import { errorTable } from '#shared/errors.ts';
import { handleOf } from '#shared/file.ts';
import type { Files, Holder, StoredFile } from './files.ts';

/** Files for operators. A run and the runs within it hold the same files. */
export function createFileService(files: Files, http: HttpService): FileService {
  return {
    find: async (value, by) => (await heldBy(files, value, by))?.value,
    open: (...asked) => openHeld(files, ...asked),
    async create({ content, ...about }, by, signal) {
      const { value } = await files.add({ ...about, content: until(signal, pieces(content)) }, holderOf(by));
      return value;
    },
    async download(request, by, signal) {
      const { body: content, ...answer } = await http.send(request, by, signal);
      const { dispositionName } = await import('./disposition.ts');
      const given = dispositionName(answer.headers['content-disposition']);
      const name = given ?? lastPart(answer.url);
      const type = answer.headers['content-type'];
      const { value } = await files.add({ name, type, content }, holderOf(by));
      return { ...answer, file: value };
    },
  };
}

/** The content of a file that the run holds. Throws `bad_input`, `file_not_found`. */
export async function openHeld(
  files: Files,
  ...[value, by, range]: Parameters<FileService['open']>
): ReturnType<FileService['open']> {
  const file = await heldBy(files, value, by);
  if (file === undefined) throw notHeld(value);
  return { file: file.value, content: await files.read(file, range) };
}

async function heldBy(files: Files, value: unknown, by: Asker): Promise<StoredFile | undefined> {
  const handle = handleOf(value);
  return handle === undefined ? undefined : files.find(handle, holderOf(by));
}

/** The last part of an address. */
function lastPart(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** The run that was started from outside, for a run within it too. */
function holderOf(by: Asker): Holder {
  return { kind: 'run', id: rootOf(by) };
}

function notHeld(value: unknown): WeftError {
  if (handleOf(value) === undefined)
    return new WeftError(
      'bad_input',
      'This is no file. Files come from uploads, requests and the operators for files.',
    );
  return new WeftError('file_not_found', errorTable.file_not_found.meaning);
}

async function* pieces(content: Parameters<FileService['create']>[0]['content']): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string') yield new TextEncoder().encode(content);
  else if (content instanceof Uint8Array) yield content;
  else yield* content;
}

async function* until(signal: AbortSignal, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    signal.throwIfAborted();
    yield piece;
  }
}
