import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { asker } from '../outbound/testing/ask.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { createRedactor } from './redactor.ts';
import { openSecrets, type SecretDeps } from './store.ts';

const anyHost = { operators: ['http.request'] };

function open(data: string, more: Partial<SecretDeps> = {}) {
  const parts = { key: undefined, environment: {}, grants: {}, redactor: createRedactor(), now: Date.now };
  return openSecrets({ data, ...parts, ...more });
}

const outcome = async (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: { code?: string }) => error.code);

describe('a stored secret', () => {
  test('exists after a restart, and never readable in the file', async () => {
    const data = await tempFolder();
    const info = await open(data).put('openai', { value: 'the value itself', grants: anyHost });
    expect(info).toMatchObject({
      name: 'openai',
      source: 'file',
      grants: anyHost,
      updatedAt: expect.any(String),
    });
    const text = readFileSync(join(data, 'secrets.json'), 'utf8');
    expect(text).not.toContain('the value itself');
    expect(text).not.toContain(Buffer.from('the value itself').toString('base64').slice(0, 8));
    const again = open(data);
    expect(again.list()).toEqual([info]);
    expect(await again.reveal('openai', asker)).toBe('the value itself');
  });

  test('and its key are for the owner only', async () => {
    const data = await tempFolder();
    await open(data).put('a', { value: 'v', grants: {} });
    for (const file of ['secrets.json', 'secrets.key']) {
      expect(statSync(join(data, file)).mode & 0o777, file).toBe(0o600);
    }
  });

  test.runIf(process.platform === 'linux')('leaves no half of a key on a disk that is full', async () => {
    const data = await tempFolder();
    const module = pathToFileURL(join(import.meta.dirname, 'master-key.ts')).href;
    const script = `(await import('${module}')).makeKey(${JSON.stringify(data)})`;
    const node = [process.execPath, '--input-type=module', '--eval', script];
    const { stderr } = spawnSync('prlimit', ['--fsize=0', ...node], { encoding: 'utf8' });
    expect(stderr).toContain('storage_failed');
    expect(readdirSync(data)).toEqual([]);
    await open(data).put('a', { value: 'v', grants: {} });
  });

  test('is made on first use only', async () => {
    const data = await tempFolder();
    expect(open(data).list()).toEqual([]);
    expect(existsSync(join(data, 'secrets.key'))).toBe(false);
  });

  test('is sealed differently each time', async () => {
    const data = await tempFolder();
    const store = open(data);
    await store.put('a', { value: 'same', grants: {} });
    await store.put('b', { value: 'same', grants: {} });
    const { secrets } = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')) as {
      secrets: Record<string, { value: { data: string } }>;
    };
    expect(secrets['a']?.value.data).not.toBe(secrets['b']?.value.data);
  });

  test('changes one thing at a time, and goes', async () => {
    const data = await tempFolder();
    const store = open(data);
    await Promise.all([
      store.put('a', { value: 'one', grants: anyHost }),
      store.put('b', { value: 'two', grants: anyHost }),
      store.put('a', { value: 'three' }),
      store.put('b', { grants: { flows: ['x'] } }),
    ]);
    const again = open(data);
    expect(await again.reveal('a', asker)).toBe('three');
    expect(again.list()).toMatchObject([{ grants: anyHost }, { grants: { flows: ['x'] } }]);
    await store.remove('a');
    expect(open(data).list()).toMatchObject([{ name: 'b' }]);
    expect(await outcome(store.remove('a'))).toBe('secret_not_found');
    expect(await outcome(store.put('c', { grants: {} }))).toBe('secret_not_found');
  });
});

