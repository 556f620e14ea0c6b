import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { WeftError } from '#engine';
import { createOutbound } from '../../base/outbound/outbound.ts';
import { openWeftSql } from '../../storage/database/weft-tables.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { createWaitLinks } from './links.ts';
import { createNotifier } from './notifier.ts';
import { testBus } from '../../storage/database/testing/bus.ts';
import { createWaits } from './waits.ts';
import { question } from './waits.contract.ts';
import { eventually } from '../../../tests/support/eventually.ts';

interface Notice {
  readonly key: string | undefined;
  readonly body: unknown;
}

/** A server that is notified of waits; it answers with the given statuses in turn, then always with the last one. */
async function listener(...statuses: number[]): Promise<{ url: string; notices: Notice[] }> {
  const notices: Notice[] = [];
  const take = async (request: IncomingMessage): Promise<void> => {
    notices.push({ key: request.headers['idempotency-key'] as string, body: await json(request) });
  };
  const server = createServer((request, response) => {
    void take(request).then(() => {
      response.statusCode = statuses[Math.min(notices.length, statuses.length) - 1] as number;
      response.end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, notices };
}

/** Pauses end when `passTime` is called; `pauses` records their lengths. */
async function bed(
  allow = ['127.0.0.1'],
  reveal = (name: string): Promise<string> =>
    name === 'hook' ? Promise.resolve('http://127.0.0.1:1/') : Promise.reject(new Error('no')),
) {
  const http = createOutbound({ allow });
  const sql = openWeftSql(await tempFolder());
  const waits = createWaits({ bus: testBus(), sql, now: () => 2000, redact: (value) => value });
  const key = async () => Buffer.from('key');
  const links = createWaitLinks({ find: key, get: key }, () => 'https://weft.example');
  const warnings: string[] = [];
  const pauses: number[] = [];
  let waiting: (() => void)[] = [];
  const notifier = createNotifier({
    waits,
    links,
    http,
    secrets: { reveal },
    warn: (message) => warnings.push(message),
    timer(ms, fn) {
      pauses.push(ms);
      waiting.push(fn);
      return () => {};
    },
  });
  onTestFinished(async () => {
    notifier.close();
    await http.close();
    await sql.close();
  });
  const passTime = (): void => {
    for (const fn of waiting.splice(0)) fn();
    waiting = [];
  };
  return { waits, links, notifier, warnings, pauses, passTime };
}

test('an address is notified once, with the link, the run and a stable key', async () => {
  const { url, notices } = await listener(204);
  const { waits, links, notifier } = await bed();
  await waits.open(question({ notify: url }));
  await notifier.notifyAll();
  await notifier.notifyAll();
  const link = await links.urlOf('run1.ask');
  const about = { run: 'run1', flow: 'orders', node: 'ask' };
  expect(notices).toEqual([
    { key: 'run1.ask:notify', body: { title: 'Send it', text: 'Shall we?', link, ...about } },
  ]);
  expect(await links.isToken('run1.ask', new URL(link).searchParams.get('token') ?? '')).toBe(true);
  expect((await waits.get('run1.ask'))?.notified).toEqual({ state: 'sent' });
});

test('an unreachable address is tried again after a pause, with the same key', async () => {
  const { url, notices } = await listener(503, 429, 200);
  const { waits, notifier, pauses, passTime } = await bed();
  await waits.open(question({ notify: url }));
  await notifier.notifyAll();
  expect([pauses, (await waits.get('run1.ask'))?.notified?.state]).toEqual([[2000], 'due']);
  // Other notices do not shorten its pause.
  await notifier.notifyAll();
  expect(notices).toHaveLength(1);
  passTime();
  await eventually(() => expect(pauses).toEqual([2000, 15_000]));
  passTime();
  await eventually(async () => expect((await waits.get('run1.ask'))?.notified).toEqual({ state: 'sent' }));
  expect(new Set(notices.map(({ key }) => key)).size).toBe(1);
});

test('a notice that fails for a passing reason of this server is sent later', async () => {
  const { url, notices } = await listener(204);
  const reasons = ['storage_failed', 'outbound_busy'] as const;
  let asked = 0;
  const reveal = (): Promise<string> => {
    const code = reasons[asked++];
    return code === undefined ? Promise.resolve(url) : Promise.reject(new WeftError(code, 'Not now.'));
  };
  const { waits, notifier, pauses, passTime } = await bed(undefined, reveal);
  await waits.open(question({ notify: { $secret: 'hook' } }));
  await notifier.notifyAll();
  passTime();
  await eventually(() => expect(pauses).toEqual([2000, 15_000]));
  passTime();
  await eventually(async () => expect((await waits.get('run1.ask'))?.notified).toEqual({ state: 'sent' }));
  expect(notices).toHaveLength(1);
});

test('an address that does not answer delays no others', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => silent.closeAllConnections());
  onTestFinished(() => void silent.close());
  const { url, notices } = await listener(200);
  const { waits, notifier } = await bed();
  const { port } = silent.address() as AddressInfo;
  await waits.open(question({ notify: `http://127.0.0.1:${port}/` }));
  await waits.open({ ...question({ notify: url }), run: 'run2' });
  void notifier.notifyAll();
  await eventually(() => expect(notices).toHaveLength(1));
});

test('an address that was notified while the list was read is not notified again', async () => {
  const { url, notices } = await listener(204);
  const { waits, notifier } = await bed();
  const { unnotified } = waits;
  let reads = 0;
  waits.unnotified = async () => {
    const list = await unnotified();
    if (++reads > 1) await first;
    return list;
  };
  await waits.open(question({ notify: url }));
  await eventually(() => expect(reads).toBe(1));
  const first = eventually(async () => expect(await unnotified()).toEqual([]));
  await notifier.notifyAll();
  expect(notices).toHaveLength(1);
});

test('an address whose notice the disk did not record is notified again after a while', async () => {
  const { url, notices } = await listener(200);
  const { waits, notifier, pauses, passTime, warnings } = await bed();
  const keep = waits.notified.bind(waits);
  waits.notified = async () => Promise.reject(new Error('The disk is full.'));
  await waits.open(question({ notify: url }));
  await notifier.notifyAll();
  expect([pauses, warnings]).toEqual([[60_000], [expect.stringContaining('The disk is full.')]]);
  waits.notified = keep;
  passTime();
  await eventually(async () => expect((await waits.get('run1.ask'))?.notified).toEqual({ state: 'sent' }));
  expect(notices).toHaveLength(2);
});

test('an address that refuses, is unreachable five times, or is not allowed, is given up with a reason', async () => {
  const { url } = await listener(404);
  const { waits, notifier, pauses, passTime, warnings } = await bed();
  const dead = { ...question({ notify: { $secret: 'hook' } }), run: 'run2' };
  const forbidden = { ...question({ notify: 'http://10.0.0.1/' }), run: 'run3' };
  for (const wait of [question({ notify: url }), dead, forbidden]) await waits.open(wait);
  await notifier.notifyAll();
  for (let i = 1; i <= 4; i++) {
    await eventually(() => expect(pauses).toHaveLength(i));
    passTime();
  }
  await eventually(() => expect(warnings).toHaveLength(3));
  const problemOf = async (run: string) => (await waits.get(`${run}.ask`))?.notified;
  expect(await problemOf('run1')).toEqual({ state: 'failed', problem: 'the address answered 404' });
  expect(await problemOf('run2')).toMatchObject({ state: 'failed' });
  expect(await problemOf('run3')).toMatchObject({ state: 'failed' });
});
