import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../testing/platform-bed.ts';
import { prepareDataFolder } from './data-folder.ts';

const STORES = [
  'db.json',
  'secrets.json',
  'weft.db',
  'weft.db-wal',
  'durable.db',
  'knowledge.db',
  'outputs.db',
  'manifest.json',
];
const FOLDERS = ['runs', 'blobs', 'versions', 'files', 'before-migration'];

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

async function openFolder(mode: number): Promise<string> {
  const data = await tempFolder();
  for (const name of STORES) writeFileSync(join(data, name), '', { mode: 0o644 });
  for (const name of FOLDERS) mkdirSync(join(data, name), { mode: 0o755 });
  for (const name of STORES) chmodSync(join(data, name), 0o644);
  for (const name of FOLDERS) chmodSync(join(data, name), 0o755);
  writeFileSync(join(data, 'notes.txt'), '');
  chmodSync(join(data, 'notes.txt'), 0o644);
  chmodSync(data, mode);
  return data;
}

test('a folder that several processes create at once exists for all of them', async () => {
  const data = join(await tempFolder(), 'deep/er/data');
  const file = JSON.stringify(new URL('data-folder.ts', import.meta.url).href);
  const work = `import(${file}).then(({ prepareDataFolder }) => prepareDataFolder(${JSON.stringify(data)}))`;
  const ended = Array.from({ length: 6 }, () => once(spawn(process.execPath, ['-e', work]), 'exit'));
  expect((await Promise.all(ended)).map(([code]) => code as number)).toEqual(Array(6).fill(0));
  expect(modeOf(data)).toBe(0o700);
});

test('a folder that cannot be made is refused, and the start does not hang', () => {
  // Node's own way to create folders would never return here for root.
  expect(() => prepareDataFolder('/proc/weft/data')).toThrow(/storage_failed.*WEFT_DATA/s);
});

test.each([
  ['a folder that was open to others is closed', 0o755, 0o700, /was open to other users/],
  ['one that is shared on purpose stays so, and is reported', 0o1777, 0o1777, /is open to other users/],
  ['one that was closed', 0o700, 0o700, undefined],
])('%s; the stores in it are their owner’s alone, other files stay', async (_, before, after, message) => {
  const data = await openFolder(before);
  const warning = prepareDataFolder(data);
  if (message === undefined) expect(warning).toBeUndefined();
  else expect(warning).toMatch(message);
  expect(modeOf(data)).toBe(after);
  const modes = Object.fromEntries([...STORES, ...FOLDERS].map((name) => [name, modeOf(join(data, name))]));
  const wanted = [...STORES.map((name) => [name, 0o600]), ...FOLDERS.map((name) => [name, 0o700])];
  expect(modes).toEqual(Object.fromEntries(wanted));
  expect(modeOf(join(data, 'notes.txt'))).toBe(0o644);
});

test('a new folder is its owner’s alone', async () => {
  const data = join(await tempFolder(), 'deep', 'data');
  expect(prepareDataFolder(data)).toBeUndefined();
  expect(modeOf(data)).toBe(0o700);
});
