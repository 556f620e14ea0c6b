import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newKey } from './master-key.ts';
import { createRedactor } from './redactor.ts';
import { openSecrets } from './store.ts';

function folder(): string {
  const data = mkdtempSync(join(tmpdir(), 'weft-rotate-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  return data;
}

const open = (data: string, key?: string, nextKey?: string) =>
  openSecrets({ data, key, nextKey, environment: {}, grants: {}, redactor: createRedactor(), now: () => 0 });

const by = { flow: 'a', operator: 'http.request' };

test('a process that is killed while the key changes leaves nothing that cannot be opened', async () => {
  const data = folder();
  const store = open(data);
  await store.put('one', { value: 'first', grants: { operators: ['http.request'] } });
  const sealed = store.seal('kept', 'a note');
  const key = join(data, 'secrets.key');
  const next = `${key}.next`;
  copyFileSync(key, join(data, 'before'));
  copyFileSync(join(data, 'secrets.json'), join(data, 'sealed-before'));
  await store.rotate(newKey());
  expect(readFileSync(key, 'utf8')).not.toBe(readFileSync(join(data, 'before'), 'utf8'));
  expect([store.use('one', by), store.unseal(sealed, 'a note')]).toEqual(['first', 'kept']);

  // Killed after the secrets were written, and before the key file was.
  renameSync(key, next);
  copyFileSync(join(data, 'before'), key);
  const again = open(data);
  expect([again.use('one', by), again.unseal(sealed, 'a note')]).toEqual(['first', 'kept']);
  expect(existsSync(next)).toBe(false);
  expect(open(data).use('one', by)).toBe('first');

  // Killed before the secrets were written.
  renameSync(key, next);
  copyFileSync(join(data, 'before'), key);
  copyFileSync(join(data, 'sealed-before'), join(data, 'secrets.json'));
  expect(open(data).use('one', by)).toBe('first');
  expect(existsSync(next)).toBe(false);
});

test('each of several keys, one after the other, still opens what it has sealed', async () => {
  const data = folder();
  const [first = '', second = '', third = ''] = [11, 22, 33].map((n) => String(n).repeat(32));
  const store = open(data, first, second);
  const sealed = [store.seal('a', 'x')];
  await store.rotate(Buffer.from(second, 'hex'));
  sealed.push(store.seal('b', 'x'));
  const next = open(data, second, third);
  await next.rotate(Buffer.from(third, 'hex'));
  const last = open(data, third);
  expect(sealed.map((one) => last.unseal(one, 'x'))).toEqual(['a', 'b']);
  expect(() => last.unseal(sealed[0] as string, 'y')).toThrow();
  for (const former of [first, second]) expect(() => open(data, former)).toThrow('secrets_key_rotated: ');
  expect(() => open(data, '44'.repeat(32))).toThrow('secrets_key_other: ');
});
