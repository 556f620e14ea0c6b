import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDb } from '../../base/adapters/db.ts';
import type { VariableStore } from './variable-store.ts';
import { createVariableStore, MAX_VARIABLE_BYTES } from './variable-store.ts';

let folder: string;
let store: VariableStore;
const file = () => join(folder, 'data', 'db.json');
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-vars-'));
  store = createVariableStore(await openDb(file()));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a variable is kept over a restart, beside what else the file holds', async () => {
  const db = await openDb(file());
  await db.change('keys', (keys) => [...keys, { id: 'k' }]);
  store = createVariableStore(db);
  await store.set('city', { name: 'Oslo', codes: [1, null] });
  await store.set('count', 3);
  await store.remove('count');
  const again = await openDb(file());
  expect(createVariableStore(again).snapshot()).toEqual({ city: { name: 'Oslo', codes: [1, null] } });
  expect(again.data.keys).toEqual([{ id: 'k' }]);
});

it('a snapshot is frozen and stays as it was when a variable changes', async () => {
  const value = { list: [1] };
  await store.set('a', value);
  value.list.push(2);
  const before = store.snapshot();
  await store.set('a', 'new');
  expect(before).toEqual({ a: { list: [1] } });
  expect(() => (before['a'] as { list: number[] }).list.push(9)).toThrow(TypeError);
  expect(store.snapshot()).toEqual({ a: 'new' });
  expect(store.snapshot()).toBe(store.snapshot());
});

it('many changes at once are all kept', async () => {
  await Promise.all(Array.from({ length: 50 }, (_, i) => store.set(`v${i}`, i)));
  const again = createVariableStore(await openDb(file()));
  expect(Object.keys(again.snapshot())).toHaveLength(50);
});

it('a bad name, a value that is no JSON, too deep or too large is refused', async () => {
  const deep = JSON.parse(`${'['.repeat(201)}${']'.repeat(201)}`) as unknown;
  await expect(store.set('Not_An_Id', 1)).rejects.toMatchObject({ code: 'invalid_request', param: 'name' });
  await expect(store.set('__proto__', 1)).rejects.toMatchObject({ code: 'invalid_request', param: 'name' });
  await expect(store.set('a', undefined)).rejects.toMatchObject({ code: 'invalid_request', param: 'value' });
  await expect(store.set('a', deep)).rejects.toMatchObject({ code: 'too_deep' });
  const largest = 'x'.repeat(MAX_VARIABLE_BYTES - 2);
  await expect(store.set('a', `${largest}x`)).rejects.toMatchObject({ code: 'body_too_large' });
  await store.set('a', largest);
  expect(Object.keys(store.snapshot())).toEqual(['a']);
});

it('a variable that is not there cannot be removed', async () => {
  await expect(store.remove('toString')).rejects.toMatchObject({ code: 'variable_not_found' });
});

it('when the file cannot be written the change did not happen', async () => {
  await store.set('a', 1);
  rmSync(file());
  mkdirSync(join(file(), 'in-the-way'), { recursive: true });
  await expect(store.set('a', 2)).rejects.toMatchObject({ code: 'storage_failed' });
  expect(store.snapshot()).toEqual({ a: 1 });
  rmSync(file(), { recursive: true });
  await store.set('b', 3);
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ variables: { default: { a: 1, b: 3 } } });
});

it('a damaged file stops the start and is left as it is', async () => {
  writeFileSync(file(), '{ torn', { flag: 'w' });
  await expect(openDb(file())).rejects.toThrow(/db\.json/);
  expect(readFileSync(file(), 'utf8')).toBe('{ torn');
});
