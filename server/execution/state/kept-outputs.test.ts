import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { Sealer } from '../../base/secrets/seal.ts';
import { openSqlite } from '../../storage/database/sqlite/open-sqlite.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { createKeptOutputs, outputMigrations } from './kept-outputs.ts';

/** Reverses texts, which is enough to distinguish them from plain ones. */
const sealer: Sealer = {
  seal: (text) => Array.from(text).toReversed().join(''),
  unseal: (text) => Array.from(text).toReversed().join(''),
};
const place = { flow: 'f', node: 'n', definition: 'one' };

async function bed(maxBytes = 1_000_000) {
  const file = join(await tempFolder(), 'outputs.db');
  let time = 1000;
  const warnings: string[] = [];
  const open = () => {
    const sql = openSqlite(file, outputMigrations);
    const warn = (message: string): void => void warnings.push(message);
    return { sql, outputs: createKeptOutputs({ sql, sealer, now: () => time, maxBytes, warn }) };
  };
  return { file, open, warnings, pass: (ms: number) => void (time += ms) };
}

test('outputs outlive the process, and name the run that made them', async () => {
  const { file, open } = await bed();
  const first = open();
  const value = { text: 'a secret value', list: [1, null], bytes: new Uint8Array([1, 2]) };
  expect(await first.outputs.get('k', place)).toBeUndefined();
  expect(await first.outputs.set('k', { value, at: 1000, run: 'r1' }, place)).toBe(true);
  await first.sql.close();
  expect(readFileSync(file, 'latin1')).not.toContain('a secret value');
  const second = open();
  onTestFinished(() => second.sql.close());
  expect(await second.outputs.get('k', place)).toEqual({ value, at: 1000, run: 'r1' });
  expect(await second.outputs.get('other', place)).toEqual({ missing: 'other-input' });
  expect(await second.outputs.get('k', { ...place, node: 'm' })).toBeUndefined();
});

test('a new version of the node deletes the outputs of the previous version', async () => {
  const { open } = await bed();
  const { outputs, sql } = open();
  onTestFinished(() => sql.close());
  await outputs.set('k', { value: 1, at: 1000 }, place);
  await outputs.set('l', { value: 2, at: 1000 }, place);
  const changed = { ...place, definition: 'two' };
  expect(await outputs.get('k', changed)).toEqual({ missing: 'node-changed' });
  await outputs.set('k', { value: 3, at: 1000 }, changed);
  expect(await sql.all('SELECT key FROM outputs')).toHaveLength(1);
  expect(await outputs.get('l', changed)).toEqual({ missing: 'other-input' });
});

test('the oldest are deleted when there is no room, and one output cannot take all of it', async () => {
  const { open } = await bed(20_000);
  const { outputs, sql } = open();
  onTestFinished(() => sql.close());
  expect(await outputs.set('huge', { value: 'x'.repeat(3000), at: 1 }, place)).toBe(false);
  for (let i = 0; i < 120; i++) await outputs.set(`k${i}`, { value: 'x'.repeat(500), at: 1000 + i }, place);
  const size = await sql.first<{ bytes: number }>('SELECT SUM(bytes) AS bytes FROM outputs');
  // The size is checked every fifty outputs.
  expect(size?.bytes).toBeLessThan(20_000 + 50 * 600);
  expect(await outputs.get('k0', place)).toEqual({ missing: 'other-input' });
  expect(await outputs.get('k119', place)).toMatchObject({ at: 1119 });
});

test('expired outputs are deleted, and a damaged one counts as absent', async () => {
  const { open, pass, warnings } = await bed();
  const { outputs, sql } = open();
  onTestFinished(() => sql.close());
  await outputs.set('short', { value: 1, at: 1000, ttlMs: 10 }, place);
  pass(100);
  for (let i = 0; i < 50; i++) await outputs.set(`k${i}`, { value: i, at: 1100 }, place);
  expect(await outputs.get('short', place)).toEqual({ missing: 'other-input' });
  await sql.run("UPDATE outputs SET sealed = ? WHERE project = 'default'", Buffer.from('{'));
  expect(await outputs.get('k1', place)).toBeUndefined();
  expect(warnings).toHaveLength(1);
});
