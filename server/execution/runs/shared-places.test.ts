import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { createLocalBus } from '../../storage/database/bus.ts';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { liveFlow } from '../../api/triggers/testing/live-flow.ts';
import type { Leave } from '../../flows/service/run-request.ts';
import { RunLimits } from './run-limits.ts';
import { createSharedPlaces, PLACE_MS, type SharedPlace } from './shared-places.ts';

const warn = (error: unknown): void => {
  throw error;
};

onBothDatabases(weftMigrations, (make) => {
  /** Servers on one database, with one clock. */
  async function bed(count = 2) {
    const { sql } = await make();
    const clock = { now: 1_700_000_000_000 };
    const bus = createLocalBus(warn);
    const open = (node: string) => createSharedPlaces({ sql, bus, node, now: () => clock.now, warn });
    const all = Array.from({ length: count }, (_, i) => open(`server ${i}`));
    onTestFinished(() => {
      for (const one of all) one.close();
    });
    return { sql, clock, bus, all, first: all[0] as (typeof all)[0], second: all[1] as (typeof all)[0] };
  }

  test('SL1: many servers that ask at once get exactly the existing places', async () => {
    const { all, second } = await bed(4);
    const asked = Array.from({ length: 40 }, async (_, i) => all[i % 4]?.take('f', 5));
    const places = (await Promise.all(asked)).filter((place) => place !== undefined);
    expect(places.length).toBeLessThanOrEqual(5);
    // A server that lost a place to another one may ask again.
    while (places.length < 5) places.push((await second.take('f', 5)) as SharedPlace);
    expect(await second.take('f', 5)).toBeUndefined();
    expect(await second.take('other', 1)).toBeDefined();
    places[0]?.leave();
    places[0]?.leave();
    await eventually(async () => expect(await second.take('f', 5)).toBeDefined());
    expect(await second.take('f', 5)).toBeUndefined();
  });

  test('SL1: a limit that was lowered waits until fewer runs are in progress', async () => {
    const { first, second } = await bed();
    const places = await Promise.all(Array.from({ length: 3 }, () => first.take('f', 3)));
    places[0]?.leave();
    await eventually(async () => {
      const place = await second.take('f', 3);
      expect(place).toBeDefined();
      place?.leave();
    });
    expect(await second.take('f', 2)).toBeUndefined();
  });

  test('SL2: the places of a server that died are free after half a minute', async () => {
    const { clock, first, second } = await bed();
    await first.take('f', 1);
    clock.now += PLACE_MS;
    expect(await second.take('f', 1)).toBeUndefined();
    clock.now += 1;
    expect(await second.take('f', 1)).toBeDefined();
  });

  test('SL2: a place is renewed, and a place that another server has taken ends its run', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { sql, clock, first, second } = await bed();
    const place = await first.take('f', 1);
    const stop = vi.fn();
    place?.whenLost(stop);
    for (let i = 0; i < 20; i++) {
      clock.now += 5000;
      await vi.advanceTimersByTimeAsync(5000);
      await eventually(async () =>
        expect(await sql.first('SELECT until FROM limit_place')).toEqual({ until: clock.now + PLACE_MS }),
      );
    }
    expect(await second.take('f', 1)).toBeUndefined();
    expect(stop).not.toHaveBeenCalled();
    clock.now += PLACE_MS + 1;
    expect(await second.take('f', 1)).toBeDefined();
    await vi.advanceTimersByTimeAsync(5000);
    await eventually(() => expect(stop).toHaveBeenCalledTimes(1));
  });

  test('C8: runs that wait on several servers all start, never more than the limit at once', async () => {
    const { all } = await bed(3);
    const limits = all.map((places) => new RunLimits(places));
    const of = {
      flow: liveFlow('f', {}, { maxRuns: 2 }),
      request: { method: 'POST', query: {}, params: {}, headers: {}, body: {} },
    };
    let atWork = 0;
    let most = 0;
    let done = 0;
    const work = (leave: Leave): void => {
      most = Math.max(most, ++atWork);
      setTimeout(() => {
        atWork--;
        done++;
        leave();
      }, 5);
    };
    for (let i = 0; i < 30; i++) limits[i % 3]?.wait(of, work);
    await expect(limits[0]?.place(of)).rejects.toMatchObject({ code: 'too_many_runs' });
    await eventually(() => expect(done).toBe(30));
    expect(most).toBe(2);
    expect(limits.flatMap((one) => one.all())).toEqual([]);
  });
});
