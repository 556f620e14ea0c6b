import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { Migration } from './migration.ts';
import { onBothDatabases } from './testing/databases.ts';

const tables: readonly Migration[] = [
  {
    n: 1,
    name: 'things',
    statements: [
      `CREATE TABLE thing (
        id TEXT NOT NULL, size INTEGER NOT NULL, part REAL, bytes BLOB, PRIMARY KEY (id)
      ) STRICT, WITHOUT ROWID`,
      'CREATE TABLE other (id TEXT PRIMARY KEY) STRICT',
    ],
  },
];

interface Thing {
  readonly id: string;
  readonly size: number;
  readonly part: number | null;
  readonly bytes: Uint8Array | null;
}

const PUT = 'INSERT INTO thing (id, size, part, bytes) VALUES (?, ?, ?, ?)';

onBothDatabases(tables, (make) => {
  test('values come back as they were, whatever they are', async () => {
    const { sql } = await make();
    const value = fc.tuple(
      fc.string({ unit: 'grapheme' }),
      fc.maxSafeInteger(),
      fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      fc.option(fc.uint8Array()),
    );
    await fc.assert(
      fc.asyncProperty(value, async ([id, size, part, bytes]) => {
        await sql.run('DELETE FROM thing');
        await sql.run(PUT, id, size, part, bytes);
        const row = (await sql.first<Thing>('SELECT * FROM thing WHERE id = ?', id)) as Thing;
        expect([row.id, row.size, row.bytes && [...row.bytes]]).toEqual([id, size, bytes && [...bytes]]);
        // A database may give the other zero.
        expect(row.part === null ? null : row.part + 0).toBe(part === null ? null : part + 0);
      }),
      { numRuns: 60, examples: [[['a\0b\uFDD0\uFDD1', 1, 0.5, new Uint8Array([0])]]] },
    );
  });

  test('texts are ordered by their bytes', async () => {
    const { sql } = await make();
    await sql.batch(['b', 'B', 'ä', 'a', '_', '~'].map((id) => [PUT, id, 1, null, null]));
    const rows = await sql.all<Thing>('SELECT id FROM thing ORDER BY id');
    expect(rows.map(({ id }) => id)).toEqual(['B', '_', 'a', 'b', '~', 'ä']);
  });

  test('a write returns the number of changed rows, and every connection sees it', async () => {
    const { sql, again } = await make();
    expect(
      await sql.batch([[PUT, 'a', 1, null, null], [PUT, 'b', 2, null, null], ['UPDATE thing SET size = 3']]),
    ).toEqual([1, 1, 2]);
    expect(await sql.run('DELETE FROM thing WHERE id = ?', 'none')).toBe(0);
    const other = await again();
    expect(await other.all('SELECT id, size FROM thing ORDER BY id')).toEqual([
      { id: 'a', size: 3 },
      { id: 'b', size: 3 },
    ]);
  });

  test('a batch with an error changes nothing, and the connection stays good', async () => {
    const { sql } = await make();
    await expect(
      sql.batch([
        [PUT, 'a', 1, null, null],
        [PUT, 'a', 2, null, null],
      ]),
    ).rejects.toThrow();
    await expect(sql.run('INSERT INTO nowhere VALUES (1)')).rejects.toThrow(/nowhere/);
    expect(await sql.all('SELECT id FROM thing')).toEqual([]);
    expect(await sql.run(PUT, 'a', 1, null, null)).toBe(1);
  });

  test('each of several concurrent writes takes effect as a whole or not at all', async () => {
    const { sql } = await make();
    const put = (id: string) => [PUT, id, 1, null, null] as const;
    const done = await Promise.allSettled([
      sql.run(...put('a')),
      sql.batch([put('b'), put('b')]),
      sql.run('INSERT INTO nowhere VALUES (1)'),
      sql.batch([put('c'), put('d')]),
      sql.batch([put('e'), ['UPDATE thing SET size = 3 WHERE id = ?', 'e']], { synced: true }),
      sql.run(...put('f')),
    ]);
    expect(done.map((each) => (each.status === 'fulfilled' ? each.value : 'refused'))).toEqual([
      1,
      'refused',
      'refused',
      [1, 1],
      [1, 1],
      1,
    ]);
    const rows = await sql.all<Thing>('SELECT id FROM thing ORDER BY id');
    expect(rows.map(({ id }) => id)).toEqual(['a', 'c', 'd', 'e', 'f']);
  });

  test('a transaction takes effect as a whole or not at all, and returns the result of its work', async () => {
    const { sql } = await make();
    const given = await sql.transaction(async (tx) => {
      await tx.run(PUT, 'a', 1, null, null);
      return await tx.first<Thing>('SELECT size FROM thing WHERE id = ?', 'a');
    });
    expect(given).toEqual({ size: 1 });
    const failing = sql.transaction(async (tx) => {
      await tx.run(PUT, 'b', 1, null, null);
      throw new Error('changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    expect(await sql.all('SELECT id FROM thing')).toEqual([{ id: 'a' }]);
  });

  test('transactions and single writes of two connections happen as if one after the other', async () => {
    const { sql, again } = await make();
    const other = await again();
    await sql.run(PUT, 'sum', 0, null, null);
    const add = (to: typeof sql) =>
      to.transaction(
        async (tx) => {
          const { size } = (await tx.first<Thing>("SELECT size FROM thing WHERE id = 'sum'")) as Thing;
          await tx.run("UPDATE thing SET size = ? WHERE id = 'sum'", size + 1);
        },
        { synced: true },
      );
    const single = (to: typeof sql, at: number) => to.run(PUT, `s${at}`, 1, null, null);
    const work = Array.from({ length: 40 }, (_, at) => {
      const to = at % 2 === 0 ? sql : other;
      return at % 5 === 0 ? single(to, at) : add(to);
    });
    await Promise.all(work);
    expect(await sql.first("SELECT size FROM thing WHERE id = 'sum'")).toEqual({ size: 32 });
    expect(await sql.first("SELECT count(*) AS n FROM thing WHERE id LIKE 's_%' AND id <> 'sum'")).toEqual({
      n: 8,
    });
  });

  test('single writes wait for a transaction that was begun before them', async () => {
    const { sql } = await make();
    await sql.run(PUT, 'x', 0, null, null);
    const sizes: Thing[] = [];
    const transaction = sql.transaction(async (tx) => {
      sizes.length = 0;
      for (let at = 0; at < 10; at++) sizes.push((await tx.first<Thing>('SELECT size FROM thing')) as Thing);
    });
    await Promise.all([
      transaction,
      sql.run('UPDATE thing SET size = size + 1'),
      sql.run('UPDATE thing SET size = size + 1'),
    ]);
    expect(new Set(sizes.map(({ size }) => size)).size).toBe(1);
    expect(await sql.first('SELECT size FROM thing')).toEqual({ size: 2 });
  });

  test('a closed database refuses requests', async () => {
    const { again } = await make();
    const sql = await again();
    const last = sql.run(PUT, 'last', 1, null, null);
    await sql.close();
    expect(await last).toBe(1);
    await expect(sql.run(PUT, 'late', 1, null, null)).rejects.toThrow();
  });
});
