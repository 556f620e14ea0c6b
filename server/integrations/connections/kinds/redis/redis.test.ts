import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { asker } from '../../testing/connection-bed.ts';
import { startProxy } from '../../testing/proxy.ts';
import { certificate } from '../../testing/self-signed.ts';
import { openCache, redisContract } from './testing/redis-contract.ts';
import { startRedis, startServer } from './testing/redis-server.ts';

const at = (port: number) => ({ host: '127.0.0.1', port, tls: 'off' });

redisContract('a Redis of the tests', {
  async open() {
    const { port, run } = await startRedis();
    return { settings: at(port), run };
  },
  stranger: { password: 'a wrong one' },
});

redisContract('a Redis that asks for a password, encrypted', {
  async open() {
    const { port, run } = await startRedis({ password: 'right', encrypts: true });
    return { settings: { ...at(port), password: 'right', tls: 'verified', ca: certificate }, run };
  },
  stranger: { user: 'default', password: 'wrong' },
});

/** A server that answers every command with the same bytes, or treats its connection as the test specifies. */
function answering(answer: string | ((socket: Socket) => void)): Promise<number> {
  return startServer((socket) =>
    socket.on('data', () => (typeof answer === 'string' ? socket.write(answer, 'latin1') : answer(socket))),
  );
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    (error: { code: unknown }) => error.code,
  );

