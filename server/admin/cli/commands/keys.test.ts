import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CreatedKey, KeyInfo } from '#shared/key.ts';
import { controlSocket } from '../../../base/files/data-folder.ts';
import { lockData } from '../../../base/files/lock.ts';
import { startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { runCli } from '../program.ts';
import { testIo } from '../testing/test-io.ts';

/** `weft keys …` in a folder of its own, or on a given data folder. */
async function bed(data?: string) {
  const folder = await tempFolder();
  const env = { WEFT_DATA: data ?? join(folder, 'data') };
  const run = async (...args: string[]) => {
    const io = testIo(folder, { env });
    const code = await runCli(['keys', ...args], io);
    return { code, out: io.stdout.text, err: io.stderr.text };
  };
  const list = async () => JSON.parse((await run('list', '--json')).out) as KeyInfo[];
  return { run, list, data: env.WEFT_DATA };
}

describe('weft keys without a server', () => {
  test('a key that was made is shown although the audit cannot be written', async () => {
    const { run, data } = await bed();
    await run('list');
    mkdirSync(join(data, 'weft.db'));
    const warned = once(process, 'warning');
    const made = await run('create', 'ci', '--scopes', 'triggers');
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^weft_/) });
    expect(String((await warned)[0])).toContain('The audit has no entry of this action (API key made)');
  });

  test('makes, lists and revokes a key; the key alone is on standard output, once', async () => {
    const { run, list, data } = await bed();
    const before = Date.now();
    const made = await run('create', 'ci', '--scopes', 'triggers, chat', '--expires', '90d');
    expect(made.code).toBe(0);
    expect(made.out).toMatch(/^weft_[\w-]{43}\n$/);
    expect(made.err).toContain('shown only this once');
    expect(readFileSync(join(data, 'db.json'), 'utf8')).not.toContain(made.out.trim());
    const [key] = await list();
    expect(key).toMatchObject({ name: 'ci', scopes: ['chat', 'triggers'], source: 'kept' });
    const madeAt = Date.parse(key?.expiresAt ?? '') - 90 * 86_400_000;
    expect(madeAt).toBeGreaterThanOrEqual(before);
    expect(madeAt).toBeLessThanOrEqual(Date.now());
    expect((await run('list')).out).toMatch(
      /^ci\n {2}id {6}[\w-]+\n {2}scopes {2}chat, triggers\n.*not used yet\n$/,
    );
    expect(await run('revoke', 'ci')).toMatchObject({ code: 0, out: '', err: 'Revoked ci.\n' });
    expect(await list()).toEqual([]);
    expect((await run('list')).err).toContain('There are no keys');
  });

  test('a key that was made so opens a server that starts then, which makes no first one', async () => {
    const { run, data } = await bed();
    const key = (await run('create', 'ahead', '--scopes', 'flows:read')).out.trim();
    const { url, firstKey } = await startBed({ data });
    expect(firstKey).toBeUndefined();
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${url}/api/v1/flows`, { headers })).status).toBe(200);
  });

  test.each([
    ['no scopes', ['create', 'a'], '--scopes'],
    ['a scope that there is not', ['create', 'a', '--scopes', 'all'], 'flows:publish, runs:read'],
    ['an end that is none', ['create', 'a', '--scopes', 'chat', '--expires', 'soon'], 'days like 90d'],
    ['an empty name', ['create', ' ', '--scopes', 'chat'], 'name'],
    ['a command that there is not', ['drop', 'a'], 'unknown command'],
  ])('%s is wrong usage', async (_, args, word) => {
    const { code, err } = await (await bed()).run(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(word)]);
  });

  test('a command that fails prints the reason', async () => {
    const { run } = await bed();
    await run('create', 'a', '--scopes', 'chat');
    for (const [args, word] of [
      [['create', 'a', '--scopes', 'chat'], 'choose another name'],
      [['create', 'b', '--scopes', 'chat', '--expires', '2020-01-01'], 'would expire in the past'],
      [['revoke', 'missing'], 'There is no API key missing'],
    ] as const) {
      expect(await run(...args)).toMatchObject({ code: 1, out: '', err: expect.stringContaining(word) });
    }
  });
});

describe('weft keys beside a server', () => {
  test('goes through it: a key works and is revoked without a restart', async () => {
    const server = await startBed({ editor: 'off', apiKeys: ['a-key-of-the-environment'] });
    const { run, list } = await bed(server.ctx.config.data);
    const made = JSON.parse(
      (await run('create', 'ops', '--scopes', 'apps:read', '--json')).out,
    ) as CreatedKey;
    const ask = async () =>
      (await fetch(`${server.url}/api/v2/serve/apps`, { headers: { authorization: `Bearer ${made.key}` } }))
        .status;
    expect(await ask()).toBe(200);
    expect(await list()).toMatchObject([
      { name: 'WEFT_API_KEYS[0]', source: 'environment' },
      { name: 'ops', lastUsedAt: expect.any(String) },
    ]);
    expect((await run('create', 'ops', '--scopes', 'chat')).err).toContain('choose another name');
    expect((await run('revoke', 'WEFT_API_KEYS[0]')).err).toContain('WEFT_API_KEYS');
    expect((await run('revoke', made.id)).code).toBe(0);
    expect(await ask()).toBe(401);
  });

  test.skipIf(process.platform === 'win32')('its socket is its owner’s alone, and goes with it', async () => {
    const server = await startBed();
    const socket = controlSocket(server.ctx.config.data);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    await server.stop();
    expect(existsSync(socket)).toBe(false);
  });

  test('prints a way out where the server cannot be reached', async () => {
    const { run, data } = await bed();
    await run('list');
    const lock = lockData(data);
    const refused = await run('create', 'a', '--scopes', 'chat');
    lock.release();
    expect(refused).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('Stop it first, or use its HTTP API'),
    });
  });
});
