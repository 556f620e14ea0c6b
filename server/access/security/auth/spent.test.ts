import { expect, test } from 'vitest';
import { eventually } from '../../../../tests/support/eventually.ts';
import { onBothDatabases } from '../../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../../storage/database/weft-tables.ts';
import { spentContract } from './spent.contract.ts';
import { createSpent } from './spent.ts';
import { createSqlSpent } from './sql-spent.ts';

const warn = (error: unknown): void => {
  throw error;
};

spentContract('in memory', (now) => {
  const spent = createSpent(now);
  return { spent, other: spent };
});

onBothDatabases(weftMigrations, (make) => {
  spentContract('in a database', async (now) => {
    const { sql, again } = await make();
    const open = (of: typeof sql) => createSqlSpent({ sql: of, now, warn });
    return { spent: open(sql), other: open(await again()) };
  });

  test('those whose time is over are deleted', async () => {
    const { sql } = await make();
    let time = 0;
    const spent = createSqlSpent({ sql, now: () => time, warn });
    for (let i = 0; i < 5; i++) await spent.spend(`old ${i}`, 50_000);
    time = 60_000;
    await spent.spend('new', 90_000);
    await eventually(async () => {
      const rows = await sql.all<{ until: number }>('SELECT until FROM spent_signature');
      expect(rows).toEqual([{ until: 90_000 }]);
    });
  });
});
