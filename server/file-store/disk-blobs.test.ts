import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../testing/platform-bed.ts';
import { blobsContract, idsIn } from './blobs.contract.ts';
import { createDiskBlobs } from './disk-blobs.ts';

blobsContract('on the disk', async () => createDiskBlobs(join(await tempFolder(), 'files')));

test('what a killed process left half-written is no blob, and is removed after a day', async () => {
  const folder = await tempFolder();
  const blobs = createDiskBlobs(folder);
  mkdirSync(join(folder, 'ab'));
  const half = join(folder, 'ab', `ab${'0'.repeat(30)}.half`);
  writeFileSync(half, 'x');
  expect(await idsIn(blobs)).toEqual([]);
  expect(readdirSync(join(folder, 'ab'))).toHaveLength(1);
  utimesSync(half, new Date(0), new Date(0));
  expect(await idsIn(blobs)).toEqual([]);
  expect(readdirSync(join(folder, 'ab'))).toEqual([]);
});
