import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Asker, FileService, FolderService } from '#engine';
import type { FileValue } from '#shared/file.ts';
import { openWeftSql } from '../database/weft-tables.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { createDiskBlobs } from './disk-blobs.ts';
import { createFileService } from './file-service.ts';
import { createFiles } from './files.ts';
import { createFolders, type FolderDeps } from './folders.ts';

export const by: Asker = { flow: 'f', version: 'v', run: 'r', node: 'n', operator: 'file.read' };
export const { signal } = new AbortController();
const http = { send: () => Promise.reject(new Error('not used')) };

/** A store of files, for its contract. */
export interface StoreBed {
  readonly folders: FolderService;
  readonly files: FileService;
  /** A file of the run. */
  file(content: string | Uint8Array, name?: string): Promise<FileValue>;
  textOf(file: FileValue): Promise<string>;
  close(): Promise<void>;
}

/** Folders of a test, with files of a run to put in. */
export async function openFolders(deps: Omit<FolderDeps, 'files'>): Promise<StoreBed> {
  const data = await tempFolder();
  const sql = openWeftSql(data);
  const blobs = createDiskBlobs(join(data, 'files'));
  const files = createFileService(createFiles({ sql, blobs, now: Date.now }), http);
  return {
    folders: createFolders({ ...deps, files }),
    files,
    file: (content, name = 'a.txt') => files.create({ name, content }, by, signal),
    async textOf(value) {
      let text = '';
      for await (const piece of (await files.open(value, by)).content) text += Buffer.from(piece).toString();
      return text;
    },
    close: () => sql.close(),
  };
}

/** Deviations of the service behind a store. */
interface Lacks {
  /** It ignores `If-None-Match`. */
  readonly conditions?: true;
  /** It reports the prefix of names as an object. */
  readonly folders?: true;
}

/** Behaviour of every store of files (`store.ts`). `open` gives an empty store with the name `inbox`. */
export function storeContract(name: string, open: Open, lacks: Lacks = {}): void {
  filesAreKept(name, open);
  filesAreListed(name, open);
  if (!lacks.folders) foldersAreNotDeleted(name, open);
  if (!lacks.conditions) oneOfManyWrites(name, open);
  pathsStayInside(name, open);
  filesHaveAnySize(name, open);
  writesAreWhole(name, open);
}

type Open = () => Promise<StoreBed>;

function filesAreKept(name: string, open: Open): void {
  test(`${name}: files are written, read, listed and deleted`, async () => {
    const { folders, file, textOf, close } = await open();
    await folders.write('inbox', '2026/a.txt', await file('Hello'), { by, signal });
    const other = await file('Bye');
    await expect(folders.write('inbox', '2026/a.txt', other, { by, signal })).rejects.toMatchObject({
      code: 'folder_file_exists',
    });
    expect(await textOf(await folders.read('inbox', '2026/a.txt', by, { signal }))).toBe('Hello');
    await folders.write('inbox', '2026/a.txt', other, { by, signal, replace: true });
    const read = await folders.read('inbox', '2026/a.txt', by, { signal });
    expect(read).toMatchObject({ name: 'a.txt', type: 'text/plain', bytes: 3 });
    await expect(folders.read('inbox', '2026/a.txt', by, { signal, maxBytes: 2 })).rejects.toMatchObject({
      code: 'file_too_large',
    });
    expect(await folders.remove('inbox', '2026/a.txt', by, { signal })).toBe(true);
    expect(await folders.remove('inbox', '2026/a.txt', by, { signal })).toBe(false);
    await close();
  });
}

function filesAreListed(name: string, open: Open): void {
  test(`${name}: a list is sorted, and goes into folders if it is asked to`, async () => {
    const { folders, file, close } = await open();
    expect(await folders.list('inbox', '', by, { signal })).toEqual([]);
    for (const path of ['b.txt', 'a/x.txt', 'a/deep/er/y.txt', 'a.txt', 'Grüße/ünï&<1>+%.txt'])
      await folders.write('inbox', path, await file(path), { by, signal });
    const listed = async (path: string, more: object = {}) =>
      (await folders.list('inbox', path, by, { signal, ...more })).map(({ path: at, kind, bytes }) =>
        kind === 'file' ? `${at} ${bytes}` : `${at}/ ${bytes}`,
      );
    expect(await listed('')).toEqual(['Grüße/ 0', 'a/ 0', 'a.txt 5', 'b.txt 5']);
    expect(await listed('', { recursive: true })).toEqual([
      'Grüße/ 0',
      'Grüße/ünï&<1>+%.txt 23',
      'a/ 0',
      'a.txt 5',
      'a/deep/ 0',
      'a/deep/er/ 0',
      'a/deep/er/y.txt 15',
      'a/x.txt 7',
      'b.txt 5',
    ]);
    expect(await listed('a/deep')).toEqual(['a/deep/er/ 0']);
    expect(await listed('', { limit: 2 })).toHaveLength(2);
    const [entry] = await folders.list('inbox', 'a', by, { signal, recursive: true });
    expect(entry).toMatchObject({ path: 'a/deep', kind: 'folder' });
    const dated = await folders.list('inbox', 'a/deep/er', by, { signal });
    expect(Date.parse(dated[0]?.modified ?? '')).toBeGreaterThan(Date.now() - 3_600_000);
    await expect(folders.list('inbox', 'nothing', by, { signal })).rejects.toMatchObject({
      code: 'folder_file_not_found',
    });
    await close();
  });
}

