import { expect, test } from 'vitest';
import { onBothDatabases } from '../database/testing/databases.ts';
import { weftMigrations } from '../database/weft-tables.ts';
import { blobsContract, bytesOf, idsIn, piecesOf } from './blobs.contract.ts';
import { createRowBlobs } from './row-blobs.ts';

const DAY = 86_400_000;

onBothDatabases(weftMigrations, (make) => {
  blobsContract('in rows', async () => createRowBlobs((await make()).sql));

  const pieces = (sql: Awaited<ReturnType<typeof make>>['sql']) =>
    sql.first<{ n: number }>('SELECT count(*) AS n FROM blob_pieces');

  test('bytes of a removed blob are deleted an hour later', async () => {
    const { sql } = await make();
    let now = DAY;
    const blobs = createRowBlobs(sql, { now: () => now });
    const { id } = await blobs.put(piecesOf('x'));
    await blobs.remove(id);
    now += 3_600_000;
    await idsIn(blobs);
    expect(await pieces(sql)).toEqual({ n: 1 });
    now++;
    await idsIn(blobs);
    expect(await pieces(sql)).toEqual({ n: 0 });
  });

  test('an incomplete leftover of a killed process is not a blob, and is deleted after a day', async () => {
    const { sql } = await make();
    let now = 0;
    const blobs = createRowBlobs(sql, { now: () => now });
    async function* hanging(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(200_000);
      await new Promise(() => {});
    }
    void blobs.put(hanging());
    await expect.poll(() => pieces(sql)).toEqual({ n: 1 });
    const [row] = await sql.all<{ id: string }>('SELECT id FROM blobs');
    await expect(blobs.open(row?.id ?? '')).rejects.toMatchObject({ code: 'file_gone' });
    now = DAY;
    expect(await idsIn(blobs)).toEqual([]);
    expect(await pieces(sql)).toEqual({ n: 1 });
    now++;
    expect(await idsIn(blobs)).toEqual([]);
    expect([await pieces(sql), await sql.all('SELECT id FROM blobs')]).toEqual([{ n: 0 }, []]);
  });

  test('blobs are those of their project, in every process, and more than a page is listed', async () => {
    const { sql, again } = await make();
    const [ours, theirs] = [createRowBlobs(sql), createRowBlobs(await again())];
    const other = createRowBlobs(sql, { project: 'other' });
    const { id } = await ours.put(piecesOf('x'));
    expect((await bytesOf(await theirs.open(id))).toString()).toBe('x');
    await expect(other.open(id)).rejects.toMatchObject({ code: 'file_gone' });
    await other.remove(id);
    await sql.batch(
      Array.from({ length: 1000 }, (_, at) => [
        'INSERT INTO blobs (project, id, bytes, at) VALUES (?, ?, 0, 0)',
        'default',
        `id-${at}`,
      ]),
    );
    expect(new Set((await idsIn(theirs)).map((one) => one.id)).size).toBe(1001);
    expect(await idsIn(other)).toEqual([]);
  });
});
