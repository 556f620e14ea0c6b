import type { SFTPWrapper } from 'ssh2';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../../../tests/support/server.ts';
import { by, signal } from '../../../../storage/file-store/store.contract.ts';
import { settings as schema } from './settings.ts';
import { Sftp } from './sftp.ts';
import { startBetween } from './testing/between.ts';
import { openBox, openInbox } from './testing/ssh.contract.ts';
import { startSsh } from './testing/ssh-server.ts';

test('a server that does not begin a command is left when its time is over', async () => {
  const box = await openBox((await startSsh({ isDeaf: true })).settings);
  await expect(box.run('true', { timeoutMs: 2000 })).rejects.toMatchObject({ code: 'action_timeout' });
  await expect
    .poll(() => box.connections.counts(), { timeout: 10_000 })
    .toMatchObject([{ open: 0, queued: 0 }]);
});

test('a server that does not begin SFTP is left when it was silent for too long', async () => {
  const { settings } = await startSsh({ isDeaf: true });
  const inbox = await openInbox({ ...settings, timeoutMs: 500 });
  await expect(inbox.folders.list('inbox', '', by, { signal })).rejects.toMatchObject({
    code: 'connection_failed',
    message: 'The SSH server was silent for 500 ms.',
  });
  expect(await inbox.connections.test('inbox')).toMatchObject({ error: { code: 'connection_failed' } });
  await expect.poll(() => inbox.connections.counts(), { timeout: 10_000 }).toMatchObject([{ open: 0 }]);
  await inbox.close();
});

test('a folder whose lists are empty and never end is too large', async () => {
  const endless = {
    on: () => endless,
    opendir: (_: string, done: (error: undefined, handle: Buffer) => void) =>
      done(undefined, Buffer.alloc(4)),
    readdir: (_: Buffer, done: (error: undefined, names: []) => void) => done(undefined, []),
    close: (_: Buffer, done: () => void) => done(),
  };
  const given = schema.parse({ host: 'a.example', user: 'ada' });
  const sftp = new Sftp(endless as unknown as SFTPWrapper, given, () => {});
  await expect(Array.fromAsync(sftp.entries('/'))).rejects.toMatchObject({ code: 'value_too_large' });
});

// A check of the session that ignores the run would take a minute.
test('an idle session that has fallen silent is left when the run is cancelled', async () => {
  const { settings, port } = await startSsh({ folder: tempFolder('sftp') });
  const between = await startBetween(port);
  const inbox = await openInbox({ ...settings, port: between.port });
  expect(await inbox.folders.list('inbox', '', by, { signal })).toEqual([]);
  between.freeze();
  const stop = new AbortController();
  const listing = inbox.folders.list('inbox', '', by, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error('cancelled')), 200);
  await expect(listing).rejects.toThrow('cancelled');
  await expect.poll(() => inbox.connections.counts(), { timeout: 10_000 }).toMatchObject([{ open: 0 }]);
  await inbox.close();
}, 40_000);

test('a session that speaks no SSH any more fails what is under way, although its socket stays open', async () => {
  const { settings, port } = await startSsh();
  const between = await startBetween(port);
  const box = await openBox({ ...settings, port: between.port });
  await box.run('true');
  const running = box.run('sleep 100');
  setTimeout(() => between.disturb(), 300);
  await expect(running).rejects.toMatchObject({ code: 'connection_failed' });
  await expect.poll(() => box.connections.counts(), { timeout: 10_000 }).toMatchObject([{ open: 0 }]);
});