function pathsStayInside(name: string, open: Open): void {
  test(`${name}: what is not there is not found`, async () => {
    const { folders, close } = await open();
    await expect(folders.read('inbox', 'a/b.txt', by, { signal })).rejects.toMatchObject({
      code: 'folder_file_not_found',
    });
    expect(await folders.remove('inbox', 'a/b.txt', by, { signal })).toBe(false);
    await close();
  });

  test.each([
    '..',
    '../outside',
    'a/../../outside',
    '/etc',
    'a//b',
    '.',
    './a',
    'a/',
    'a\0b',
    'a\nb',
    '\ud800',
  ])(`${name}: the path %j is refused`, async (path) => {
    const { folders, file, close } = await open();
    const ways: (() => Promise<unknown>)[] = [
      () => folders.read('inbox', path, by, { signal }),
      () => folders.list('inbox', path, by, { signal }),
      async () => folders.write('inbox', path, await file('x'), { by, signal, replace: true }),
      () => folders.remove('inbox', path, by, { signal }),
    ];
    for (const way of ways) await expect(way()).rejects.toMatchObject({ code: 'folder_path_refused' });
    await close();
  });

  test(`${name}: an empty path is no file`, async () => {
    const { folders, file, close } = await open();
    await expect(folders.read('inbox', '', by, { signal })).rejects.toMatchObject({
      code: 'folder_path_refused',
    });
    await expect(folders.write('inbox', '', await file('x'), { by, signal })).rejects.toMatchObject({
      code: 'folder_path_refused',
    });
    await close();
  });
}

function filesHaveAnySize(name: string, open: Open): void {
  test(`${name}: files of any size come back as they were`, async () => {
    const { folders, files, file, close } = await open();
    for (const size of [0, 1, 8 * 1024 ** 2, 8 * 1024 ** 2 + 1, 17 * 1024 ** 2]) {
      const content = Buffer.alloc(size, 'some text of a length that fits nothing ');
      const path = `sizes/${size}`;
      await folders.write('inbox', path, await file(content), { by, signal });
      const read = await folders.read('inbox', path, by, { signal });
      expect(read.bytes).toBe(size);
      const pieces: Uint8Array[] = [];
      for await (const piece of (await files.open(read, by)).content) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(content)).toBe(true);
    }
    await close();
  });
}

function foldersAreNotDeleted(name: string, open: Open): void {
  test(`${name}: a folder is not deleted`, async () => {
    const { folders, file, close } = await open();
    await folders.write('inbox', 'a/x.txt', await file('x'), { by, signal });
    await expect(folders.remove('inbox', 'a', by, { signal })).rejects.toMatchObject({
      code: 'folder_path_refused',
    });
    await close();
  });
}

function oneOfManyWrites(name: string, open: Open): void {
  test.each([10, 9 * 1024 ** 2])(
    `${name}: of several writes of %i bytes that must not replace anything, one succeeds`,
    async (size) => {
      const { folders, file, close } = await open();
      const made = await Promise.all([1, 2, 3, 4].map((n) => file(Buffer.alloc(size, n))));
      const ended = await Promise.allSettled(
        made.map((one) => folders.write('inbox', 'one', one, { by, signal })),
      );
      expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const one of ended)
        if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'folder_file_exists' });
      expect((await folders.list('inbox', '', by, { signal })).map(({ path }) => path)).toEqual(['one']);
      await close();
    },
  );
}

function writesAreWhole(name: string, open: Open): void {
  test(`${name}: a write that is stopped leaves nothing`, async () => {
    const { folders, file, close } = await open();
    const stop = new AbortController();
    const reason = new Error('stopped');
    const big = await file(Buffer.alloc(20 * 1024 ** 2, 1));
    stop.abort(reason);
    await expect(folders.write('inbox', 'x', big, { by, signal: stop.signal })).rejects.toBe(reason);
    expect(await folders.list('inbox', '', by, { signal })).toEqual([]);
    await close();
  });

  test(`${name}: what is no file of the run is not written`, async () => {
    const { folders, close } = await open();
    const forged = { $file: `f_${'0'.repeat(32)}`, name: 'x', type: 'text/plain', bytes: 1 };
    await expect(folders.write('inbox', 'x', forged, { by, signal })).rejects.toMatchObject({
      code: 'file_not_found',
    });
    expect(await folders.list('inbox', '', by, { signal })).toEqual([]);
    await close();
  });
}
