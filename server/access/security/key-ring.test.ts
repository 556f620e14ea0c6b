import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDb } from '../../base/adapters/db.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { createKeyRing } from './key-ring.ts';
import { createKeyStore, keptKeys } from './key-store.ts';

const START = Date.parse('2026-05-01T12:00:00Z');

/** A store over a real file, with a test clock. */
async function bed(fromEnvironment: string[] = []) {
  const file = join(await tempFolder(), 'db.json');
  const clock = { now: START };
  const open = async () => {
    const db = await openDb(file);
    const ring = createKeyRing(fromEnvironment, keptKeys(db), () => clock.now);
    return { ring, store: createKeyStore(db, ring, () => clock.now), db };
  };
  return { clock, open, ...(await open()) };
}

const wish = (name: string, more: { expiresAt?: string } = {}) => ({
  name,
  scopes: ['triggers' as const],
  ...more,
});

describe('a key', () => {
  test('opens what it was made for, is kept as a hash only, and outlives a restart', async () => {
    const { store, ring, open, db } = await bed();
    const { key, ...info } = await store.create({ name: 'ci', scopes: ['triggers', 'chat', 'chat'] });
    expect(key).toMatch(/^weft_[\w-]{43}$/);
    expect(info).toEqual({
      id: expect.any(String),
      name: 'ci',
      scopes: ['chat', 'triggers'],
      source: 'kept',
      createdAt: '2026-05-01T12:00:00.000Z',
    });
    expect(ring.find(`Bearer ${key}`)?.name).toBe('key ci');
    expect(JSON.stringify(db.data)).not.toContain(key.slice(5));
    expect(JSON.stringify(store.list())).not.toMatch(/hash|[0-9a-f]{64}/);
    expect((await open()).ring.find(`Bearer ${key}`)?.scopes).toEqual(new Set(['chat', 'triggers']));
  });

  test('that is revoked is good for nothing any more, though it was used before', async () => {
    const { store, ring, open } = await bed();
    const { key } = await store.create(wish('a'));
    const other = await store.create(wish('b'));
    expect(ring.find(`Bearer ${key}`)).toBeDefined();
    await store.revoke('a');
    expect(ring.find(`Bearer ${key}`)).toBeUndefined();
    expect(ring.find(`Bearer ${other.key}`)).toBeDefined();
    const { ring: after, store: again } = await open();
    expect(after.find(`Bearer ${key}`)).toBeUndefined();
    expect(again.list().map(({ name }) => name)).toEqual(['b']);
    await expect(again.revoke('a')).rejects.toMatchObject({ code: 'key_not_found' });
  });

  test('ends at its time, on the millisecond, and the ring can say when that was', async () => {
    const { store, ring, clock } = await bed();
    const { key } = await store.create(wish('short', { expiresAt: '2026-05-01T14:00:00+01:00' }));
    clock.now = Date.parse('2026-05-01T12:59:59.999Z');
    expect(ring.find(`Bearer ${key}`)).toBeDefined();
    expect(ring.expiredAt(`Bearer ${key}`)).toBeUndefined();
    clock.now += 1;
    expect(ring.find(`Bearer ${key}`)).toBeUndefined();
    expect(ring.expiredAt(`Bearer ${key}`)).toBe('2026-05-01T13:00:00.000Z');
    expect(ring.expiredAt('Bearer weft_unknown')).toBeUndefined();
  });

  test('cannot be made to end in the past, nor with a name that is taken', async () => {
    const { store } = await bed();
    for (const expiresAt of ['2026-05-01T12:00:00Z', '2020-01-01T00:00:00Z']) {
      await expect(store.create(wish('late', { expiresAt }))).rejects.toMatchObject({ param: 'expiresAt' });
    }
    const both = await Promise.allSettled([store.create(wish('twin')), store.create(wish('twin'))]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(store.list()).toHaveLength(1);
  });

  test('of the environment is listed and cannot be revoked here', async () => {
    const { store, ring } = await bed(['a-key-of-the-environment']);
    expect(ring.find('Bearer a-key-of-the-environment')?.scopes.has('triggers')).toBe(true);
    expect(store.list()).toMatchObject([{ id: 'WEFT_API_KEYS[0]', source: 'environment' }]);
    expect(JSON.stringify(store.list())).not.toContain('a-key-of');
    await expect(store.revoke('WEFT_API_KEYS[0]')).rejects.toMatchObject({ code: 'key_read_only' });
  });
});

describe('when a key was used last', () => {
  test('is known at once, and written when the uses are', async () => {
    const { store, ring, open, clock, db } = await bed();
    const { key } = await store.create(wish('a'));
    expect(store.list()[0]).not.toHaveProperty('lastUsedAt');
    const before = db.data.keys;
    clock.now += 5000;
    for (let i = 0; i < 100; i++) ring.find(`Bearer ${key}`);
    expect(store.list()[0]?.lastUsedAt).toBe('2026-05-01T12:00:05.000Z');
    expect(db.data.keys).toBe(before);
    await store.writeUses();
    expect((await open()).store.list()[0]?.lastUsedAt).toBe('2026-05-01T12:00:05.000Z');
    const written = db.data.keys;
    await store.writeUses();
    expect(db.data.keys).toBe(written);
  });

  test('is not brought back with a key that was revoked meanwhile', async () => {
    const { store, ring, open } = await bed();
    const { key } = await store.create(wish('a'));
    ring.find(`Bearer ${key}`);
    await Promise.all([store.revoke('a'), store.writeUses()]);
    expect((await open()).store.list()).toEqual([]);
  });
});
