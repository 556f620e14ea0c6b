import { createServer, type AddressInfo, Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ConnectionGrants } from '#shared/connection.ts';
import { asker, connectionBed, limits, never } from './testing/connection-bed.ts';

const settings = {
  host: '127.0.0.1',
  port: 1,
  database: 'shop',
  user: 'weft',
  password: 'the-password-of-weft',
  tls: 'off',
};

/** The error code of a use of the connection `db`. */
async function use(bed: ReturnType<typeof connectionBed>, by = asker): Promise<string> {
  const call = { connection: 'db', ...limits, sql: 'SELECT 1', params: {} };
  return codeOf(bed.connections.sql.query(call, by, never));
}

function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'answered',
    (error: { code: string }) => error.code,
  );
}

async function granted(grants: ConnectionGrants | undefined) {
  const bed = connectionBed();
  await bed.connections.put('db', { kind: 'postgres', settings, ...(grants && { grants }) });
  return bed;
}

test('a password is sealed, masked and never shown', async () => {
  const bed = await granted({ flows: ['f'] });
  const [info] = bed.connections.list();
  const { password: _, ...shown } = settings;
  expect(info).toMatchObject({ name: 'db', kind: 'postgres', settings: shown, hidden: ['password'] });
  expect(JSON.stringify([info, bed.data()])).not.toContain('the-password');
  expect(bed.redactor.text('It is the-password-of-weft.')).toBe('It is ***.');
});

test('settings that are left out stay, if they are hidden', async () => {
  const bed = await granted({ flows: ['f'] });
  const { password: _, ...rest } = settings;
  const info = await bed.connections.put('db', { kind: 'postgres', settings: { ...rest, most: 2 } });
  expect(info).toMatchObject({ settings: { most: 2 }, hidden: ['password'], grants: { flows: ['f'] } });
  const cleared = await bed.connections.put('db', { kind: 'postgres', settings: { ...rest, password: '' } });
  expect(cleared.hidden).toEqual([]);
});

test('a stored password is never sent to another host', async () => {
  const bed = await granted({ flows: ['f'] });
  const { password: _, ...rest } = settings;
  const moved = { ...rest, host: 'elsewhere.example' };
  await expect(bed.connections.put('db', { kind: 'postgres', settings: moved })).rejects.toMatchObject({
    code: 'connection_secret_again',
    message: expect.stringContaining('Give `password` again, since `host` changed'),
  });
  expect(bed.connections.list()).toMatchObject([{ settings: { host: '127.0.0.1' } }]);
  const again = { ...moved, password: 'another-password' };
  const info = await bed.connections.put('db', { kind: 'postgres', settings: again });
  expect(info.settings).toMatchObject({ host: 'elsewhere.example' });
});

test('settings that the kind does not take are refused with their place', async () => {
  const bed = connectionBed();
  const put = (more: object) =>
    bed.connections.put('db', { kind: 'postgres', settings: { ...settings, ...more } });
  for (const [more, place] of [
    [{ port: 'x' }, 'settings.port'],
    [{ host: '' }, 'settings.host'],
    [{ tls: 'maybe' }, 'settings.tls'],
    [{ sslmode: 'off' }, 'sslmode'],
  ] as const)
    await expect(put(more)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(place),
    });
  expect(bed.connections.list()).toEqual([]);
});

test.each([
  ['nobody', undefined, 'connection_not_granted'],
  ['nobody, in an empty list', { flows: [] }, 'connection_not_granted'],
  ['another flow', { flows: ['g'] }, 'connection_not_granted'],
  ['another operator', { flows: ['f'], operators: ['sql.execute'] }, 'connection_not_granted'],
  ['drafts alone', { drafts: true }, 'connection_not_granted'],
  ['the flow', { flows: ['f'] }, 'connection_failed'],
  ['the operator', { operators: ['sql.query'] }, 'connection_failed'],
])('a connection that is granted to %s', async (_, grants, code) => {
  expect(await use(await granted(grants))).toBe(code);
});

test('an unpublished run gets a connection only if its grants allow drafts', async () => {
  const bed = await granted({ flows: ['f'] });
  bed.untrusted.set('r', 'writer');
  expect(await use(bed)).toBe('secret_draft');
  await bed.connections.put('db', { kind: 'postgres', settings, grants: { flows: ['f'], drafts: true } });
  expect(await use(bed)).toBe('connection_failed');
});

