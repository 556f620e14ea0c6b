import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ProviderBody } from '#shared/model-provider.ts';
import { openDb } from '../../base/adapters/db.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { createProviderStore } from './provider-store.ts';

const body = (more: object = {}): ProviderBody =>
  ProviderBody.parse({ type: 'ollama', models: [{ name: 'llama' }], ...more });

async function open(file: string, environment = {}) {
  return createProviderStore(await openDb(file), environment);
}

const newFile = async (): Promise<string> => join(await tempFolder(), 'db.json');

describe('providers', () => {
  test('survive a restart, sorted by id, before the built-in one', async () => {
    const file = await newFile();
    const store = await open(file);
    await store.put('b', body());
    await store.put('a', body({ baseUrl: 'http://10.0.0.1/v1', key: { $secret: 'ollama' } }));
    const again = await open(file);
    expect(again.list()).toEqual(store.list());
    expect(again.list()).toMatchObject([
      { id: 'a', source: 'file', key: { $secret: 'ollama' }, models: [{ name: 'llama', use: 'chat' }] },
      { id: 'b', source: 'file', timeoutMs: 120_000 },
      { id: 'demo', source: 'built-in' },
    ]);
    await again.remove('a');
    expect((await open(file)).list().map(({ id }) => id)).toEqual(['b', 'demo']);
  });

  test('of the environment hide stored ones, and cannot be changed', async () => {
    const file = await newFile();
    await (await open(file)).put('a', body());
    const store = await open(file, { a: body({ models: [{ name: 'other' }] }) });
    expect(store.list()[0]).toMatchObject({ source: 'environment', models: [{ name: 'other' }] });
    for (const change of [
      () => store.put('a', body()),
      () => store.remove('a'),
      () => store.put('demo', body()),
      () => store.remove('demo'),
    ])
      await expect(change()).rejects.toMatchObject({ code: 'provider_read_only' });
    expect((await open(file)).list()[0]).toMatchObject({ source: 'file', models: [{ name: 'llama' }] });
  });

  test('that do not exist cannot be removed, and ids must be valid', async () => {
    const store = await open(await newFile());
    await expect(store.remove('a')).rejects.toMatchObject({ code: 'provider_not_found' });
    await expect(store.put('A b', body())).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('stop the start when they are damaged', async () => {
    const file = await newFile();
    await (await open(file)).put('a', body());
    writeFileSync(file, readFileSync(file, 'utf8').replace('"ollama"', '"skynet"'));
    await expect(open(file)).rejects.toThrow('The model providers in db.json are damaged');
  });
});

test.each([
  ['an unknown type', { type: 'skynet' }],
  ['no models', { models: [] }],
  ['no address where one is required', { type: 'openai-compatible' }],
  ['an invalid address', { baseUrl: 'ftp://a' }],
  ['a key in clear text', { key: 'sk-1234' }],
  ['an unknown field', { apiKey: 'sk-1234' }],
])('a provider with %s is refused', (_, more) => {
  expect(() => body(more)).toThrow(/type|models|baseUrl|key|apiKey/);
});
