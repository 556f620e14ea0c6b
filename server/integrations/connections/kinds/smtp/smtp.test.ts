import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { asker, connectionBed, type Made, never } from '../../testing/connection-bed.ts';
import { certificate } from '../../testing/self-signed.ts';
import { startServer } from '../redis/testing/redis-server.ts';
import { startSmtp } from './testing/smtp-server.ts';

const plain = (port: number) => ({ host: '127.0.0.1', port, tls: 'off', from: 'Shop <shop@example.com>' });

async function openPost(settings: Made['settings'], { timeoutMs = 20_000, signal = never } = {}) {
  const bed = connectionBed();
  await bed.connections.put('post', { kind: 'smtp', settings, grants: { flows: ['f'] } });
  const send = (mail: Record<string, unknown>) =>
    bed.connections.actions.ask(
      {
        connection: 'post',
        kind: 'smtp',
        action: 'send',
        given: { to: ['ada@example.com'], text: 'Hello', key: 'run:node', ...mail },
        timeoutMs,
      },
      asker,
      signal,
    );
  return { ...bed, send };
}

/** The header with its continued lines. */
function headerOf(source: string, name: string): string | undefined {
  const [head = ''] = source.split('\r\n\r\n');
  return new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'im').exec(head)?.[1]?.replaceAll(/\r\n\s+/g, ' ');
}