test('a connection that does not exist is missing', async () => {
  expect(await use(connectionBed())).toBe('connection_missing');
});

test.each([
  ['its grants', { grants: { flows: ['f', 'g'] } }],
  ['its kind of hidden fields', { hidden: [] }],
  ['its time', { updatedAt: '2020-01-01T00:00:00.000Z' }],
])('a connection is broken after a change of %s in the file', async (_, change) => {
  const first = await granted({ flows: ['f'] });
  const data = first.data();
  const kept = data.connections['db'] as object;
  const bed = connectionBed({ data: { ...data, connections: { db: { ...kept, ...change } } } });
  expect(bed.connections.list()).toMatchObject([{ name: 'db', settings: {}, broken: expect.any(String) }]);
  expect(['connection_broken', 'connection_not_granted']).toContain(await use(bed));
  expect(await bed.connections.test('db')).toMatchObject({ ok: false, error: { code: 'connection_broken' } });
});

test('with another key a connection is listed as broken, and can be saved again', async () => {
  const { data } = await granted({ flows: ['f'] });
  const bed = connectionBed({ data: data(), key: Buffer.alloc(32, 2) });
  expect(await use(bed)).toBe('connection_broken');
  await bed.connections.put('db', { kind: 'postgres', settings });
  expect(await use(bed)).toBe('connection_failed');
});

/** A server of a third party that speaks no known protocol. */
async function startServer(onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test.each(['postgres', 'mysql'] as const)('%s: a server that speaks another protocol', async (kind) => {
  const behaviours: [(socket: Socket) => void, RegExp][] = [
    [(socket) => socket.destroy(), /^connection_failed$/],
    [(socket) => socket.end(), /^connection_failed$/],
    [() => {}, /^sql_timeout$/],
    [(socket) => socket.write(Buffer.alloc(100_000, 'garbage ')), /^(connection_failed|sql_timeout)$/],
    [(socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), /^connection_failed$/],
    [
      (socket) => socket.write(Buffer.from('R\0\0\0\x08\0\0\0\0Z\xff\xff\xff\xff', 'latin1')),
      /^(connection_failed|sql_timeout)$/,
    ],
  ];
  for (const [onSocket, code] of behaviours)
    for (const tls of ['off', 'verified']) {
      const port = await startServer(onSocket);
      const bed = connectionBed();
      await bed.connections.put('db', {
        kind,
        settings: { ...settings, port, tls },
        grants: { flows: ['f'] },
      });
      // Only what stays silent ends by the limit: a driver that is loaded on a busy machine may take longer than that.
      const timeoutMs = tls === 'verified' || code.test('sql_timeout') ? 700 : 60_000;
      const call = { connection: 'db', ...limits, timeoutMs, sql: 'SELECT 1', params: {} };
      const asked = bed.connections.sql.query(call, asker, never);
      await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/^(connection|sql)_/) });
      const got = await asked.then(
        () => 'answered',
        (error: { code: string }) => error.code,
      );
      if (tls === 'off') expect(got).toMatch(code);
    }
});

/** Metadata services of clouds and other addresses that no administrator can allow, in every notation that some parser accepts. */
const unreachable = [
  '169.254.169.254',
  '169.254.169.254.',
  '2852039166',
  '0xa9fea9fe',
  '0xa9.0xfe.0xa9.0xfe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '１６９.２５４.１６９.２５４',
  '169。254。169。254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '2002:a9fe:a9fe::',
  'fd00:ec2::254',
  'fe80::1',
  '169.254.1.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '224.0.0.1',
  'ff02::1',
  '255.255.255.255',
  'metadata.google.internal',
  'innocent.example',
];
const malformed = [
  'example.com@127.0.0.1',
  '127.0.0.1/x',
  '/var/run/postgresql',
  '127.0.0.1:80',
  'example.com\\@127.0.0.1',
  '127.0.0.\n1',
  'fe80::1%lo',
  '[::1]:5432',
];

