import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../testing/platform-bed.ts';
import { type FlowsLock, lockFlows } from './flows-lock.ts';

const release = (lock: FlowsLock): void => {
  if (lock.state !== 'taken') lock.release();
};

function claimed(lock: FlowsLock): FlowsLock {
  if (lock.state === 'held') lock.claim();
  return lock;
}

/** Another process that locks the folder as a user who owns no file here; returns the process and its result. */
async function otherProcess(folder: string, { reader = false } = {}) {
  const module = pathToFileURL(join(import.meta.dirname, 'flows-lock.ts')).href;
  const script = `const { lockFlows } = await import(${JSON.stringify(module)});
    const lock = lockFlows(${JSON.stringify(folder)}, 'other');
    lock.claim?.();
    setInterval(() => { gc(); console.log(lock.state); }, 20);`;
  // The superuser may write everywhere.
  const user = reader && process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
    ...user,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The other process ended.')));
  ended.catch(() => {});
  let state = '';
  for (let i = 0; i < 3; i++)
    state = String((await Promise.race([once(child.stdout, 'data'), ended]))[0]).trim();
  return { child, state: state.split('\n').at(-1) };
}

/** Only the superuser may write there. */
function closeFolder(folder: string): void {
  if (existsSync(join(folder, '.drafts'))) {
    chmodSync(join(folder, '.drafts', 'server.lock'), 0o444);
    chmodSync(join(folder, '.drafts'), 0o555);
  }
  chmodSync(folder, 0o555);
  onTestFinished(() => {
    chmodSync(folder, 0o755);
    if (existsSync(join(folder, '.drafts'))) chmodSync(join(folder, '.drafts'), 0o755);
  });
}

test('one server has the folder, the other learns which; a released folder is free', async () => {
  const folder = await tempFolder();
  const first = claimed(lockFlows(folder, 'a'));
  expect(first).toMatchObject({ state: 'held', before: undefined });
  expect(lockFlows(folder, 'b')).toMatchObject({
    state: 'taken',
    by: { data: 'a', host: hostname(), pid: process.pid },
  });
  release(first);
  const second = lockFlows(folder, 'b');
  expect(second).toMatchObject({ state: 'held', before: { data: 'a' } });
  // Not claimed, so not recorded.
  release(first);
  expect(lockFlows(folder, 'c').state).toBe('taken');
  release(second);
});

test('a folder whose server was killed is free at once, and not before', async () => {
  const folder = await tempFolder();
  const { child } = await otherProcess(folder);
  expect(lockFlows(folder, 'b')).toMatchObject({ state: 'taken', by: { data: 'other', pid: child.pid } });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = lockFlows(folder, 'b');
  expect(lock).toMatchObject({ state: 'held', before: { data: 'other' } });
  release(lock);
});

test('a server that may only read the folder notices one that writes there', async () => {
  const folder = await tempFolder();
  const lock = lockFlows(folder, 'a');
  closeFolder(folder);
  expect((await otherProcess(folder, { reader: true })).state).toBe('taken');
  release(lock);
  expect((await otherProcess(folder, { reader: true })).state).toBe('unknown');
});

test('a server that writes to the folder notices one that may only read it', async () => {
  const folder = await tempFolder();
  release(lockFlows(folder, 'a'));
  closeFolder(folder);
  const { child } = await otherProcess(folder, { reader: true });
  chmodSync(folder, 0o755);
  chmodSync(join(folder, '.drafts'), 0o755);
  chmodSync(join(folder, '.drafts', 'server.lock'), 0o644);
  expect(lockFlows(folder, 'a')).toEqual({ state: 'taken', by: undefined });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = lockFlows(folder, 'a');
  expect(lock.state).toBe('held');
  release(lock);
});

test('a folder that was never written to cannot be judged, and neither can a damaged lock', async () => {
  const folder = await tempFolder();
  closeFolder(folder);
  expect((await otherProcess(folder, { reader: true })).state).toBe('unknown');
  chmodSync(folder, 0o755);
  release(lockFlows(folder, 'a'));
  writeFileSync(
    join(folder, '.drafts', 'server.lock'),
    'no database at all, but longer than its header is'.repeat(9),
  );
  expect(lockFlows(folder, 'a').state).toBe('unknown');
});

test('a folder that does not exist has no owner, and is not created', async () => {
  const folder = join(await tempFolder(), 'none');
  expect(lockFlows(folder, 'a').state).toBe('held');
  expect(lockFlows(folder, 'b').state).toBe('held');
  expect(existsSync(folder)).toBe(false);
});
