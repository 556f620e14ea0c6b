import { expect, test } from 'vitest';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { createSourceStore, type SourceStore } from './source-store.ts';

const of = { flow: 'f', node: 'source', operator: 'trigger.poll' };
const DAY = 86_400_000;

onBothDatabases(weftMigrations, (make) => {
  async function open(): Promise<{ store: SourceStore; again: SourceStore; clock: { now: number } }> {
    const { sql, again } = await make();
    const clock = { now: 100 * DAY };
    const now = (): number => clock.now;
    return {
      store: createSourceStore(sql, now),
      again: createSourceStore(await again(), now, 'other'),
      clock,
    };
  }

  test('each source has a cursor; another operator begins without one', async () => {
    const { store, again } = await open();
    expect(await store.cursor(of)).toBeUndefined();
    await store.keep(of, { at: 1 });
    await store.keep(of, { at: 2 });
    expect(await store.cursor(of)).toEqual({ at: 2 });
    expect(await store.cursor({ ...of, node: 'other' })).toBeUndefined();
    expect(await store.cursor({ ...of, operator: 'trigger.feed' })).toBeUndefined();
    expect(await again.cursor(of)).toBeUndefined();
  });

  test('an item is noted once, also by two at the same time', async () => {
    const { store, again } = await open();
    const noted = await Promise.all([store.note(of, ['a']), store.note(of, ['a']), store.note(of, ['a'])]);
    expect(noted.sort()).toEqual([0, 0, 1]);
    const many = Array.from({ length: 1201 }, (_, i) => `n${i}`);
    expect(await store.note(of, ['a', ...many])).toBe(1201);
    expect([await store.knows(of, 'a'), await store.knows(of, 'n1200'), await store.knows(of, 'b')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await again.knows(of, 'a')).toBe(false);
    await store.forget(of, 'a');
    expect(await store.knows(of, 'a')).toBe(false);
  });

  test('an item is forgotten 60 days after it was last delivered', async () => {
    const { store, clock } = await open();
    await store.note(of, ['met', 'gone']);
    clock.now += 50 * DAY;
    expect(await store.knows(of, 'met')).toBe(true);
    clock.now += 20 * DAY;
    await store.prune();
    expect([await store.knows(of, 'met'), await store.knows(of, 'gone')]).toEqual([true, false]);
  });
});
