import { expect, test } from 'vitest';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { createHookStore } from './hook-store.ts';

const row = (key: string, node = 'called') => ({
  ...{ key, flow: 'f', node, operator: 'github.events', use: 'live' as const, of: 'x', base: 'https://a' },
  ...{ params: '{}', listens_until: 0 },
});

onBothDatabases(weftMigrations, (make) => {
  async function open() {
    const { sql, again } = await make();
    return { store: createHookStore(sql), other: createHookStore(await again(), 'other') };
  }

  test('a registration is kept as it was changed, until it is removed', async () => {
    const { store, other } = await open();
    await store.add(row('a'));
    await store.change('a', { remote: '7', registered_at: 1_800_000_000_000, turn: 2, problem: null });
    expect(await store.find('a')).toMatchObject({
      ...{ key: 'a', of: 'x', remote: '7', registered_at: 1_800_000_000_000, turn: 2, current: 0 },
      ...{ problem: null, sealed: null },
    });
    expect(await other.find('a')).toBeUndefined();
    await store.remove('a');
    expect(await store.all()).toEqual([]);
  });

  test('of a trigger one is current', async () => {
    const { store } = await open();
    await store.add(row('a'));
    await store.add(row('b'));
    await store.add(row('c', 'other'));
    for (const key of ['a', 'c', 'b'])
      await store.makeCurrent({ ...row(key, key === 'c' ? 'other' : 'called') });
    const current = (await store.all()).filter((one) => one.current === 1);
    expect(current.map(({ key }) => key)).toEqual(['b', 'c']);
    expect((await store.ofNode('f', 'called')).map(({ key }) => key)).toEqual(['a', 'b']);
  });
});
