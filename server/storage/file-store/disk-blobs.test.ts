import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../testing/platform-bed.ts';
import { blobsContract, idsIn } from './blobs.contract.ts';
import { createDiskBlobs } from './disk-blobs.ts';

blobsContract('on the disk', async () => createDiskBlobs(join(await tempFolder(), 'files')));

test('a half-written leftover of a killed process is not a blob, and is removed after a day', async () => {
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

describe('a disk that is nearly full', () => {
  const MB = 1024 ** 2;
  async function* content(mb: number): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < mb; i++) yield new Uint8Array(MB);
  }

  /** Blobs on a disk of this many megabytes, with 10 MB less free at each look. */
  async function nearlyFull(freeMb: number, totalMb: number, reserveMb: number) {
    const folder = await tempFolder();
    let free = freeMb;
    const space = async () => {
      free -= 10;
      return { free: (free + 10) * MB, total: totalMb * MB };
    };
    return { folder, blobs: createDiskBlobs(folder, { reserve: reserveMb * MB, space }) };
  }

  test('refuses a blob beyond its reserve, and keeps nothing of it', async () => {
    const { folder, blobs } = await nearlyFull(115, 10_000, 100);
    const { id } = await blobs.put(content(1));
    expect((await idsIn(blobs)).map((one) => one.id)).toEqual([id]);
    // There is room when it begins, and not when 16 MB have come.
    await expect(blobs.put(content(40))).rejects.toMatchObject({ code: 'disk_low' });
    await expect(blobs.put(content(1))).rejects.toMatchObject({ code: 'disk_low' });
    expect((await idsIn(blobs)).map((one) => one.id)).toEqual([id]);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    expect(files.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([id]);
  });

  test('has a reserve of a twentieth if it is small', async () => {
    const { blobs } = await nearlyFull(60, 1000, 100);
    await blobs.put(content(1));
    await blobs.put(content(1));
    await expect(blobs.put(content(1))).rejects.toMatchObject({ code: 'disk_low' });
  });
});
