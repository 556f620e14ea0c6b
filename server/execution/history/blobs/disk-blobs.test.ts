import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { blobStoreContract, valueOf } from './blob-store.contract.ts';
import { createDiskBlobs } from './disk-blobs.ts';

let folder: string;
let stores = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-blobs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

blobStoreContract('on disk', () => createDiskBlobs(join(folder, `s${stores++}`)));

test('they are there again after a restart, in folders of two letters', () => {
  const value = valueOf('"again"');
  createDiskBlobs(folder).put(value);
  expect(readdirSync(folder)).toEqual([value.hash.slice(0, 2)]);
  const after = createDiskBlobs(folder);
  expect(after.get(value.hash)).toBe(value.json);
  expect(after.bytes).toBe(7);
});

test('with `synced` the file, and each folder with a new name in it, are synced to the disk', () => {
  const sync = vi.spyOn(fs, 'fsyncSync');
  syncBuiltinESMExports();
  onTestFinished(() => {
    sync.mockRestore();
    syncBuiltinESMExports();
  });
  const [first, second] = [valueOf('"first"'), valueOf('"second"')] as const;
  createDiskBlobs(join(folder, 'plain')).put(first);
  expect(sync).not.toHaveBeenCalled();
  const blobs = createDiskBlobs(join(folder, 'runs', 'r1'), { synced: true });
  blobs.put(first);
  // The file, its folder, the run's, that of all runs, and the existing one.
  expect(sync).toHaveBeenCalledTimes(process.platform === 'win32' ? 1 : 5);
  blobs.put(second);
  expect(sync).toHaveBeenCalledTimes(process.platform === 'win32' ? 2 : 8);
  expect(blobs.get(second.hash)).toBe(second.json);
});

test('half-written files of a crash are removed, and foreign files stay', () => {
  const part = join(folder, 'ab');
  mkdirSync(part);
  writeFileSync(join(part, `${'ab'.repeat(32)}.half`), 'x');
  writeFileSync(join(part, 'notes.txt'), 'mine');
  expect(createDiskBlobs(folder).hashes()).toEqual([]);
  expect(readdirSync(part)).toEqual(['notes.txt']);
});

test('a file that was changed is not read', () => {
  const value = valueOf('"true"');
  const blobs = createDiskBlobs(folder);
  blobs.put(value);
  writeFileSync(join(folder, value.hash.slice(0, 2), value.hash), '"false"');
  expect(blobs.get(value.hash)).toBeUndefined();
});

test('a disk that refuses writes throws, and leaves nothing behind', () => {
  const value = valueOf('"no room"');
  writeFileSync(join(folder, value.hash.slice(0, 2)), 'a file where the folder should be');
  const blobs = createDiskBlobs(folder);
  expect(() => blobs.put(value)).toThrow();
  expect([blobs.bytes, blobs.hashes()]).toEqual([0, []]);
  expect(existsSync(join(folder, value.hash))).toBe(false);
});
