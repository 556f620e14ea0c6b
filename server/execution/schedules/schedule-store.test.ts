import { describe, expect, test } from 'vitest';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { createScheduleStore, type ScheduleStore } from './schedule-store.ts';
import { MemorySchedules } from './testing/memory-schedules.ts';

const hourly = { flow: 'f', node: 'clock', pattern: '0 * * * * UTC' };
const daily = { ...hourly, pattern: '0 0 * * * UTC' };

/** The contract of every schedule store. `open` gives an empty one. */
function scheduleContract(name: string, open: () => ScheduleStore | Promise<ScheduleStore>): void {
  describe(`schedules ${name}`, () => {
    test('are done up to the last noted time', async () => {
      const store = await open();
      expect(await store.last(hourly)).toBeUndefined();
      expect(await store.seen(hourly, { from: undefined, to: 1000 })).toBe(true);
      expect(await store.seen(hourly, { from: 1000, to: 2000 })).toBe(true);
      expect(await store.last(hourly)).toBe(2000);
      expect(await store.last({ ...hourly, node: 'other' })).toBeUndefined();
    });

    test('with another pattern are new ones', async () => {
      const store = await open();
      await store.seen(hourly, { from: undefined, to: 1000 });
      expect(await store.last(daily)).toBeUndefined();
      expect(await store.seen(daily, { from: undefined, to: 3000 })).toBe(true);
      expect([await store.last(hourly), await store.last(daily)]).toEqual([undefined, 3000]);
    });

    test('are paused by the first who pauses them until they go on, whatever their pattern', async () => {
      const store = await open();
      expect([await store.pauseOf(hourly), await store.paused()]).toEqual([undefined, []]);
      await store.resume(hourly, 5);
      await store.pause(hourly, { by: 'Ada', at: 10 });
      await store.pause(daily, { by: 'Bob', at: 20 });
      expect(await store.pauseOf(daily)).toMatchObject({ at: 10, until: undefined });
      expect(await store.paused()).toMatchObject([{ flow: 'f', node: 'clock', by: 'Ada', at: 10 }]);
      expect(await store.pauseOf({ ...hourly, node: 'other' })).toBeUndefined();
      await store.resume(hourly, 30);
      await store.resume(hourly, 40);
      expect([await store.pauseOf(hourly), await store.paused()]).toMatchObject([{ at: 10, until: 30 }, []]);
      await store.pause(hourly, { by: 'Bob', at: 50 });
      expect(await store.pauseOf(hourly)).toMatchObject({ at: 50, until: undefined });
    });

    test('two that note a time at once: one of them succeeds', async () => {
      const store = await open();
      const begun = await Promise.all([1, 2, 3].map((to) => store.seen(hourly, { from: undefined, to })));
      expect(begun.filter(Boolean)).toHaveLength(1);
      const from = await store.last(hourly);
      const noted = await Promise.all([5000, 6000, 7000].map((to) => store.seen(hourly, { from, to })));
      expect(noted.filter(Boolean)).toHaveLength(1);
      expect(await store.last(hourly)).toBe([5000, 6000, 7000][noted.indexOf(true)]);
    });
  });
}

scheduleContract('in memory', () => new MemorySchedules());
onBothDatabases(weftMigrations, (make) => {
  scheduleContract('in rows', async () => createScheduleStore((await make()).sql));

  test('two processes note each time once, and projects are kept apart', async () => {
    const { sql, again } = await make();
    const stores = [createScheduleStore(sql), createScheduleStore(await again())];
    const other = createScheduleStore(sql, 'other');
    expect(await other.seen(hourly, { from: undefined, to: 7 })).toBe(true);
    let last: number | undefined;
    for (let to = 1000; to < 5000; to += 1000) {
      const noted = await Promise.all(stores.map((store) => store.seen(hourly, { from: last, to })));
      expect(noted.filter(Boolean)).toHaveLength(1);
      last = to;
    }
    expect(await other.last(hourly)).toBe(7);
  });
});
