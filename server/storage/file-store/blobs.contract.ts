import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Blobs } from './blobs.ts';

export async function* piecesOf(...pieces: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece as string);
}

export async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of content) all.push(Uint8Array.from(piece));
  return Buffer.concat(all);
}

export async function idsIn(blobs: Blobs): Promise<{ readonly id: string; readonly at: number }[]> {
  const all: { readonly id: string; readonly at: number }[] = [];
  for await (const one of blobs.ids()) all.push(one);
  return all;
}

/** The contract of every store of blobs. `make` gives an empty one. */
export function blobsContract(name: string, make: () => Promise<Blobs>): void {
  describe(`blobs ${name}`, () => {
    test('gives back what was stored, whole and in part', async () => {
      const blobs = await make();
      const content = randomBytes(700_000);
      const stored = await blobs.put(
        piecesOf(content.subarray(0, 3), content.subarray(3, 300_000), content.subarray(300_000)),
      );
      const sha256 = createHash('sha256').update(content).digest('hex');
      expect(stored).toEqual({ id: stored.id, bytes: 700_000, sha256 });
      expect(stored.id).not.toContain(sha256.slice(0, 8));
      expect((await bytesOf(await blobs.open(stored.id))).equals(content)).toBe(true);
      const part = await bytesOf(await blobs.open(stored.id, { first: 299_999, last: 300_001 }));
      expect(part.equals(content.subarray(299_999, 300_002))).toBe(true);
    });

    test('stores nothing as nothing, and the same content twice', async () => {
      const blobs = await make();
      const [none, one, two] = [
        await blobs.put(piecesOf()),
        await blobs.put(piecesOf('x')),
        await blobs.put(piecesOf('x')),
      ];
      expect(await bytesOf(await blobs.open(none.id))).toEqual(Buffer.alloc(0));
      expect(one.id).not.toBe(two.id);
      await blobs.remove(one.id);
      expect((await bytesOf(await blobs.open(two.id))).toString()).toBe('x');
    });

    test('keeps nothing of content that fails', async () => {
      const blobs = await make();
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield randomBytes(400_000);
        throw new Error('It broke off.');
      }
      await expect(blobs.put(failing())).rejects.toThrow('It broke off.');
      expect(await idsIn(blobs)).toEqual([]);
    });

    test('lists the blobs, and rejects an id without one', async () => {
      const blobs = await make();
      const before = Date.now();
      const { id } = await blobs.put(piecesOf('x'));
      const [only] = await idsIn(blobs);
      expect(only?.id).toBe(id);
      // A file system, or a database, reads a clock of its own.
      expect(only?.at).toBeGreaterThan(before - 60_000);
      expect(only?.at).toBeLessThan(Date.now() + 60_000);
      await blobs.remove(id);
      await blobs.remove(id);
      expect(await idsIn(blobs)).toEqual([]);
      for (const unknown of [id, '../../etc/passwd', ''])
        await expect(blobs.open(unknown)).rejects.toMatchObject({ code: 'file_gone' });
    });
    readingContract(make);
  });
}

function readingContract(make: () => Promise<Blobs>): void {
  test('is read to its end by who reads it while it is removed', async () => {
    const blobs = await make();
    const content = randomBytes(700_000);
    const { id } = await blobs.put(piecesOf(content));
    const read: Uint8Array[] = [];
    for await (const piece of await blobs.open(id)) {
      if (read.length === 0) await blobs.remove(id);
      read.push(Uint8Array.from(piece));
    }
    expect(Buffer.concat(read).equals(content)).toBe(true);
    await expect(blobs.open(id)).rejects.toMatchObject({ code: 'file_gone' });
  });

  test('gives any part, also one that begins or ends with a piece or beyond the end', async () => {
    const blobs = await make();
    const content = randomBytes(300_000);
    const { id } = await blobs.put(piecesOf(content));
    for (const [first, last] of [
      [0, 0],
      [0, 131_071],
      [131_072, 262_143],
      [131_071, 131_072],
      [299_999, 299_999],
      [299_990, 400_000],
      [5, 4],
    ] as const)
      expect(
        (await bytesOf(await blobs.open(id, { first, last }))).equals(content.subarray(first, last + 1)),
      ).toBe(true);
  });
}
