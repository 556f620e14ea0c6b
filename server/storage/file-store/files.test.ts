import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onBothDatabases } from '../database/testing/databases.ts';
import { weftMigrations } from '../database/weft-tables.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { bytesOf, idsIn, piecesOf } from './blobs.contract.ts';
import { createDiskBlobs } from './disk-blobs.ts';
import { createFiles, type Files, type Holder, UNHELD_MS } from './files.ts';

const run = (id: string): Holder => ({ kind: 'run', id });
const noHolder = async (): Promise<boolean> => false;

onBothDatabases(weftMigrations, (make) => {
  async function open(now: () => number = Date.now) {
    const { sql, again } = await make();
    const blobs = createDiskBlobs(join(await tempFolder(), 'files'));
    return { files: createFiles({ sql, blobs, now }), blobs, sql, again };
  }
  const add = (files: Files, text: string, holder?: Holder) =>
    files.add({ name: 'a.txt', type: 'text/plain', content: piecesOf(text) }, holder);

  describe('holders', () => {
    test('a file opens for its holder only, even if others know its handle or its hash', async () => {
      const { files } = await open();
      const stored = await add(files, 'Hello', run('one'));
      const { $file } = stored.value;
      expect(stored.value).toEqual({ $file, name: 'a.txt', type: 'text/plain', bytes: 5 });
      const found = await files.find($file, run('one'));
      expect(found).toEqual(stored);
      expect((await bytesOf(await files.read(stored))).toString()).toBe('Hello');
      for (const other of [run('two'), { kind: 'state', id: 'one' }] as const)
        expect(await files.find($file, other)).toBeUndefined();
      for (const guess of [stored.sha256, stored.blob, `f_${stored.sha256}`, '', `${$file} `])
        expect(await files.find(guess, run('one'))).toBeUndefined();
    });

    test('equal files have handles that have nothing in common', async () => {
      const { files } = await open();
      const [one, two] = [await add(files, 'x', run('one')), await add(files, 'x', run('two'))];
      expect(one.sha256).toBe(two.sha256);
      expect(one.value.$file).not.toBe(two.value.$file);
      expect(await files.find(one.value.$file, run('two'))).toBeUndefined();
    });

    test('a given file counts at once, and for another process when it is stored', async () => {
      const { files, again, blobs } = await open();
      const { value } = await add(files, 'x', run('one'));
      void files.give([value.$file], run('two'));
      expect((await files.find(value.$file, run('two')))?.value).toEqual(value);
      await files.settled();
      const other = createFiles({ sql: await again(), blobs, now: Date.now });
      expect((await other.find(value.$file, run('two')))?.value).toEqual(value);
      expect(await other.of(run('two'))).toEqual([value.$file]);
    });

    test('of files in a folder that a value keeps, one that cannot be copied leaves the others alone', async () => {
      const { sql } = await make();
      const blobs = createDiskBlobs(join(await tempFolder(), 'files'));
      let isGone = false;
      const linked = async ({ path }: { readonly path: string }): Promise<AsyncIterable<Uint8Array>> => {
        if (isGone && path === 'gone.txt') throw new Error('It has changed.');
        return piecesOf(path);
      };
      const warned: unknown[] = [];
      const files = createFiles({ sql, blobs, now: Date.now, linked, warn: (error) => warned.push(error) });
      const link = (path: string) =>
        files.link({ folder: 'inbox', path, bytes: path.length, version: '1' }, run('one'));
      const [gone, kept] = [await link('gone.txt'), await link('kept.txt')];
      isGone = true;
      const state: Holder = { kind: 'state', id: 'count' };
      await files.give([gone.value.$file, kept.value.$file], state);
      const blobsOf = async ({ value }: typeof gone) => (await files.find(value.$file, state))?.blob;
      expect(await blobsOf(gone)).toBe(gone.blob);
      expect(await blobsOf(kept)).not.toBe(kept.blob);
      expect(warned).toHaveLength(1);
    });

    test('a stored value holds what it names last', async () => {
      const { files } = await open();
      const state: Holder = { kind: 'state', id: 'flow key' };
      const [one, two] = [await add(files, '1'), await add(files, '2')];
      await files.replace(state, [one.value.$file]);
      await files.replace(state, [two.value.$file]);
      expect(await files.of(state)).toEqual([two.value.$file]);
      await files.replace(state, []);
      expect(await files.of(state)).toEqual([]);
    });
  });

  describe('the end of a file', () => {
    test('comes a day after its last holder has gone, and no sooner', async () => {
      let time = Date.now();
      const { files, blobs } = await open(() => time);
      const { value } = await add(files, 'x', run('one'));
      const sweep = (...there: string[]) => files.sweep(async ({ id }) => there.includes(id));
      time += 10 * UNHELD_MS;
      expect(await sweep('one')).toBe(0);
      expect(await sweep()).toBe(0);
      expect(await files.find(value.$file, run('one'))).toBeUndefined();
      time += UNHELD_MS - 1;
      expect(await sweep()).toBe(0);
      expect(await idsIn(blobs)).toHaveLength(1);
      time += 2;
      expect(await sweep()).toBe(1);
      expect(await idsIn(blobs)).toEqual([]);
    });

    test('comes at once if it is discarded and no holder was given it', async () => {
      const { files, blobs } = await open();
      const [one, two] = [await add(files, '1'), await add(files, '2')];
      await files.give([two.value.$file], run('r'));
      await files.discard([one.value.$file, two.value.$file]);
      expect(await idsIn(blobs)).toMatchObject([{ id: two.blob }]);
    });

    test('bytes that were never written down are deleted after a day', async () => {
      let time = Date.now();
      const { files, blobs } = await open(() => time);
      await blobs.put(piecesOf('left by a crash'));
      const { blob } = await add(files, 'x', run('one'));
      await files.sweep(async () => true);
      expect(await idsIn(blobs)).toHaveLength(2);
      time += UNHELD_MS + 60_000;
      await files.sweep(async () => true);
      expect(await idsIn(blobs)).toMatchObject([{ id: blob }]);
    });

    test('a file whose bytes are lost rejects with a clear error', async () => {
      const { files, blobs } = await open();
      const stored = await add(files, 'x', run('one'));
      await blobs.remove(stored.blob);
      await expect(files.read(stored)).rejects.toMatchObject({ code: 'file_gone' });
      expect(await files.sweep(noHolder)).toBe(0);
    });
  });

  test('a file above its limit is refused, and nothing of it is kept', async () => {
    const { files, blobs } = await open();
    const content = piecesOf('12345', '67890', 'x');
    await expect(files.add({ content, maxBytes: 10 })).rejects.toMatchObject({ code: 'file_too_large' });
    expect(await idsIn(blobs)).toEqual([]);
    const just = await files.add({ content: piecesOf('12345', '67890'), maxBytes: 10 });
    expect(just.value.bytes).toBe(10);
  });
});
