import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { lockData } from './lock.ts';
import { StartError } from '../errors/start-error.ts';
import { tempFolder } from '../testing/platform-bed.ts';

test('a folder that another server uses is refused, naming its process', async () => {
  const data = await tempFolder();
  const lock = lockData(data);
  expect(() => lockData(data)).toThrow(StartError);
  expect(() => lockData(data)).toThrow(`process ${process.pid}, started 20`);
  lock.release();
});

test('a released folder is free again, and releasing twice harms nobody', async () => {
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

test('a folder whose server was killed is free at once, and not before, whoever remembers the lock', async () => {
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
