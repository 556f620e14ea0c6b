import { expect, test } from 'vitest';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { createUsageStore, type UsageEntry } from './usage-store.ts';

const DAY = 86_400_000;

const entry = (given: Partial<UsageEntry>): UsageEntry => ({
  at: 0,
  flow: 'f',
  key: '',
  model: 'm',
  tokens: { input: 10, output: 5 },
  cost: undefined,
  ...given,
});

onBothDatabases(weftMigrations, (make) => {
  test('calls are summed by day, flow, model and key, including those in progress', async () => {
    const { sql, again } = await make();
    const [one, two] = [createUsageStore(sql), createUsageStore(await again())];
    await two.add(entry({ at: DAY, flow: 'g', key: 'k', cost: 0.5 }));
    const adding = Promise.all([
      one.add(entry({ cost: 0.0001 })),
      one.add(entry({ cost: 0.0002, tokens: { input: 1, output: 1, cached: 1 } })),
      one.add(entry({ model: 'n' })),
    ]);
    expect(await one.sum({ by: 'model' })).toEqual({
      by: 'model',
      rows: [
        { name: 'm', calls: 3, tokens: { input: 21, output: 11, cached: 1 }, cost: 0.5003, unpriced: 0 },
        { name: 'n', calls: 1, tokens: { input: 10, output: 5, cached: 0 }, cost: 0, unpriced: 1 },
      ],
      total: { calls: 4, tokens: { input: 31, output: 16, cached: 1 }, cost: 0.5003, unpriced: 1 },
    });
    await adding;
    const names = async (query: Parameters<typeof one.sum>[0]) =>
      (await one.sum(query)).rows.map(({ name, calls }) => [name, calls]);
    expect(await names({ by: 'day' })).toEqual([
      ['1970-01-01', 3],
      ['1970-01-02', 1],
    ]);
    expect(await names({ by: 'flow', since: '1970-01-02' })).toEqual([['g', 1]]);
    expect(await names({ by: 'key', until: '1970-01-01' })).toEqual([['', 3]]);
  });

  test('nothing is counted twice or lost by two processes, and projects are kept apart', async () => {
    const { sql, again } = await make();
    const stores = [createUsageStore(sql), createUsageStore(await again()), createUsageStore(sql, 'other')];
    const all = Array.from({ length: 10 }, () => stores).flat();
    await Promise.all(all.map((store) => store.add(entry({ cost: 1 }))));
    const sums = await Promise.all(stores.map((store) => store.sum({ by: 'key' })));
    expect(sums.map(({ total }) => [total.calls, total.cost])).toEqual([
      [20, 20],
      [20, 20],
      [10, 10],
    ]);
  });

  test('without calls all sums are zero', async () => {
    const { sql } = await make();
    const { rows, total } = await createUsageStore(sql).sum({ by: 'day' });
    expect([rows, total]).toEqual([
      [],
      { calls: 0, tokens: { input: 0, output: 0, cached: 0 }, cost: 0, unpriced: 0 },
    ]);
  });
});
