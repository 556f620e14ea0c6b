import { describe, expect, test } from 'vitest';
import type { ConnectionRate } from '#shared/connection.ts';
import { asker, connectionBed, type Made, never } from '../../../testing/connection-bed.ts';

/** A connection `cache` with its actions. */
export async function openCache(
  settings: Made['settings'],
  more: { readonly rate?: ConnectionRate; readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
) {
  const { rate, timeoutMs = 10_000, signal = never } = more;
  const bed = connectionBed();
  await bed.connections.put('cache', {
    kind: 'redis',
    settings,
    grants: { flows: ['f'] },
    ...(rate && { rate }),
  });
  const ask = (action: string, given: Record<string, unknown>, by = asker): Promise<unknown> =>
    bed.connections.actions.ask({ connection: 'cache', kind: 'redis', action, given, timeoutMs }, by, signal);
  return {
    ...bed,
    ask,
    get: (key: string, maxBytes = 10_000_000) => ask('get', { key, maxBytes }),
    set: (key: string, value: string, options: Record<string, unknown> = {}) =>
      ask('set', { key, value, when: 'always', ...options }),
  };
}

export interface RedisUnderTest {
  /** A server whose databases the test may use. */
  open(): Promise<{
    readonly settings: Made['settings'];
    /** Executes a command on its first database, without our client. */
    run(command: readonly (string | Buffer)[]): void | Promise<void>;
  }>;
  /** Settings that the server refuses. */
  readonly stranger: Readonly<Record<string, unknown>>;
}

/** The guarantees of a connection to Redis, with every server. */
export function redisContract(name: string, { open, stranger }: RedisUnderTest): void {
  const settings = async () => (await open()).settings;
  const fresh = (): string => `weft:test:${crypto.randomUUID()}`;

  describe(`a connection to ${name}`, () => {
    test.each([
      ['a text', 'Hello'],
      ['no characters', ''],
      ['other writings', 'Émilie, 日本語, 🎈'],
      ['line ends, and a value that looks like a reply', '\r\n$3\r\nabc\r\n-ERR\r\n\0'],
      ['a byte order mark', '\ufeffHello'],
      ['a megabyte', 'ä'.repeat(500_000)],
    ])('returns %s as it was stored', async (_, value) => {
      const cache = await openCache(await settings());
      const key = fresh();
      expect(await cache.get(key)).toBeNull();
      expect(await cache.set(key, value, { ttlMs: 60_000 })).toBe(true);
      expect(await cache.get(key)).toBe(value);
      expect(cache.connections.counts()).toMatchObject([{ name: 'cache', open: 1 }]);
    });

    test('forgets a value when it expires', async () => {
      const cache = await openCache(await settings());
      const key = fresh();
      await cache.set(key, 'soon gone', { ttlMs: 30 });
      await expect.poll(() => cache.get(key)).toBeNull();
    });

    test('stores only if a value exists, or only if none exists', async () => {
      const cache = await openCache(await settings());
      const key = fresh();
      expect(await cache.set(key, 'a', { when: 'present', ttlMs: 60_000 })).toBe(false);
      expect(await cache.set(key, 'b', { when: 'absent', ttlMs: 60_000 })).toBe(true);
      expect(await cache.set(key, 'c', { when: 'absent', ttlMs: 60_000 })).toBe(false);
      expect(await cache.get(key)).toBe('b');
      expect(await cache.set(key, 'd', { when: 'present', ttlMs: 60_000 })).toBe(true);
      expect(await cache.get(key)).toBe('d');
    });

    test('lets exactly one of many concurrent writers be the first', async () => {
      const cache = await openCache({ ...(await settings()), most: 3 });
      const key = fresh();
      const all = await Promise.all(
        Array.from({ length: 50 }, (_, i) => cache.set(key, String(i), { when: 'absent', ttlMs: 60_000 })),
      );
      expect(all.filter(Boolean)).toHaveLength(1);
      expect(cache.connections.counts()[0]?.open).toBeLessThanOrEqual(3);
    });

    test('reports an error about a key, and continues', async () => {
      const { settings: given, run } = await open();
      const cache = await openCache({ ...given, most: 1 });
      const [list, bytes] = [fresh(), fresh()];
      await run(['LPUSH', list, 'one']);
      await run(['SET', bytes, Buffer.from([0xff, 0xfe, 0x00]), 'PX', '60000']);
      await expect(cache.get(list)).rejects.toMatchObject({
        code: 'action_failed',
        message: 'Redis reported: WRONGTYPE Operation against a key holding the wrong kind of value.',
        data: { word: 'WRONGTYPE' },
        transient: false,
      });
      await expect(cache.get(bytes)).rejects.toMatchObject({ code: 'bad_answer' });
      expect(await cache.get(fresh())).toBeNull();
      expect(cache.connections.counts()).toMatchObject([{ open: 1 }]);
    });

    test('refuses a value that is too large, and continues', async () => {
      const cache = await openCache({ ...(await settings()), most: 1 });
      const key = fresh();
      await cache.set(key, 'x'.repeat(2_000_000), { ttlMs: 60_000 });
      await expect(cache.get(key, 1_999_999)).rejects.toMatchObject({
        code: 'value_too_large',
        message: expect.stringContaining('2000000 bytes'),
      });
      expect(await cache.get(key, 2_000_000)).toHaveLength(2_000_000);
    });

    test('sees only the keys of its database', async () => {
      const at = await settings();
      const [one, other] = [await openCache({ ...at, database: 1 }), await openCache({ ...at, database: 2 })];
      const key = fresh();
      await one.set(key, 'mine', { ttlMs: 60_000 });
      expect([await one.get(key), await other.get(key)]).toEqual(['mine', null]);
    });

    test.each([
      ['somebody', stranger],
      ['a database that is not there', { database: 9999 }],
    ])('is refused to %s, for good', async (_, change) => {
      const cache = await openCache({ ...(await settings()), ...change });
      await expect(cache.get('a')).rejects.toMatchObject({ code: 'connection_refused', transient: false });
      expect(await cache.connections.test('cache')).toMatchObject({
        ok: false,
        error: { code: 'connection_refused' },
      });
    });

    test('reports the product and version in its test', async () => {
      const cache = await openCache(await settings());
      const result = await cache.connections.test('cache');
      expect(result).toEqual({
        ok: true,
        about: expect.stringMatching(/^(?:Redis|Valkey) \d+\.\d+/),
        ms: expect.any(Number),
      });
    });
  });
}
