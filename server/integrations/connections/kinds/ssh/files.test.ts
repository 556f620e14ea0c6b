import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../../../tests/support/server.ts';
import { by, signal } from '../../../../storage/file-store/store.contract.ts';
import { openBox, openInbox } from './testing/ssh.contract.ts';
import { startSsh } from './testing/ssh-server.ts';

test('links lead nowhere out of the folder of the connection', async () => {
  const folder = tempFolder('sftp');
  mkdirSync(join(folder, 'in/deep'), { recursive: true });
  mkdirSync(join(folder, 'out'));
  writeFileSync(join(folder, 'out/secret.txt'), 'secret');
  writeFileSync(join(folder, 'in/deep/a.txt'), 'mine');
  symlinkSync('../out', join(folder, 'in/away'));
  symlinkSync('../out/secret.txt', join(folder, 'in/file'));
  symlinkSync('deep', join(folder, 'in/near'));
  const { folders, file, textOf, close } = await openInbox({
    ...(await startSsh({ folder })).settings,
    folder: '/in',
  });
  for (const way of [
    () => folders.read('inbox', 'away/secret.txt', by, { signal }),
    () => folders.read('inbox', 'file', by, { signal }),
    () => folders.list('inbox', 'away', by, { signal }),
    () => folders.remove('inbox', 'away/secret.txt', by, { signal }),
    async () => folders.write('inbox', 'away/new.txt', await file('x'), { by, signal }),
  ])
    await expect(way()).rejects.toMatchObject({ code: 'folder_path_refused' });
  expect(await textOf(await folders.read('inbox', 'near/a.txt', by, { signal }))).toBe('mine');
  expect((await folders.list('inbox', '', by, { signal })).map(({ path }) => path)).toEqual(['deep']);
  // A link itself is replaced.
  await folders.write('inbox', 'file', await file('new'), { by, signal, replace: true });
  expect([
    readFileSync(join(folder, 'in/file'), 'utf8'),
    readFileSync(join(folder, 'out/secret.txt'), 'utf8'),
  ]).toEqual(['new', 'secret']);
  expect(existsSync(join(folder, 'out/new.txt'))).toBe(false);
  await close();
});

test('a server that resolves no links follows none for a connection with a folder', async () => {
  const folder = tempFolder('sftp');
  mkdirSync(join(folder, 'in'));
  mkdirSync(join(folder, 'out'));
  writeFileSync(join(folder, 'out/secret.txt'), 'secret');
  writeFileSync(join(folder, 'in/a.txt'), 'mine');
  symlinkSync('../out', join(folder, 'in/away'));
  symlinkSync('../out/secret.txt', join(folder, 'in/file'));
  const { settings } = await startSsh({ folder, isLexical: true });
  const { folders, file, textOf, close } = await openInbox({ ...settings, folder: '/in' });
  for (const way of [
    () => folders.read('inbox', 'away/secret.txt', by, { signal }),
    () => folders.read('inbox', 'file', by, { signal }),
    () => folders.list('inbox', 'away', by, { signal }),
    () => folders.remove('inbox', 'away/secret.txt', by, { signal }),
    async () => folders.write('inbox', 'away/new.txt', await file('x'), { by, signal }),
  ])
    await expect(way()).rejects.toMatchObject({ code: 'folder_path_refused' });
  expect(await textOf(await folders.read('inbox', 'a.txt', by, { signal }))).toBe('mine');
  await close();
});

test('a file that is replaced keeps its rights, and nothing is left beside it', async () => {
  const folder = tempFolder('sftp');
  writeFileSync(join(folder, 'a.sh'), 'old', { mode: 0o750 });
  const { folders, file, close } = await openInbox((await startSsh({ folder })).settings);
  await folders.write('inbox', 'a.sh', await file('new'), { by, signal, replace: true });
  expect([readFileSync(join(folder, 'a.sh'), 'utf8'), statSync(join(folder, 'a.sh')).mode & 0o777]).toEqual([
    'new',
    0o750,
  ]);
  expect(readdirSync(folder)).toEqual(['a.sh']);
  await close();
});

