import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { contentHash } from '../../base/files/content-hash.ts';
import { createVersionStore, type KeptVersion, type VersionStore } from './versions.ts';
import { actorNamed } from './testing/flow-fixture.ts';

let folder: string;
let warnings: string[];
let store: VersionStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-versions-'));
  warnings = [];
  store = createVersionStore(folder, (_error, message) => void warnings.push(message));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const version = (text: string, label?: string): KeptVersion => ({
  version: contentHash(text),
  text,
  actor: actorNamed('ada'),
  label,
  at: `2025-01-01T00:00:00.00${text.length}Z`,
});

it('versions are listed newest first, each once, and know which one serves', async () => {
  for (const text of ['1', '22', '1']) await store.keep('a', version(text));
  expect(await store.list('a')).toMatchObject([
    { version: contentHash('1'), live: true },
    { version: contentHash('22'), live: false },
  ]);
  expect(await store.lastLive('a')).toBe(contentHash('1'));
  expect(await store.list('b')).toEqual([]);
});

it('a version keeps its label when it goes live again without one', async () => {
  await store.keep('a', version('1', 'release'));
  await store.keep('a', version('1'));
  expect(await store.list('a')).toMatchObject([{ label: 'release' }]);
});

it('a version can be labelled later, relabelled and unlabelled, and keeps its place, time and author', async () => {
  await store.keep('a', version('1', 'release'));
  await store.keep('a', version('22'));
  const [second, first] = await store.list('a');
  await store.label('a', contentHash('1'), { label: 'v1', actor: actorNamed('bob') });
  expect(await store.list('a')).toEqual([second, { ...first, label: 'v1' }]);
  await store.keep('a', version('1'));
  expect(await store.list('a')).toMatchObject([{ label: 'v1' }, { label: undefined }]);
  await store.label('a', contentHash('1'), { label: '', actor: actorNamed('bob') });
  expect(await store.list('a')).toMatchObject([{ label: undefined }, { label: undefined }]);
});

it('a text damaged on disk is not returned, and is written again when it goes live again', async () => {
  const { version: hash } = version('1');
  await store.keep('a', version('1'));
  writeFileSync(join(folder, 'a', `${hash}.json`), 'damaged');
  expect(await store.text('a', hash)).toBeUndefined();
  await store.keep('a', version('1'));
  expect(await store.text('a', hash)).toBe('1');
});

it.each(['{"version":"0123\n', '{"version":"0123'])(
  'a torn line of the index costs that line only',
  async (torn) => {
    await store.keep('a', version('1'));
    appendFileSync(join(folder, 'a', 'index.jsonl'), torn);
    await store.keep('a', version('22'));
    expect(await store.list('a')).toHaveLength(2);
  },
);

it('nothing outside the folder can be read as a version', async () => {
  writeFileSync(join(folder, 'secret.json'), 'x');
  expect(await store.text('a', '../secret')).toBeUndefined();
  expect(await store.text('.', 'secret')).toBeUndefined();
});

it('a retired flow has no version that serves, but keeps its history', async () => {
  await store.keep('a', version('1'));
  await store.retire('a');
  expect(await store.lastLive('a')).toBeUndefined();
  expect(await store.list('a')).toMatchObject([{ live: false }]);
});

it('a folder that cannot be written is reported and does not throw', async () => {
  writeFileSync(join(folder, 'a'), 'in the way');
  expect(await store.keep('a', version('1'))).toBe(false);
  expect(warnings).toEqual([expect.stringContaining('flow a serves, but could not be stored')]);
});

it('each line names the project and the actor; versions of 0.2.0, which named only an author, are still listed', async () => {
  await store.keep('a', version('1'));
  await store.label('a', contentHash('1'), { label: 'v1', actor: actorNamed('bob') });
  const file = join(folder, 'a', 'index.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { project: 'default', actor: actorNamed('ada'), author: 'ada' },
    { project: 'default', actor: actorNamed('bob'), label: 'v1' },
  ]);
  const older = { version: contentHash('22'), author: 'ada', at: '2026-01-01T00:00:00.000Z' };
  appendFileSync(file, `\n${JSON.stringify(older)}\n`);
  expect(await store.list('a')).toEqual([
    { ...older, number: 2, label: undefined, actor: undefined, live: false },
    expect.objectContaining({ author: 'ada', actor: actorNamed('ada'), label: 'v1' }),
  ]);
});

it('a version keeps its number when it goes live again', async () => {
  for (const text of ['1', '22', '1']) await store.keep('a', version(text));
  expect(await store.list('a')).toMatchObject([
    { version: contentHash('1'), number: 1, live: true },
    { version: contentHash('22'), number: 2 },
  ]);
});