/** A use of a Redis `db`. */
async function useRedis({ connections }: ReturnType<typeof connectionBed>): Promise<string> {
  const given = { key: 'a', maxBytes: 10 };
  const ask = { connection: 'db', kind: 'redis', action: 'get', given, timeoutMs: 20_000 };
  return codeOf(connections.actions.ask(ask, asker, never));
}

/** A use of a mail server `db`. */
async function useSmtp({ connections }: ReturnType<typeof connectionBed>): Promise<string> {
  const given = { from: 'a@example.com', to: ['b@example.com'], text: 'Hello', key: 'a' };
  const ask = { connection: 'db', kind: 'smtp', action: 'send', given, timeoutMs: 20_000 };
  return codeOf(connections.actions.ask(ask, asker, never));
}

/** A use of a mailbox `db`. */
async function useImap({ connections }: ReturnType<typeof connectionBed>): Promise<string> {
  const given = { mailbox: 'INBOX', order: 'newest', limit: 1 };
  const ask = { connection: 'db', kind: 'imap', action: 'list', given, timeoutMs: 20_000 };
  return codeOf(connections.actions.ask(ask, asker, never));
}

/** A use of an SSH server `db`. */
async function useSsh({ connections }: ReturnType<typeof connectionBed>): Promise<string> {
  const given = { command: 'true', maxBytes: 10 };
  const ask = { connection: 'db', kind: 'ssh', action: 'run', given, timeoutMs: 20_000 };
  return codeOf(connections.actions.ask(ask, asker, never));
}

/** A use of the files of an SSH server `db`. */
async function useSftp({ connections }: ReturnType<typeof connectionBed>): Promise<string> {
  const store = await connections.store('db', asker);
  return codeOf(store?.list('', { recursive: false, limit: 1 }, never) ?? Promise.resolve());
}

describe.each([
  ['postgres', use, settings],
  ['mysql', use, settings],
  ['redis', useRedis, { port: 1, password: 'the-password-of-weft', tls: 'off' }],
  ['imap', useImap, { port: 1, user: 'weft', password: 'the-password-of-weft', tls: 'off' }],
  ['smtp', useSmtp, { port: 1, password: 'the-password-of-weft', tls: 'off' }],
  ['ssh', useSsh, { port: 1, user: 'weft', password: 'the-password-of-weft' }],
  ['ssh', useSftp, { port: 1, user: 'weft', password: 'the-password-of-weft' }],
] as const)('the destination of a %s connection', (kind, useIt, given) => {
  test.each([...unreachable, ...malformed])('that is always forbidden is refused: %s', async (host) => {
    const connect = vi.spyOn(Socket.prototype, 'connect');
    onTestFinished(() => void vi.restoreAllMocks());
    const resolve = async (): Promise<string[]> => ['169.254.169.254'];
    const bed = connectionBed({ resolve });
    await bed.connections.put('db', { kind, settings: { ...given, host }, grants: { flows: ['f'] } });
    expect(await useIt(bed)).toMatch(/^outbound_(refused|invalid)$/);
    expect(await bed.connections.test('db')).toMatchObject({ ok: false });
    expect(connect).not.toHaveBeenCalled();
  });
});

test.each([
  [{ host: undefined }, '`host` is missing: give a text.'],
  [{ host: '' }, '`host` must not be empty.'],
  [{ host: 5 }, '`host` must be a text.'],
  [{ host: 'x'.repeat(256) }, '`host` may have at most 255 characters.'],
  [{ port: 'many' }, '`port` must be a number.'],
  [{ port: 1.5 }, '`port` must be a whole number.'],
  [{ port: 0 }, '`port` must be at least 1.'],
  [{ port: 65_536 }, '`port` must be at most 65535.'],
  [{ tls: 'yes' }, '`tls` must be one of verified, unverified, off.'],
  [{ hots: 'a' }, 'There is no setting `hots`; the settings are host, port,'],
])('a wrong setting is named in a sentence: %j', async (change, sentence) => {
  const bed = connectionBed();
  const body = { kind: 'postgres' as const, settings: { ...settings, ...change } };
  await expect(bed.connections.put('db', body)).rejects.toMatchObject({
    code: 'invalid_request',
    detail: [{ msg: expect.stringContaining(sentence) }],
  });
});
