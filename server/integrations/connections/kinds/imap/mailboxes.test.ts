import { expect, onTestFinished, test } from 'vitest';
import { connectionBed } from '../../testing/connection-bed.ts';
import { type ListedMailbox, startImap } from './testing/imap-server.ts';

async function openBox(mailboxes: readonly ListedMailbox[], settings: Record<string, unknown> = {}) {
  const server = await startImap(mailboxes);
  onTestFinished(() => server.close());
  const bed = connectionBed();
  const all = {
    host: '127.0.0.1',
    port: server.port,
    user: 'ada',
    password: 'right',
    tls: 'off',
    ...settings,
  };
  await bed.connections.put('box', { kind: 'imap', settings: all, grants: { flows: ['f'] } });
  return { ...bed, server };
}

test('the mailboxes of an account are listed by their names, those that hold no mails are left out', async () => {
  const { connections } = await openBox([
    { name: 'INBOX' },
    { name: 'Old', flags: ['\\Archive'] },
    { name: 'Folder', flags: ['\\Noselect'] },
    { name: 'Folder/<b>x</b> "y"' },
  ]);
  const { names, more } = await connections.names('box', 'mailbox');
  expect(more).toBe(false);
  expect(names.map(({ name }) => name).sort()).toEqual(['Folder/<b>x</b> "y"', 'INBOX', 'Old']);
  expect(names.find(({ name }) => name === 'Old')).toEqual({ name: 'Old', hint: 'Archive' });
});

test('the author of a flow sees them if the connection is granted, and nobody else', async () => {
  const { connections } = await openBox([{ name: 'INBOX' }]);
  const use = { operator: 'mail.search', mayPublish: true };
  expect((await connections.names('box', 'mailbox', { ...use, flow: 'f' })).names).toHaveLength(1);
  await expect(connections.names('box', 'mailbox', { ...use, flow: 'other' })).rejects.toMatchObject({
    code: 'connection_not_granted',
  });
});

test('one is made by its name, and one that is there already says so', async () => {
  const { connections, server } = await openBox([{ name: 'INBOX' }]);
  await connections.makeName('box', { of: 'mailbox', name: 'Orders "2026"' });
  expect(server.names()).toEqual(['INBOX', 'Orders "2026"']);
  await expect(connections.makeName('box', { of: 'mailbox', name: 'INBOX' })).rejects.toMatchObject({
    code: 'action_failed',
    message: expect.stringContaining('INBOX'),
  });
});

test('more than a thousand are cut, and a connection without mailboxes says so', async () => {
  const many = Array.from({ length: 1200 }, (_, n) => ({ name: `m${n}` }));
  const { connections } = await openBox(many);
  const { names, more } = await connections.names('box', 'mailbox');
  expect([names.length, more]).toEqual([1000, true]);
  const settings = { host: '127.0.0.1', port: 1, database: 'd', user: 'u' };
  await connections.put('shop', { kind: 'postgres', settings, grants: {} });
  await expect(connections.names('shop', 'mailbox')).rejects.toMatchObject({ code: 'connection_missing' });
  await connections.put('cache', { kind: 'redis', settings: { host: '127.0.0.1', port: 1 }, grants: {} });
  await expect(connections.names('cache', 'mailbox')).rejects.toMatchObject({ code: 'invalid_request' });
});

test('a server that refuses the sign-in says so', async () => {
  const { connections } = await openBox([{ name: 'INBOX' }], { password: 'false' });
  await expect(connections.names('box', 'mailbox')).rejects.toMatchObject({ code: 'connection_refused' });
});
