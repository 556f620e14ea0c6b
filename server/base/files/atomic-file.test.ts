import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stageFile, sweepLeftovers, writeFileAtomic } from './atomic-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-atomic-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a write makes the file, or replaces it and keeps its mode', async () => {
  const file = join(folder, 'a.json');
  await writeFileAtomic(file, 'one');
  chmodSync(file, 0o640);
  await writeFileAtomic(file, 'two');
  expect(readFileSync(file, 'utf8')).toBe('two');
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder)).toEqual(['a.json']);
});

it('an error of the guard cancels the write and leaves nothing behind', async () => {
  const file = join(folder, 'a.json');
  writeFileSync(file, 'old');
  const guard = () => {
    throw new Error('not now');
  };
  await expect(writeFileAtomic(file, 'new', { guard })).rejects.toThrow('not now');
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['a.json']);
});

it('the guard sees the old file, whole, at the last moment', async () => {
  const file = join(folder, 'a.json');
  writeFileSync(file, 'old');
  let seen = '';
  await writeFileAtomic(file, 'new', { guard: () => void (seen = readFileSync(file, 'utf8')) });
  expect(seen).toBe('old');
});

it('a write that the disk refuses is storage_failed with the reason, and leaves nothing behind', async () => {
  const blocked = join(folder, 'a.json');
  mkdirSync(join(blocked, 'sub'), { recursive: true });
  await expect(writeFileAtomic(blocked, 'new')).rejects.toMatchObject({
    code: 'storage_failed',
    message: expect.stringMatching(/a\.json \((EISDIR|ENOTEMPTY|EEXIST)\)/),
  });
  expect(readdirSync(folder)).toEqual(['a.json']);
  await expect(writeFileAtomic(join(folder, 'gone', 'b.json'), 'x')).rejects.toMatchObject({
    code: 'storage_failed',
    detail: [{ type: 'ENOENT', loc: ['b.json'] }],
  });
});

it('staged content takes its place when it is committed, and leaves nothing when it is discarded', async () => {
  const file = join(folder, 'a.json');
  writeFileSync(file, 'old');
  const dropped = stageFile(file, 'dropped');
  const staged = stageFile(file, 'new');
  await dropped.discard();
  expect(readFileSync(file, 'utf8')).toBe('old');
  await staged.commit(() => expect(readFileSync(file, 'utf8')).toBe('old'));
  await staged.discard();
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(readdirSync(folder)).toEqual(['a.json']);
});

it('staged content that could not be written is reported when it is committed', async () => {
  const staged = stageFile(join(folder, 'gone', 'b.json'), 'x');
  await new Promise((done) => setTimeout(done, 20));
  await expect(staged.commit()).rejects.toMatchObject({ code: 'storage_failed' });
  await staged.discard();
});

it('leftovers of dead processes are swept, those of a living one and other hidden files are not', () => {
  const own = `.a.json.${process.pid}-0123abcd.tmp`;
  const living = `.a.json.${process.ppid}-0123abcd.tmp`;
  // Above the largest process id of Linux.
  const dead = '.a.json.4194399-0123abcd.tmp';
  for (const name of [own, living, dead, '.a.json.tmp', 'a.json']) writeFileSync(join(folder, name), '');
  sweepLeftovers(folder);
  expect(readdirSync(folder).sort()).toEqual([living, '.a.json.tmp', 'a.json'].sort());
});
