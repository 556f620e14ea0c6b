import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { lockData } from './lock.ts';
import { StartError } from '../errors/start-error.ts';
import { tempFolder } from '../../testing/platform-bed.ts';

test('a folder that another server uses is refused, naming its process', async () => {
  const data = await tempFolder();
  const lock = lockData(data);
  expect(() => lockData(data)).toThrow(StartError);
  expect(() => lockData(data)).toThrow(`process ${process.pid}, started 20`);
  lock.release();
});

test('a released folder is free again, and releasing twice is harmless', async () => {
  const data = await tempFolder();
  const first = lockData(data);
  first.release();
  const second = lockData(data);
  first.release();
  expect(() => lockData(data)).toThrow(StartError);
  second.release();
  expect(existsSync(join(data, 'weft.pid'))).toBe(false);
});

test('a folder in which the owner cannot be written is not held', async () => {
  const data = await tempFolder();
  const pidFile = join(data, 'weft.pid');
  mkdirSync(pidFile);
  expect(() => lockData(data)).toThrow('EISDIR');
  rmdirSync(pidFile);
  lockData(data).release();
});

test('a folder whose server was killed is free at once, and not before, even if others remember the lock', async () => {
  const data = await tempFolder();
  const module = pathToFileURL(join(import.meta.dirname, 'lock.ts')).href;
  const script = `(await import(${JSON.stringify(module)})).lockData(${JSON.stringify(data)}); setInterval(() => { gc(); console.log('held'); }, 20);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for (let i = 0; i < 3; i++) await once(child.stdout, 'data');
  expect(() => lockData(data)).toThrow(`process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockData(data).release();
});

describe('version 0.1.0, which locks the file `weft.lock`', () => {
  /** The first action of such a server. */
  function openAsOlder(data: string): DatabaseSync {
    const db = new DatabaseSync(join(data, 'weft.lock'));
    db.exec('BEGIN IMMEDIATE');
    return db;
  }

  test('keeps later versions out while it runs, and leaves the folder to them afterwards', async () => {
    const data = await tempFolder();
    const older = openAsOlder(data);
    expect(() => lockData(data)).toThrow('Another server uses the data folder');
    older.close();
    lockData(data).release();
    expect(readdirSync(join(data, 'weft.lock')).sort()).toEqual(['README.txt', 'lock']);
  });

  test('cannot open a folder that a later version had, running or not', async () => {
    const data = await tempFolder();
    const lock = lockData(data);
    expect(() => openAsOlder(data)).toThrow('unable to open database file');
    lock.release();
    expect(() => openAsOlder(data)).toThrow('unable to open database file');
  });
});

test('an owner on another machine, or in another container, is named with its host', async () => {
  const data = await tempFolder();
  const lock = lockData(data);
  writeFileSync(join(data, 'weft.pid'), JSON.stringify({ pid: 7, host: 'elsewhere', startedAt: '2026' }));
  expect(() => lockData(data)).toThrow('(process 7 on elsewhere, started 2026)');
  lock.release();
});
