import { expect, test } from 'vitest';
import { wholeScans } from '../../storage/database/testing/whole-scans.ts';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { createSessionStore, type StoredSession } from './session-store.ts';

const DAY = 86_400_000;

function session(name: string, expiresAt = DAY): StoredSession {
  return { hash: name, expiresAt };
}

onBothDatabases(weftMigrations, (make) => {
  const open = (
    sql: Awaited<ReturnType<typeof make>>['sql'],
    more: { password?: string; project?: string } = {},
  ) => createSessionStore(sql, { now: () => 0, password: undefined, ...more });

  test('a session is found by its hash until it is removed, by other processes too', async () => {
    const { sql, again } = await make();
    const [ours, theirs] = [open(sql), open(await again())];
    expect(await ours.find('a')).toBeUndefined();
    await ours.add(session('a', 5 * DAY));
    expect([await ours.find('a'), await theirs.find('a'), await theirs.find('b')]).toEqual([
      5 * DAY,
      5 * DAY,
      undefined,
    ]);
    await theirs.remove('a');
    expect(await ours.find('a')).toBeUndefined();
  });

  test('an end is put off, never brought forward, and never for a session that was removed', async () => {
    const { sql } = await make();
    const store = open(sql);
    await store.add(session('a', 2 * DAY));
    await store.extend(session('a', 3 * DAY));
    await store.extend(session('a', DAY));
    await store.extend(session('gone', 3 * DAY));
    expect([await store.find('a'), await store.find('gone')]).toEqual([3 * DAY, undefined]);
  });

  test('beyond 200 those that end first are dropped, and a new one never is', async () => {
    const { sql } = await make();
    const store = open(sql);
    const all = Array.from({ length: 200 }, (_, at) => session(`s${at}`, DAY + at));
    for (const one of all) await store.add(one);
    await store.add(session('new', 1));
    const left = await sql.all<{ hash: string }>('SELECT hash FROM sessions');
    expect(left.map(({ hash }) => hash).toSorted()).toEqual(
      [...all.slice(1).map(({ hash }) => hash), 'new'].toSorted(),
    );
  });

  test('those that have ended go with the next sign-in', async () => {
    const { sql } = await make();
    await open(sql).add(session('over', 1));
    await createSessionStore(sql, { now: () => 2, password: undefined }).add(session('new'));
    expect(await sql.all('SELECT hash FROM sessions')).toEqual([{ hash: 'new' }]);
  });

  test('another password finds none, stands nowhere, and its first sign-in ends them for good', async () => {
    const { sql } = await make();
    const store = open(sql, { password: 'correct horse' });
    await store.add(session('b'));
    expect(await open(sql, { password: 'correct horse' }).find('b')).toBe(DAY);
    const changed = open(sql, { password: 'battery staple' });
    expect(await changed.find('b')).toBeUndefined();
    expect(JSON.stringify(await sql.all('SELECT * FROM sessions'))).not.toContain('horse');
    await changed.add(session('c'));
    expect(await store.find('b')).toBeUndefined();
  });

  test('all are removed at once, those of other projects stay', async () => {
    const { sql } = await make();
    const [ours, theirs] = [open(sql), open(sql, { project: 'other' })];
    await ours.add(session('a'));
    await ours.add(session('b'));
    await theirs.add(session('a'));
    expect(await theirs.find('b')).toBeUndefined();
    await ours.removeAll();
    expect([await ours.find('a'), await ours.find('b'), await theirs.find('a')]).toEqual([
      undefined,
      undefined,
      DAY,
    ]);
  });
});

test('a request for a session reads no whole table', async () => {
  const scans = await wholeScans(weftMigrations, async (sql) => {
    const store = createSessionStore(sql, { now: () => 0, password: undefined });
    await store.find('a');
    await store.extend(session('a'));
    await store.remove('a');
  });
  expect(scans).toEqual([]);
});