describe('a Redis that fails', () => {
  test.each<[string, (socket: Socket) => void, string]>([
    ['closes at once', (socket) => socket.destroy(), 'connection_failed'],
    ['ends at once', (socket) => socket.end(), 'connection_failed'],
    ['resets at once', (socket) => socket.resetAndDestroy(), 'connection_failed'],
    [
      'resets in the middle of a value',
      (socket) => socket.write('$10\r\nabc', () => socket.resetAndDestroy()),
      'connection_failed',
    ],
    ['ends in the middle of a value', (socket) => socket.end('$10\r\nabc'), 'connection_failed'],
    ['says nothing', () => {}, 'action_timeout'],
    ['never ends its value', (socket) => socket.write('$10\r\nabc'), 'action_timeout'],
  ])('one that %s', async (_, onSocket, code) => {
    const port = await answering(onSocket);
    const cache = await openCache(at(port), { timeoutMs: code === 'action_timeout' ? 200 : 10_000 });
    const failed = cache.get('a');
    await expect(failed).rejects.toMatchObject({ code, transient: true });
    await expect.poll(() => cache.connections.counts()[0]?.open).toBe(0);
  });

  test('one that does not listen', async () => {
    const cache = await openCache(at(1));
    await expect(cache.get('a')).rejects.toMatchObject({ code: 'connection_failed' });
    expect(await cache.connections.test('cache')).toMatchObject({
      ok: false,
      error: { code: 'connection_failed', message: expect.stringContaining('tcp://127.0.0.1:1') },
    });
  });

  test.each([
    'SSH-2.0-OpenSSH_9.6\r\n',
    'HTTP/1.1 400 Bad Request\r\n\r\n',
    '\u0000\u00ff\n',
    '+OK\n',
    '$abc\r\n',
    '$-2\r\n',
    '$\r\n',
    '$1e3\r\n',
    '$99999999999\r\n',
    '*1\r\n$1\r\na\r\n',
    ':1\r\n',
    '$3\r\nabcXY',
    '$3\r\nabcde\r\n',
    '+OK\r\n+OK\r\n',
    `+${'x'.repeat(5000)}\r\n`,
    'x'.repeat(100_000),
  ])('one that answers %j', async (answer) => {
    const cache = await openCache(at(await answering(answer)));
    await expect(cache.get('a')).rejects.toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('is not Redis'),
    });
  });

  test.each([
    ['NOAUTH Authentication required.', 'connection_refused'],
    ['DENIED Redis is running in protected mode', 'connection_refused'],
    ['LOADING Redis is loading the dataset in memory', 'connection_failed'],
    ["READONLY You can't write against a read only replica.", 'connection_failed'],
    ['ERR max number of clients reached', 'connection_failed'],
    ['MOVED 3999 127.0.0.1:6381', 'action_failed'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'action_failed'],
    ['', 'action_failed'],
  ])('one that returns the error %j', async (text, code) => {
    const cache = await openCache(at(await answering(`-${text}\r\n`)));
    await expect(cache.get('a')).rejects.toMatchObject({ code });
    expect(await cache.connections.test('cache')).toMatchObject({ ok: false });
  });

  test('an error that repeats a command does not reveal the password', async () => {
    const port = await answering("-ERR unknown command 'AUTH', with args beginning with: 'the-password'\r\n");
    const cache = await openCache({ ...at(port), password: 'the-password' });
    const result = await cache.connections.test('cache');
    expect(result.error).toEqual({
      code: 'connection_refused',
      message: "Redis reported: ERR unknown command 'AUTH'.",
    });
  });

  test('a value that is too large is refused before it arrives', async () => {
    const port = await answering('$500000000\r\n');
    const cache = await openCache(at(port));
    await expect(cache.get('a', 1000)).rejects.toMatchObject({ code: 'value_too_large' });
  });

  test('a reply may arrive byte by byte', async () => {
    const port = await answering((socket) => {
      for (const byte of '$5\r\nHello\r\n') setImmediate(() => socket.write(byte));
    });
    expect(await (await openCache(at(port))).get('a')).toBe('Hello');
  });

  test('an unexpected answer ends its session and reaches no caller', async () => {
    let opened = 0;
    const port = await startServer((socket) => {
      opened++;
      socket.on('data', () => {
        socket.write('$1\r\na\r\n');
        if (opened === 1) setTimeout(() => socket.write('$7\r\nforeign\r\n'), 20);
      });
    });
    const cache = await openCache({ ...at(port), most: 1 });
    expect(await cache.get('a')).toBe('a');
    await expect.poll(() => cache.connections.counts()[0]?.idle).toBe(0);
    expect(await cache.get('a')).toBe('a');
    expect(opened).toBe(2);
  });

  test('a caller who leaves ends the session, so that its answer never reaches the next caller', async () => {
    let opened = 0;
    const port = await startServer((socket) => {
      const mine = ++opened;
      socket.on('data', () => setTimeout(() => socket.write(`$1\r\n${mine}\r\n`), mine === 1 ? 300 : 0));
    });
    const leaving = new AbortController();
    const cache = await openCache({ ...at(port), most: 1 }, { signal: leaving.signal });
    const left = cache.get('a');
    await expect.poll(() => opened).toBe(1);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    const ask = { connection: 'cache', kind: 'redis', action: 'get', given: { key: 'a', maxBytes: 10 } };
    const { signal } = new AbortController();
    expect(await cache.connections.actions.ask({ ...ask, timeoutMs: 5000 }, asker, signal)).toBe('2');
  });

  test('the next read succeeds although its session ended while it was idle', async () => {
    const { port } = await startRedis();
    const proxy = await startProxy({ host: '127.0.0.1', port });
    const cache = await openCache({ ...at(proxy.port), most: 1 });
    await cache.set('a', 'b');
    for (let i = 0; i < 20; i++) {
      proxy.cut();
      expect(await cache.get('a')).toBe('b');
    }
  });

  test('one that hangs delays no other', async () => {
    const bad = await openCache({ ...at(await answering(() => {})), most: 1 }, { timeoutMs: 300 });
    const good = await openCache(at((await startRedis()).port));
    const waiting = Promise.all(Array.from({ length: 20 }, () => codeOf(bad.get('a'))));
    for (let i = 0; i < 50; i++) expect(await good.get('a')).toBeNull();
    expect(new Set(await waiting)).toEqual(new Set(['action_timeout']));
  });
});