test('a server that gives less than it is asked for is asked again', async () => {
  const folder = tempFolder('sftp');
  const text = Array.from({ length: 30_000 }, (_, n) => `line ${n}\n`).join('');
  writeFileSync(join(folder, 'long.txt'), text);
  const { folders, textOf, close } = await openInbox((await startSsh({ folder, readBytes: 7001 })).settings);
  expect((await textOf(await folders.read('inbox', 'long.txt', by, { signal }))) === text).toBe(true);
  await close();
});

test('a server that does not answer is left, when its time is over or the run is cancelled', async () => {
  const folder = tempFolder('sftp');
  writeFileSync(join(folder, 'a.txt'), 'Hello');
  let heard = (): void => {};
  const { settings } = await startSsh({ folder, mute: () => heard() });
  const slow = await openInbox({ ...settings, timeoutMs: 500 });
  await expect(slow.folders.read('inbox', 'a.txt', by, { signal })).rejects.toMatchObject({
    code: 'connection_failed',
    message: 'The SSH server was silent for 500 ms.',
  });
  await slow.close();
  const patient = await openInbox(settings);
  const stop = new AbortController();
  heard = () => stop.abort(new Error('cancelled'));
  await expect(patient.folders.read('inbox', 'a.txt', by, { signal: stop.signal })).rejects.toThrow(
    'cancelled',
  );
  await expect.poll(() => patient.connections.counts(), { timeout: 10_000 }).toMatchObject([{ open: 0 }]);
  await patient.close();
});

test('a server whose lists say nothing but names is asked for each', async () => {
  const folder = tempFolder('sftp');
  mkdirSync(join(folder, 'in'));
  writeFileSync(join(folder, 'a.txt'), 'Hello');
  const { folders, close } = await openInbox((await startSsh({ folder, isVague: true })).settings);
  expect(await folders.list('inbox', '', by, { signal })).toMatchObject([
    { path: 'a.txt', kind: 'file', bytes: 5 },
    { path: 'in', kind: 'folder', bytes: 0 },
  ]);
  await close();
});

test('a server without SFTP, and a folder that is not there', async () => {
  const bare = await openInbox((await startSsh()).settings);
  await expect(bare.folders.list('inbox', '', by, { signal })).rejects.toMatchObject({
    code: 'action_failed',
  });
  await bare.close();
  const folder = tempFolder('sftp');
  const lost = await openInbox({ ...(await startSsh({ folder })).settings, folder: '/nowhere' });
  await expect(lost.folders.list('inbox', '', by, { signal })).rejects.toMatchObject({
    code: 'connection_refused',
    message: 'There is no folder /nowhere on the SSH server.',
  });
  expect(await lost.connections.test('inbox')).toMatchObject({
    ok: false,
    error: { code: 'connection_refused' },
  });
  await lost.close();
});

test('the session goes on after its server has ended an idle one', async () => {
  const folder = tempFolder('sftp');
  writeFileSync(join(folder, 'a.txt'), 'Hello');
  const { settings, connections } = await startSsh({ folder });
  const { folders, textOf, close } = await openInbox(settings);
  for (const _ of [1, 2]) {
    expect(await textOf(await folders.read('inbox', 'a.txt', by, { signal }))).toBe('Hello');
    for (const one of connections) one.end();
  }
  await close();
});

test('a flow without a grant gets nothing, and the files of another kind are none', async () => {
  const box = await openBox((await startSsh({ folder: tempFolder('sftp') })).settings);
  await expect(box.connections.store('box', { ...by, flow: 'other' })).rejects.toMatchObject({
    code: 'connection_not_granted',
  });
  await box.connections.put('cache', {
    kind: 'redis',
    settings: { host: 'a.example' },
    grants: { flows: ['f'] },
  });
  await expect(box.connections.store('cache', by)).rejects.toMatchObject({ code: 'connection_missing' });
});
