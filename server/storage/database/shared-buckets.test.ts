import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import type { Rate, Taken } from '../../base/rates/buckets.ts';
import { createSharedBuckets } from './shared-buckets.ts';
import type { Sql } from './sql.ts';
import { onBothDatabases } from './testing/databases.ts';
import { weftMigrations } from './weft-tables.ts';

onBothDatabases(weftMigrations, (make) => {
  async function bed(rate: Rate, count = 2) {
    const { sql } = await make();
    const clock = { now: 1_700_000_000_000, asked: 0 };
    const counting: Sql = { ...sql, first: (...of) => (clock.asked++, sql.first(...of)) };
    const warned: unknown[] = [];
    const warn = (error: unknown): void => void warned.push(error);
    const servers = Array.from({ length: count }, () =>
      createSharedBuckets({ sql: counting, now: () => clock.now, warn }),
    );
    onTestFinished(() => {
      for (const one of servers) one.close();
    });
    const all = servers.map((one) => one.of('trigger f', rate));
    const take = async (server: number, mayWaitMs = 0, name = 'ann'): Promise<Taken> =>
      (all[server % count] as (typeof all)[0]).take(name, mayWaitMs);
    return { sql, clock, warned, all, take };
  }
  const granted = (all: readonly Taken[]): number => all.filter((one) => one.granted).length;

  test('SB1: servers together grant what one bucket would', async () => {
    const { clock, take } = await bed({ count: 10, perMs: 1000, burst: 20 }, 3);
    expect(granted(await Promise.all(Array.from({ length: 60 }, (_, i) => take(i))))).toBe(20);
    const refused = await take(0);
    expect(refused).toMatchObject({ granted: false, waitMs: 100, left: 0 });
    clock.now += 1000;
    expect(granted(await Promise.all(Array.from({ length: 60 }, (_, i) => take(i))))).toBe(10);
    expect(await take(0, 0, 'bob')).toMatchObject({ granted: true });
  });

  test('SB1: most calls of a large limit ask nothing, and what was not granted goes back', async () => {
    const { sql, clock, take } = await bed({ count: 1000, perMs: 60_000, burst: 1000 }, 1);
    for (let i = 0; i < 200; i++) await take(0);
    expect(clock.asked).toBeLessThan(8);
    const fullAt = async (): Promise<number> =>
      (await sql.first<{ full_at: number }>('SELECT full_at FROM rate_bucket'))?.full_at ?? 0;
    expect(await fullAt()).toBeGreaterThan(clock.now + 200 * 60);
    clock.now += 2000;
    await eventually(async () => expect(await fullAt()).toBeCloseTo(clock.now - 2000 + 200 * 60, 3));
  });

  test('SB2: a bucket that is empty is not asked again before it has something', async () => {
    const { clock, take } = await bed({ count: 1, perMs: 1000, burst: 1 }, 1);
    await take(0);
    await take(0);
    const { asked } = clock;
    for (let i = 0; i < 50; i++) expect((await take(0)).granted).toBe(false);
    expect(clock.asked).toBe(asked);
    clock.now += 1000;
    expect((await take(0)).granted).toBe(true);
  });

  test('turns that are waited for are handed out once, and one that is given back goes to the next', async () => {
    const { all, take } = await bed({ count: 1, perMs: 1000, burst: 1 });
    const waits: number[] = [];
    for (let i = 0; i < 4; i++) waits.push((await take(i, 10_000)).waitMs);
    expect(waits).toEqual([0, 1000, 2000, 3000]);
    all[0]?.giveBack('ann', 1000);
    expect((await take(0, 10_000)).waitMs).toBe(1000);
    expect((await take(0, 10_000)).waitMs).toBe(4000);
    expect(await take(1, 4000)).toMatchObject({ granted: false, waitMs: 1000 });
  });

  test('SB3: without the database each server counts for itself', async () => {
    const { sql, warned, take } = await bed({ count: 1, perMs: 1000, burst: 2 });
    await sql.run('DROP TABLE rate_bucket');
    expect(granted([await take(0), await take(0), await take(0), await take(1)])).toBe(3);
    expect(warned).toHaveLength(2);
  });
});
