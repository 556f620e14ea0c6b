import { expect, test } from 'vitest';
import type { Migration } from '../migration.ts';
import { first, place, wider } from './migrate-postgres.contract.ts';
import { migratePostgres } from './open-postgres.ts';

// Tests that wait for seconds are in `migrate-postgres.full.test.ts`.
test('a statement that was prepared before is executed after it, alone and in a transaction', async () => {
  const { url, sql } = await place();
  const read = 'SELECT * FROM thing';
  const inside = () => sql.transaction(async (tx) => (await tx.all(read)).length);
  for (const n of [2, 3]) {
    // On all ten connections.
    await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? inside() : sql.all(read))));
    await migratePostgres(url, [first, wider(2), wider(3)].slice(0, n));
    const rows = await sql.all(read);
    expect(Object.keys(rows[0] as object)).toHaveLength(n);
    expect(await Promise.all(Array.from({ length: 20 }, inside))).toEqual(
      Array.from({ length: 20 }, () => 1),
    );
  }
});

test('if a transaction does not end, it changes nothing and reports what to do', async () => {
  const { url, sql, psql } = await place();
  const held = Promise.withResolvers<void>();
  const reading = Promise.withResolvers<void>();
  const open = psql.begin(async (tx) => {
    await tx`SELECT * FROM thing`;
    reading.resolve();
    await held.promise;
  });
  await reading.promise;
  const refused = migratePostgres(url, [first, wider(2)], { patienceMs: 1000 });
  await expect(refused).rejects.toThrow(/^database_in_use: .*pg_dump.*start again\.$/);
  expect(await sql.all('SELECT n FROM migration')).toEqual([{ n: 1 }]);
  held.resolve();
  await open;
});

test('it gives way to a transaction of a server that holds one table and wants the other', async () => {
  const { url, sql } = await place();
  const both: Migration = {
    n: 2,
    name: 'both',
    statements: ['thing', 'other'].map((table) => `ALTER TABLE ${table} ADD COLUMN later TEXT`),
  };
  const held = Promise.withResolvers<void>();
  let tries = 0;
  const work = sql.transaction(async (tx) => {
    tries++;
    await tx.run("INSERT INTO other (id) VALUES ('x')");
    await held.promise;
    await tx.run("INSERT INTO thing (id) VALUES ('x')");
  });
  const migrated = migratePostgres(url, [first, both]);
  setTimeout(held.resolve, 300);
  await work;
  expect(await migrated).toEqual(['2 both']);
  expect(tries).toBe(1);
});
