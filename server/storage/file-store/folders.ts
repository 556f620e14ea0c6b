import { realpath } from 'node:fs/promises';
import { type Asker, type FileService, type FolderEntry, type FolderService, WeftError } from '#engine';
import type { FileValue } from '#shared/file.ts';
import type { ByteRange } from './blobs.ts';
import { createDiskStore } from './disk-store.ts';
import { fileTooLarge } from './files.ts';
import { changed, type Link } from './linked.ts';
import type { FileStore } from './store.ts';

export interface FolderDeps {
  /** Folders of this machine by name, as in WEFT_FOLDERS. */
  readonly folders: Readonly<Record<string, string>>;
  readonly files: FileService;
  /** Gives a run a file that stays in its place; undefined if the run must have a copy. */
  readonly link?: ((link: Link, by: Asker) => Promise<FileValue | undefined>) | undefined;
  /** The store behind a connection. Undefined if there is no such connection; throws if it is not granted. */
  connected(name: string, by: Asker): Promise<FileStore | undefined>;
}

/** Stores of files by name: a folder of WEFT_FOLDERS, or else a connection. */
export function createFolders(deps: FolderDeps): FolderService {
  const { folders, files, connected } = deps;
  const storeOf = async (name: string, by: Asker): Promise<FileStore> =>
    (await folderOf(folders, name)) ?? (await connected(name, by)) ?? unknown(name);

  return {
    async read(name, path, by, { signal, maxBytes }) {
      const store = await storeOf(name, by);
      const found = deps.link && (await store.find?.(path));
      if (found && maxBytes !== undefined && found.bytes > maxBytes) throw fileTooLarge(maxBytes);
      const linked = found && (await deps.link?.({ folder: name, path, ...found }, by));
      if (linked) return linked;
      const { content, type } = await store.open(path, signal);
      return files.create({ name: path, type, content, maxBytes }, by, signal);
    },
    async write(name, path, file, { by, replace = false, signal }) {
      const store = await storeOf(name, by);
      // Opening throws if it is not a file.
      const { bytes, type } = (await files.find(file, by)) ?? (await files.open(file, by)).file;
      await store.write(path, { content: contentOf(files, file, by), bytes, type, replace }, signal);
    },
    list: async (name, path, by, { recursive = false, limit = 1000, signal }) =>
      (await storeOf(name, by)).list(path, { recursive, limit }, signal),
    remove: async (name, path, by, { signal }) => (await storeOf(name, by)).remove(path, signal),
  };
}

/** The folder of this machine with this name; undefined if none has it. */
async function folderOf(folders: FolderDeps['folders'], name: string): Promise<FileStore | undefined> {
  const folder = Object.hasOwn(folders, name) ? folders[name] : undefined;
  if (folder === undefined) return undefined;
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) throw new WeftError('folder_unknown', `The folder ${name} is not there.`);
  return createDiskStore(root);
}

/** What is in a folder of this machine, at most `limit` entries; none if it is not one. Throws `folder_unknown` if it is not there. */
export async function entriesOf(
  folders: FolderDeps['folders'],
  name: string,
  limit: number,
  signal: AbortSignal,
): Promise<readonly FolderEntry[]> {
  return (await folderOf(folders, name))?.list('', { recursive: true, limit }, signal) ?? [];
}

/** Reads files in their place in these folders. Rejects with `file_changed`. */
export async function readLink(
  folders: FolderDeps['folders'],
  { folder, path, version }: Link,
  range?: ByteRange,
): Promise<AsyncIterable<Uint8Array>> {
  const store = await folderOf(folders, folder).catch(() => undefined);
  if (store?.openAt === undefined) throw changed();
  return store.openAt(path, version, range);
}

/** Opened when the store reads the first piece. */
async function* contentOf(files: FileService, file: FileValue, by: Asker): AsyncGenerator<Uint8Array> {
  yield* (await files.open(file, by)).content;
}

function unknown(name: string): never {
  const shown = JSON.stringify(name.slice(0, 100));
  throw new WeftError('folder_unknown', `Neither a folder of files nor a connection is called ${shown}.`);
}