describe('a mail', () => {
  test('arrives with its texts, addresses and files', async () => {
    const { port, received } = await startSmtp();
    const post = await openPost(plain(port));
    const sent = await post.send({
      to: ['Ada Lovelace <ada@example.com>, lin@example.com'],
      cc: ['"Doe, Tim" <tim@example.com>'],
      bcc: ['secret@example.com'],
      replyTo: ['help@example.com'],
      subject: 'Übersicht 📦',
      text: 'Grüße\n.\nEnd',
      html: '<p>Grüße</p>',
      inReplyTo: '<before@example.com>',
      references: ['<before@example.com>'],
      attachments: [{ name: 'größe.csv', type: 'text/csv', content: new TextEncoder().encode('a,b\n1,2') }],
    });
    expect(sent).toMatchObject({
      accepted: ['ada@example.com', 'lin@example.com', 'tim@example.com', 'secret@example.com'],
      rejected: [],
    });
    const [mail] = received;
    const { source = '' } = mail ?? {};
    expect(mail).toMatchObject({
      from: 'shop@example.com',
      to: ['ada@example.com', 'lin@example.com', 'tim@example.com', 'secret@example.com'],
    });
    expect(headerOf(source, 'From')).toBe('Shop <shop@example.com>');
    expect(headerOf(source, 'To')).toBe('Ada Lovelace <ada@example.com>, lin@example.com');
    expect(headerOf(source, 'Cc')).toBe('"Doe, Tim" <tim@example.com>');
    expect(headerOf(source, 'Bcc')).toBeUndefined();
    expect(headerOf(source, 'Reply-To')).toBe('help@example.com');
    expect(headerOf(source, 'In-Reply-To')).toBe('<before@example.com>');
    expect(headerOf(source, 'Message-ID')).toBe((sent as { messageId: string }).messageId);
    expect(source).toContain(Buffer.from('a,b\n1,2').toString('base64'));
    expect(source).toContain('text/html');
    expect(source).not.toContain('secret@example.com');
  });

  test('has the same message id in each attempt, and another one for another node', async () => {
    const { port } = await startSmtp();
    const post = await openPost(plain(port));
    const ids = [];
    for (const key of ['run:a', 'run:a', 'run:b'])
      ids.push(((await post.send({ key })) as { messageId: string }).messageId);
    expect(ids[0]).toMatch(/^<[0-9a-f]{40}@example\.com>$/);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test('cannot add headers, recipients or commands by its texts', async () => {
    const { port, received } = await startSmtp();
    const post = await openPost(plain(port));
    const evil = 'x\r\nBcc: thief@example.com\r\n\r\n<script>\r\n.\r\nRCPT TO:<thief@example.com>';
    await post.send({
      subject: evil,
      text: evil,
      attachments: [{ name: evil, type: 'text/plain\r\nBcc: thief@example.com', content: new Uint8Array(1) }],
    });
    expect(received).toHaveLength(1);
    expect(received[0]?.to).toEqual(['ada@example.com']);
    expect(headerOf(received[0]?.source ?? '', 'Bcc')).toBeUndefined();
  });

  test.each([
    ['no recipient', { to: [] }, 'no recipient'],
    ['a name alone', { to: ['Ada'] }, 'is not a mail address'],
    ['two at signs', { to: ['a@b@c.example'] }, 'is not a mail address'],
    ['a command in an address', { to: ['<a@b.example>\r\nRCPT TO:<x@y.example>'] }, 'is not a mail address'],
    ['two addresses in one', { to: ['Ada <ada@b.example> <x@y.example>'] }, 'is not a mail address'],
    ['addresses without a comma', { to: ['ada@b.example x@y.example'] }, 'is not a mail address'],
    ['a header in a name', { from: 'Shop\r\nBcc: t <shop@b.example>' }, 'is not a mail address'],
    ['two senders', { from: 'a@b.example, c@d.example' }, '`from` has to be one address'],
    ['no sender', { from: '' }, '`from` has to be one address'],
    [
      'an attachment that is a text',
      { attachments: [{ name: 'a', type: 'b', content: 'c' }] },
      'not a sequence of bytes',
    ],
  ])('with %s is refused before anything is sent', async (_what, mail, why) => {
    const { port, received } = await startSmtp();
    const post = await openPost(plain(port));
    await expect(post.send(mail)).rejects.toMatchObject({
      code: 'action_invalid',
      message: expect.stringContaining(why),
    });
    expect(received).toEqual([]);
  });

  test('to some refused addresses goes to the others, and says so', async () => {
    const { port, received } = await startSmtp({
      refuses: (address) => (address.startsWith('no') ? [550, '5.1.1 No such user'] : undefined),
    });
    const post = await openPost(plain(port));
    const sent = await post.send({ to: ['ada@example.com', 'nobody@example.com'] });
    expect(sent).toMatchObject({
      accepted: ['ada@example.com'],
      rejected: [{ address: 'nobody@example.com', reason: expect.stringContaining('No such user') }],
    });
    expect(received[0]?.to).toEqual(['ada@example.com']);
  });

  test.each([
    [550, '5.1.1 No such user', false],
    [451, '4.7.1 Greylisted, try again', true],
  ])('that nobody gets is an error; %i %s may pass: %s', async (code, text, transient) => {
    const { port } = await startSmtp({ refuses: () => [code, text] });
    const post = await openPost(plain(port));
    await expect(post.send({})).rejects.toMatchObject({
      code: 'action_failed',
      transient,
      message: expect.stringContaining(text),
      data: { status: code },
    });
    expect(post.connections.counts()).toMatchObject([{ open: 0 }]);
  });

  test('that is too large for the server is an error with its reason', async () => {
    const { port } = await startSmtp({ maxBytes: 1000 });
    const post = await openPost(plain(port));
    await expect(post.send({ text: 'x'.repeat(5000) })).rejects.toMatchObject({ code: 'action_failed' });
  });
});

describe('a session', () => {
  test('is used again, and several mails at once use several', async () => {
    const { port, received, sessions } = await startSmtp();
    const post = await openPost({ ...plain(port), most: 2 });
    for (let i = 0; i < 5; i++) await post.send({ key: `one:${i}` });
    expect(sessions()).toBe(1);
    await Promise.all(Array.from({ length: 10 }, (_, i) => post.send({ key: `two:${i}` })));
    expect(received).toHaveLength(15);
    expect(sessions()).toBe(2);
  });

  test.each(['starttls', 'encrypted'] as const)(
    'signs in over an encrypted connection: %s',
    async (encrypts) => {
      const { port, received } = await startSmtp({ encrypts, user: 'shop' });
      const begins = encrypts === 'encrypted' ? 'encrypted' : 'plain';
      const settings = {
        ...plain(port),
        begins,
        tls: 'verified',
        ca: certificate,
        user: 'shop',
        password: 'right',
      };
      const post = await openPost(settings);
      await post.send({});
      expect(received[0]).toMatchObject({ isEncrypted: true, user: 'shop' });
      const wrong = await openPost({ ...settings, password: 'wrong' });
      await expect(wrong.send({})).rejects.toMatchObject({
        code: 'connection_refused',
        message: expect.stringContaining('refused the sign-in'),
      });
    },
  );

  test.each([
    ['offers no encryption', {}, 'plain', 'offers no encryption'],
    ['is unknown', { encrypts: 'starttls' }, 'plain', 'certificate'],
    ['is unknown from the start', { encrypts: 'encrypted' }, 'encrypted', 'certificate'],
    ['encrypts later', { encrypts: 'starttls' }, 'encrypted', 'set `begins`'],
  ] as const)(
    'is not opened, and sends no password, if the server %s',
    async (_how, options, begins, why) => {
      const { port, received } = await startSmtp({ ...options, user: 'shop' });
      const post = await openPost({
        ...plain(port),
        begins,
        tls: 'verified',
        user: 'shop',
        password: 'right',
      });
      await expect(post.send({})).rejects.toMatchObject({
        code: 'connection_refused',
        message: expect.stringContaining(why),
      });
      expect(received).toEqual([]);
    },
  );

  test.each<[string, (socket: Socket) => void, string]>([
    ['closes at once', (socket) => socket.destroy(), 'connection_failed'],
    ['resets at once', (socket) => socket.resetAndDestroy(), 'connection_failed'],
    ['says nothing', () => {}, 'action_timeout'],
    ['is no mail server', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), 'connection_failed'],
    ['is going down', (socket) => socket.write('421 4.3.2 Going down\r\n'), 'connection_failed'],
    [
      'never ends its greeting',
      (socket) => socket.write(`220-${'x'.repeat(1000)}\r\n220-`),
      'action_timeout',
    ],
  ])('with a server that %s fails with a code', async (_how, onSocket, code) => {
    const port = await startServer(onSocket);
    const post = await openPost(plain(port), { timeoutMs: code === 'action_timeout' ? 400 : 20_000 });
    await expect(post.send({})).rejects.toMatchObject({ code });
    await expect.poll(() => post.connections.counts()[0]?.open).toBe(0);
  });
});
