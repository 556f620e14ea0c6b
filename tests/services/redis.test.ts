import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import {
  openCache,
  redisContract,
} from '../../server/integrations/connections/kinds/redis/testing/redis-contract.ts';
import { addressOf } from '../runner/services.ts';
import { firstAnswer } from './handshake.ts';

const { hostname: host, port } = addressOf('redis');
const settings = { host, port: Number(port), tls: 'off' };

/** Sends a command, and gives the first bytes of the answer. */
function run(command: readonly (string | Buffer)[]): Promise<string> {
  const parts = command.flatMap((part) => [`$${Buffer.byteLength(part)}\r\n`, part, '\r\n']);
  return new Promise((resolve, reject) => {
    const socket = connect(settings.port, host);
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    for (const part of [`*${command.length}\r\n`, ...parts]) socket.write(part);
  });
}

test('Redis answers a PING', async () => {
  expect((await firstAnswer('redis', 'PING\r\n')).toString()).toBe('+PONG\r\n');
});

redisContract('Redis', {
  open: async () => ({ settings, run: async (command) => void (await run(command)) }),
  stranger: { user: 'nobody', password: 'a wrong one' },
});

/** A user of the test, with these rights; gone when the test ends. */
async function userWith(...rights: string[]): Promise<{ user: string; password: string }> {
  const user = `weft_test_${crypto.randomUUID()}`;
  expect(await run(['ACL', 'SETUSER', user, 'reset', 'on', '>the-password', ...rights])).toBe('+OK\r\n');
  onTestFinished(() => void run(['ACL', 'DELUSER', user]));
  return { user, password: 'the-password' };
}

test('a user who may only read some keys reads these, and no others', async () => {
  const signIn = await userWith('~weft:test:*', '+get', '+select');
  const cache = await openCache({ ...settings, ...signIn, database: 1 });
  expect(await cache.get('weft:test:nothing')).toBeNull();
  for (const refused of [cache.get('other'), cache.set('weft:test:nothing', 'a')])
    await expect(refused).rejects.toMatchObject({
      code: 'action_failed',
      message: expect.stringContaining('NOPERM'),
    });
  expect(await cache.connections.test('cache')).toMatchObject({ ok: true, about: 'Redis' });
  const stranger = await openCache({ ...settings, ...signIn, password: 'another' });
  await expect(stranger.get('weft:test:nothing')).rejects.toMatchObject({ code: 'connection_refused' });
});

test('a Redis without encryption is not waited for until the time is over', async () => {
  const cache = await openCache({ ...settings, tls: 'verified' });
  await expect(cache.get('a')).rejects.toMatchObject({
    code: 'connection_failed',
    message: expect.stringContaining('set `tls` of the connection to off'),
  });
});

test('a session that Redis ends is replaced without anybody noticing', async () => {
  const signIn = await userWith('~weft:test:*', '+get', '+set');
  const cache = await openCache({ ...settings, ...signIn, most: 1 });
  for (let i = 0; i < 5; i++) {
    expect(await cache.set('weft:test:killed', String(i), { ttlMs: 60_000 })).toBe(true);
    expect(await run(['CLIENT', 'KILL', 'USER', signIn.user])).toBe(':1\r\n');
    expect(await cache.get('weft:test:killed')).toBe(String(i));
    await expect.poll(() => cache.connections.counts()[0]?.idle).toBe(1);
  }
});
