import { expect, test } from 'vitest';
import { openPostgres } from '../../../storage/database/postgres/open-postgres.ts';
import { migratedDatabase } from '../../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../../storage/database/weft-tables.ts';
import { SharedRows } from './shared-rows.ts';

test('two servers with the same keys in opposite order start each run once, and neither is refused', async () => {
  const url = await migratedDatabase();
  const sqls = [await openPostgres(url, weftMigrations), await openPostgres(url, weftMigrations)] as const;
  const [one, other] = sqls.map((sql) => new SharedRows(sql)) as [SharedRows, SharedRows];
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  for (let round = 0; round < 5; round++) {
    const start = (by: SharedRows, name: string) => (n: number) =>
      by.add({
        ...{ run: `${name}-${round}-${n}`, key: `${round}-${n}`, flow: 'f', version: 'v' },
        ...{ input: '{}', texts: [], startedAt: 0 },
      });
    const [mine, second] = await Promise.all([
      Promise.all(numbers.map(start(one, 'one'))),
      Promise.all(numbers.toReversed().map(start(other, 'other'))),
    ]);
    for (const n of numbers) {
      const [known, also] = [mine[n], second.toReversed()[n]];
      expect([known, also].filter((run) => run === undefined)).toHaveLength(1);
      expect([`one-${round}-${n}`, `other-${round}-${n}`]).toContain(known ?? also);
    }
  }
  for (const sql of sqls) await sql.close();
});
