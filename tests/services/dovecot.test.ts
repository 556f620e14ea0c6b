import { expect, test } from 'vitest';
import { asker, connectionBed, never } from '../../server/integrations/connections/testing/connection-bed.ts';
import { certificate } from '../../server/integrations/connections/testing/self-signed.ts';
import { startDovecot } from '../support/dovecot.ts';
import { killBetweenMails, letter } from '../support/mail-kills.ts';

const ADA = { user: 'ada', password: 'right' };

async function openBox(settings: Record<string, unknown>, signal = never) {
  const bed = connectionBed();
  const all = { host: '127.0.0.1', ...ADA, ...settings };
  await bed.connections.put('box', { kind: 'imap', settings: all, grants: { flows: ['f'] } });
  const ask = (action: string, given: Record<string, unknown>, timeoutMs = 20_000): Promise<unknown> =>
    bed.connections.actions.ask(
      { connection: 'box', kind: 'imap', action, given: { mailbox: 'INBOX', ...given }, timeoutMs },
      asker,
      signal,
    );
  const list = (filter: Record<string, unknown> = {}) =>
    ask('list', { order: 'oldest', limit: 100, ...filter }) as Promise<Listed>;
  return { ...bed, ask, list };
}

interface Listed {
  readonly validity: string;
  readonly next: number;
  readonly total: number;
  readonly mails: readonly Record<string, unknown>[];
}

test('mails are listed, searched, read, marked, moved and deleted', async () => {
  const { port, drop } = await startDovecot();
  const box = await openBox({ port, tls: 'off' });
  expect(await box.list()).toMatchObject({ total: 0, mails: [] });
  for (const subject of ['Order 1', 'Offer', 'Order 2']) drop(letter(subject));
  const all = await box.list();
  expect(all.total).toBe(3);
  expect(all.mails[0]).toMatchObject({
    subject: expect.any(String),
    from: { name: 'Ada', address: 'ada@example.com' },
    to: [{ name: '', address: 'shop@example.com' }],
    date: '2026-03-02T08:00:00.000Z',
    read: false,
  });
  const orders = await box.list({ subject: 'order', limit: 1, order: 'newest' });
  expect(orders).toMatchObject({ total: 2 });
  const [first] = orders.mails as [{ uid: number; subject: string }];
  const place = { uid: first.uid, validity: all.validity };
  const whole = (await box.ask('source', { ...place, maxBytes: 10_000 })) as { source: Uint8Array };
  expect(new TextDecoder().decode(whole.source)).toContain(`Text of ${first.subject}`);
  expect((await box.list({ unread: true })).total).toBe(3);
  await box.ask('change', { ...place, read: true, flagged: true });
  expect((await box.list({ unread: true })).total).toBe(2);
  await box.ask('change', { ...place, moveTo: 'Archive' });
  expect((await box.list()).total).toBe(2);
  expect(await box.list({ mailbox: 'Archive' })).toMatchObject({
    total: 1,
    mails: [{ read: true, flagged: true }],
  });
  const [left] = (await box.list()).mails as [{ uid: number }];
  await box.ask('change', { uid: left.uid, delete: true });
  expect((await box.list()).total).toBe(1);
});

test('what cannot be done has a code, and the session goes on', async () => {
  const { port, drop } = await startDovecot();
  const box = await openBox({ port, tls: 'off', most: 1 });
  drop(letter('Big', `\n${'x'.repeat(5000)}`));
  const { validity, mails } = await box.list();
  const [{ uid }] = mails as [{ uid: number }];
  const failing: [string, Record<string, unknown>, string][] = [
    ['source', { uid, maxBytes: 100 }, 'value_too_large'],
    ['source', { uid: uid + 100, maxBytes: 100_000 }, 'action_failed'],
    ['source', { uid, validity: `${validity}1`, maxBytes: 100_000 }, 'action_failed'],
    ['change', { uid: uid + 100, read: true }, 'action_failed'],
    ['change', { uid, moveTo: 'No such mailbox' }, 'action_failed'],
    ['list', { mailbox: 'No such mailbox', order: 'newest', limit: 1 }, 'action_failed'],
  ];
  for (const [action, given, code] of failing)
    await expect(box.ask(action, given), action).rejects.toMatchObject({ code });
  expect((await box.list()).total).toBe(1);
  expect(box.connections.counts()).toMatchObject([{ open: 1 }]);
});

test('a connection is encrypted, and its certificate and password are checked', async () => {
  const { port, securePort } = await startDovecot();
  const checked = { tls: 'verified', ca: certificate };
  const good = [
    { port: securePort, begins: 'encrypted', ...checked },
    { port, begins: 'plain', ...checked },
  ];
  for (const settings of good) {
    expect(await (await openBox(settings)).list()).toMatchObject({ total: 0 });
    await expect((await openBox({ ...settings, password: 'wrong' })).list()).rejects.toMatchObject({
      code: 'connection_refused',
      message: expect.stringContaining('refused the sign-in'),
    });
    await expect((await openBox({ ...settings, ca: '' })).list()).rejects.toMatchObject({
      code: 'connection_refused',
      message: expect.stringContaining('certificate'),
    });
  }
  await expect((await openBox({ port, begins: 'encrypted', ...checked })).list()).rejects.toMatchObject({
    code: 'connection_refused',
  });
});

test('the wait for a mail ends when it arrives, after its time, or when it is stopped', async () => {
  const { port, drop } = await startDovecot();
  const stop = new AbortController();
  const box = await openBox({ port, tls: 'off' }, stop.signal);
  const { next } = await box.list();
  expect(await box.ask('wait', { next, ms: 50 })).toBe(false);
  const waiting = box.ask('wait', { next, ms: 60_000 }, 90_000);
  drop(letter('New'));
  expect(await waiting).toBe(true);
  expect(await box.ask('wait', { next, ms: 60_000 })).toBe(true);
  const stopped = box.ask('wait', { next: next + 1, ms: 60_000 }, 90_000);
  await expect.poll(() => box.connections.counts()[0]).toMatchObject({ open: 1, idle: 0 });
  stop.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow('stopped');
  await expect.poll(() => box.connections.counts()[0]?.open).toBe(0);
});

// At 50 moments: `dovecot-kills.test.ts`.
test('each mail starts one run, also when the server is killed again and again', { timeout: 300_000 }, () =>
  killBetweenMails({ kills: 6, mails: 5 }),
);
