import net, { type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { OutboundOptions } from './client.ts';
import { createOutbound } from './outbound.ts';
import { asker } from './testing/ask.ts';
import { startVictim } from './testing/victim.ts';

const never = new AbortController().signal;

function sockets(options: Partial<OutboundOptions> = {}) {
  const outbound = createOutbound({ allow: [], ...options });
  onTestFinished(() => outbound.close());
  return outbound;
}

/** The code of the refusal, or `connected`. */
async function attempt(
  host: string,
  port: number,
  options: Partial<OutboundOptions> = {},
  near?: string,
): Promise<string> {
  try {
    const socket = await sockets(options).connect({ host, port }, asker, never, { timeoutMs: 2000, near });
    socket.destroy();
    return 'connected';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** This machine, in every notation of a host that some parser accepts. */
const spellings: [string, string, string][] = [
  ['loopback', '127.0.0.1', 'outbound_refused'],
  ['another loopback', '127.8.9.10', 'outbound_refused'],
  ['its name', 'localhost', 'outbound_refused'],
  ['its name with a dot at its end', 'localhost.', 'outbound_refused'],
  ['one decimal number', '2130706433', 'outbound_refused'],
  ['octal parts', '0177.0.0.01', 'outbound_refused'],
  ['one hexadecimal number', '0x7f000001', 'outbound_refused'],
  ['a short form', '127.1', 'outbound_refused'],
  ['full-width digits', '１２７.０.０.１', 'outbound_refused'],
  ['ideographic dots', '127。0。0。1', 'outbound_refused'],
  ['full-width letters', 'ｌｏｃａｌｈｏｓｔ', 'outbound_refused'],
  ['the unspecified address', '0.0.0.0', 'outbound_refused'],
  ['the unspecified address, short', '0', 'outbound_refused'],
  ['IPv6 loopback', '::1', 'outbound_refused'],
  ['IPv4-mapped', '::ffff:127.0.0.1', 'outbound_refused'],
  ['NAT64', '64:ff9b::7f00:1', 'outbound_refused'],
  ['6to4', '2002:7f00:1::', 'outbound_refused'],
  ['brackets', '[::1]', 'outbound_invalid'],
  ['a zone id', 'fe80::1%lo', 'outbound_invalid'],
  ['a user', 'example.com@127.0.0.1', 'outbound_invalid'],
  ['a path', '127.0.0.1/x', 'outbound_invalid'],
  ['a file', '/var/run/postgresql', 'outbound_invalid'],
  ['a second port', '127.0.0.1:80', 'outbound_invalid'],
  ['a backslash', 'example.com\\@127.0.0.1', 'outbound_invalid'],
  ['a line break', '127.0.0.\n1', 'outbound_invalid'],
  ['a blank', ' 127.0.0.1', 'outbound_invalid'],
  ['nothing', '', 'outbound_invalid'],
];

test.each(spellings)('a socket to this machine is refused: %s', async (_, host, code) => {
  const victim = await startVictim();
  expect(await attempt(host, victim.port)).toBe(code);
  expect(victim.reached()).toBe(0);
});

test.each([
  ['a private address', ['10.0.0.1']],
  ['the metadata of a cloud', ['169.254.169.254']],
  ['a public address and a private one', ['93.184.215.14', '127.0.0.1']],
])('a socket to a name that leads to %s is refused', async (_, addresses) => {
  const victim = await startVictim();
  const resolve = async (): Promise<string[]> => addresses;
  expect(await attempt('innocent.example', victim.port, { resolve })).toBe('outbound_refused');
  expect(victim.reached()).toBe(0);
});

test.each([0, -1, 65_536, 1.5, Number.NaN])('%s is no port', async (port) => {
  expect(await attempt('example.com', port)).toBe('outbound_invalid');
});

test('only a destination named by an administrator may be near', async () => {
  const [named, other] = [await startVictim(), await startVictim()];
  const near = `127.0.0.1:${named.port}`;
  expect(await attempt('127.0.0.1', named.port, {}, near)).toBe('connected');
  expect(await attempt('127.0.0.1', other.port, {}, near)).toBe('outbound_refused');
  expect(other.reached()).toBe(0);
  const resolve = async (): Promise<string[]> => ['169.254.169.254'];
  expect(await attempt('db.internal', 5432, { resolve }, 'db.internal:5432')).toBe('outbound_refused');
});

test('a name that changes its address after the check leads to the checked one', async () => {
  const victim = await startVictim('127.0.0.1');
  const answers = [['127.0.0.2'], ['127.0.0.1']];
  let lookups = 0;
  const resolve = async (): Promise<string[]> => answers[lookups++] ?? ['127.0.0.1'];
  expect(await attempt('rebind.example', victim.port, { allow: ['127.0.0.2'], resolve })).toBe(
    'outbound_failed',
  );
  expect(lookups).toBe(1);
  expect(victim.reached()).toBe(0);
});

test('a connection that leads elsewhere in spite of all that is closed', async () => {
  const victim = await startVictim('127.0.0.1');
  const connect = net.connect as (options: object) => Socket;
  const spy = vi
    .spyOn(net, 'connect')
    .mockImplementation(((options: object) =>
      connect({ ...options, host: '127.0.0.1', lookup: undefined })) as typeof net.connect);
  onTestFinished(() => spy.mockRestore());
  const resolve = async (): Promise<string[]> => ['127.0.0.2'];
  expect(await attempt('other.example', victim.port, { allow: ['127.0.0.2'], resolve })).toBe(
    'outbound_refused',
  );
});

test('open sockets count among the connections of their destination', async () => {
  const { port } = await startVictim('127.0.0.1');
  const outbound = sockets({
    allow: ['127.0.0.1'],
    limits: { [`127.0.0.1:${port}`]: { calls: 1, queue: 0 } },
  });
  const open = () => outbound.connect({ host: '127.0.0.1', port }, asker, never, { timeoutMs: 5000 });
  const first = await open();
  expect(outbound.counts()).toEqual([{ origin: `tcp://127.0.0.1:${port}`, calls: 1, streams: 0, queued: 0 }]);
  await expect(open()).rejects.toMatchObject({ code: 'outbound_busy' });
  first.destroy();
  await expect.poll(() => outbound.counts()).toEqual([]);
  (await open()).destroy();
});

test('the time for connecting counts from the call', async () => {
  const { port } = await startVictim('127.0.0.1');
  const limits = { [`127.0.0.1:${port}`]: { calls: 1 } };
  const outbound = sockets({ allow: ['127.0.0.1'], limits });
  const open = (timeoutMs: number) =>
    outbound.connect({ host: '127.0.0.1', port }, asker, never, { timeoutMs });
  const first = await open(5000);
  await expect(open(30)).rejects.toMatchObject({ code: 'outbound_timeout' });
  first.destroy();
  const ended = new AbortController();
  ended.abort(new Error('over'));
  const options = { timeoutMs: 5000 };
  const late = outbound.connect({ host: '127.0.0.1', port }, asker, ended.signal, options);
  await expect(late).rejects.toThrow('over');
});