describe('the encryption with Redis', () => {
  test.each([
    ['a certificate of an unknown authority', {}, 'No known authority'],
    ['another certificate', { ca: 'no certificate' }, 'The encryption with Redis failed'],
  ])('is refused with %s', async (_, more, words) => {
    const { port } = await startRedis({ encrypts: true });
    const cache = await openCache({ ...at(port), tls: 'verified', ...more });
    await expect(cache.get('a')).rejects.toMatchObject({
      code: 'connection_refused',
      message: expect.stringContaining(words),
    });
  });

  test('accepts any certificate if it is not verified', async () => {
    const { port } = await startRedis({ encrypts: true });
    expect(await (await openCache({ ...at(port), tls: 'unverified' })).get('a')).toBeNull();
  });

  test('that a server does not offer is not done without', async () => {
    const port = await answering('-ERR Protocol error\r\n');
    const cache = await openCache({ ...at(port), tls: 'unverified', password: 'secret' });
    await expect(cache.get('a')).rejects.toMatchObject({
      code: 'connection_refused',
      message: expect.stringContaining('Redis offers no encryption'),
    });
  });

  test('with a server that says nothing ends in time', async () => {
    const port = await startServer(() => {});
    const cache = await openCache({ ...at(port), tls: 'verified' }, { timeoutMs: 200 });
    await expect(cache.get('a')).rejects.toMatchObject({ code: 'action_timeout' });
  });
});

describe('actions', () => {
  const asked = { connection: 'cache', kind: 'redis', action: 'get', given: {}, timeoutMs: 5000 };
  const { signal } = new AbortController();

  test.each([
    [{ action: 'flushall' }, 'action_invalid', 'The kind redis has no action flushall; it has get, set.'],
    [{ action: 'constructor' }, 'action_invalid', 'has no action constructor'],
    [{ given: { key: 7, maxBytes: 10 } }, 'action_invalid', 'redis.get does not accept its arguments: `key`'],
    [{ given: { key: 'a' } }, 'action_invalid', '`maxBytes`'],
    [{ given: { key: 'a', maxBytes: 1, more: 1 } }, 'action_invalid', 'more'],
    [
      { kind: 'postgres' },
      'connection_missing',
      'is of the kind redis; this node needs one of the kind postgres',
    ],
    [{ connection: 'other' }, 'connection_missing', 'There is no connection other'],
  ])('%j is refused with %s', async (change, code, words) => {
    const redis = await startRedis();
    const { connections } = await openCache(at(redis.port));
    await expect(connections.actions.ask({ ...asked, ...change }, asker, signal)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
    expect(redis.opened()).toBe(0);
  });

  test('another use of the connection is refused, and so is another connection for this use', async () => {
    const { connections } = await openCache(at((await startRedis()).port));
    const statement = { connection: 'cache', sql: 'SELECT 1', params: {}, timeoutMs: 5000 };
    const limits = { maxRows: 1, maxBytes: 1000 };
    await expect(connections.sql.query({ ...statement, ...limits }, asker, signal)).rejects.toMatchObject({
      code: 'connection_missing',
      message:
        'The connection cache (Redis) leads to a service with operators of its own; this node needs one to a database.',
    });
    const settings = { host: 'h', database: 'd', user: 'u' };
    await connections.put('db', { kind: 'postgres', settings, grants: { flows: ['f'] } });
    await expect(
      connections.actions.ask({ ...asked, connection: 'db', kind: 'postgres' }, asker, signal),
    ).rejects.toMatchObject({
      code: 'connection_missing',
      message: expect.stringContaining('leads to a database'),
    });
  });

  test('are granted as any use of a connection, with its rate', async () => {
    const redis = await startRedis();
    const cache = await openCache(at(redis.port), { rate: { limit: 1, per: 'day' } });
    const given = { key: 'a', maxBytes: 10 };
    await expect(cache.ask('get', given, { ...asker, flow: 'g' })).rejects.toMatchObject({
      code: 'connection_not_granted',
    });
    expect(await cache.ask('get', given)).toBeNull();
    await expect(cache.ask('get', given)).rejects.toMatchObject({ code: 'connection_limited' });
    cache.untrusted.set(asker.run, 'writer');
    await expect(cache.ask('get', given)).rejects.toMatchObject({ code: 'secret_draft' });
  });
});