describe('a start is refused, with what to do,', () => {
  const key = Buffer.alloc(32, 1).toString('base64');

  test('with another key', async () => {
    const data = await tempFolder();
    await open(data, { key }).put('a', { value: 'v', grants: {} });
    expect(open(data, { key: Buffer.alloc(32, 1).toString('hex') }).list()).toHaveLength(1);
    expect(() => open(data, { key: Buffer.alloc(32, 2).toString('base64') })).toThrow('WEFT_SECRETS_KEY');
    expect(() => open(data)).toThrow('their key is missing');
  });

  test('when a grant, a name or a bit of the file was changed', async () => {
    const data = await tempFolder();
    await open(data).put('a', { value: 'v', grants: { hosts: ['a.example'] } });
    const file = join(data, 'secrets.json');
    const text = readFileSync(file, 'utf8');
    const changes: [string | RegExp, string][] = [
      ['a.example', 'b.example'],
      ['"a": {', '"b": {'],
      [/"tag": "../, '"tag": "AA'],
      ['"file"', '"environment"'],
    ];
    for (const [from, to] of changes) {
      writeFileSync(file, text.replace(from, to));
      expect(() => open(data), String(from)).toThrow('changed by hand');
    }
    for (const broken of ['', '{', '{"format":2,"secrets":{}}', text.slice(0, -20)]) {
      writeFileSync(file, broken);
      expect(() => open(data)).toThrow('damaged');
    }
  });

  test('when others can read the key, or it is damaged', async () => {
    const data = await tempFolder();
    await open(data).put('a', { value: 'v', grants: {} });
    chmodSync(join(data, 'secrets.key'), 0o644);
    expect(() => open(data)).toThrow('chmod 600');
    chmodSync(join(data, 'secrets.key'), 0o600);
    writeFileSync(join(data, 'secrets.key'), 'short');
    expect(() => open(data)).toThrow('is damaged');
  });
});

describe('a secret is revealed', () => {
  test.each([
    ['not without a grant', {}, 'https://a.example/', 'secret_not_granted'],
    ['to a granted operator', { operators: ['http.request'] }, undefined, 'v'],
    ['to no other operator', { operators: ['code.run'] }, undefined, 'secret_not_granted'],
    ['to a granted flow', { flows: ['f'] }, undefined, 'v'],
    ['to no other flow', { flows: ['g'] }, undefined, 'secret_not_granted'],
    ['for a granted host', { hosts: ['a.example'] }, 'https://A.example./x', 'v'],
    ['not on another port', { hosts: ['a.example'] }, 'https://a.example:444/x', 'secret_not_granted'],
    ['not in clear text', { hosts: ['a.example'] }, 'http://a.example/x', 'secret_not_granted'],
    ['on a granted port', { hosts: ['a.example:444'] }, 'https://a.example:444/x', 'v'],
    ['in clear text where that is granted', { hosts: ['http://a.example:81'] }, 'http://a.example:81/x', 'v'],
    ['to this machine', { hosts: ['127.0.0.1:6219'] }, 'http://127.0.0.1:6219/x', 'v'],
    ['for names below', { hosts: ['*.a.example'] }, 'https://b.a.example/', 'v'],
    ['not for the name above', { hosts: ['*.a.example'] }, 'https://a.example/', 'secret_not_granted'],
    [
      'not for a name that ends alike',
      { hosts: ['*.a.example'] },
      'https://evil-a.example/',
      'secret_not_granted',
    ],
    ['for no other host', { hosts: ['a.example'] }, 'https://b.example/', 'secret_not_granted'],
    ['not where the host is not known', { hosts: ['a.example'] }, undefined, 'secret_not_granted'],
    [
      'not for a host before a user',
      { hosts: ['a.example'] },
      'https://a.example@b.example/',
      'outbound_invalid',
    ],
    [
      'not for a host before a backslash',
      { hosts: ['a.example'] },
      'https://a.example\\@b.example/',
      'outbound_invalid',
    ],
    [
      'only where all lists agree',
      { hosts: ['a.example'], flows: ['g'] },
      'https://a.example/',
      'secret_not_granted',
    ],
    ['not with an empty list', { operators: [] }, undefined, 'secret_not_granted'],
  ])('%s', async (_, grants, url, expected) => {
    const store = open(await tempFolder());
    await store.put('a', { value: 'v', grants });
    expect(await outcome(store.reveal('a', asker, url))).toBe(expected);
  });

  test('not when there is none', async () => {
    expect(await outcome(open(await tempFolder()).reveal('a', asker))).toBe('secret_unknown');
  });
});

describe('a secret of the environment', () => {
  const environment = { token: 'from outside' };

  test('is granted by WEFT_GRANTS, or by what was set since', async () => {
    const data = await tempFolder();
    expect(await outcome(open(data, { environment }).reveal('token', asker))).toBe('secret_not_granted');
    const store = open(data, { environment, grants: { token: anyHost } });
    expect(await store.reveal('token', asker)).toBe('from outside');
    expect(store.list()).toEqual([{ name: 'token', source: 'environment', grants: anyHost }]);
    await store.put('token', { grants: { flows: ['g'] } });
    const again = open(data, { environment, grants: { token: anyHost } });
    expect(await outcome(again.reveal('token', asker))).toBe('secret_not_granted');
  });

  test('cannot be changed or removed, and is not kept', async () => {
    const data = await tempFolder();
    const store = open(data, { environment });
    expect(await outcome(store.put('token', { value: 'x' }))).toBe('secret_read_only');
    expect(await outcome(store.remove('token'))).toBe('secret_read_only');
    await store.put('token', { grants: anyHost });
    const without = open(data);
    expect(without.list()).toEqual([]);
    expect(await outcome(without.reveal('token', asker))).toBe('secret_unknown');
  });
});

test('values are known to the redactor from the start, and old ones for as long as the server runs', async () => {
  const data = await tempFolder();
  const store = open(data);
  await store.put('a', { value: 'old-value', grants: {} });
  const redactor = createRedactor();
  const again = open(data, { redactor, environment: { b: 'environment-value' } });
  await again.put('a', { value: 'new-value' });
  expect(redactor.text('old-value new-value environment-value')).toBe('*** *** ***');
});
