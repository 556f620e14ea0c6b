import { setImmediate } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { HttpRequest, HttpResponse } from '#engine';
import { createOutbound } from './outbound.ts';
import { createPlaces, type GiveBack } from './places.ts';
import { parseTarget } from './target.ts';
import { asker, startClient } from './testing/ask.ts';
import { startSite } from './testing/victim.ts';
import { eventually } from '../../../tests/support/eventually.ts';

const target = parseTarget('https://a.example/');
const never = new AbortController().signal;

/** A site that holds its answers back, with the number of its open connections. */
async function startHolder() {
  const held: ServerResponse[] = [];
  const sockets = new Set<unknown>();
  let most = 0;
  const site = await startSite((request, response) => {
    sockets.add(request.socket);
    request.socket.once('close', () => sockets.delete(request.socket));
    most = Math.max(most, sockets.size);
    held.push(response);
  });
  return {
    url: site.url,
    held,
    most: () => most,
    /** Answers all current requests. */
    answer: () => {
      for (const response of held.splice(0)) response.end('x');
    },
  };
}

/** Flows that send requests at once, in the order in which they got a connection. */
async function turnsOf(flows: readonly string[], limit: number): Promise<string[]> {
  const places = createPlaces({ '*': { calls: limit } });
  const turns: string[] = [];
  const given: GiveBack[] = [];
  const taken = flows.map(async (flow) => {
    given.push(await places.take(target, 'calls', flow, never));
    turns.push(flow);
  });
  while (turns.length < flows.length) {
    await setImmediate();
    given.shift()?.();
  }
  await Promise.all(taken);
  for (const giveBack of given) giveBack();
  expect(places.counts()).toEqual([]);
  return turns;
}

test('flows take turns, and within a flow the first to come is the first to go', async () => {
  expect(await turnsOf(['a', 'a', 'a', 'a', 'b', 'b', 'c'], 1)).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});

test('where too many wait, the newest of the flow with the most of them is refused', async () => {
  const places = createPlaces({ 'a.example': { calls: 1, queue: 3 } });
  const first = places.take(target, 'calls', 'a', never) as GiveBack;
  const waiting = ['a', 'a', 'a', 'b', 'a'].map((flow) =>
    Promise.resolve(places.take(target, 'calls', flow, never)).then(
      (giveBack) => giveBack(),
      (error: { code: string }) => error.code,
    ),
  );
  expect(places.counts()).toEqual([{ origin: 'https://a.example', calls: 1, streams: 0, queued: 3 }]);
  first();
  expect(await Promise.all(waiting)).toEqual([
    undefined,
    undefined,
    'outbound_busy',
    undefined,
    'outbound_busy',
  ]);
  expect(places.counts()).toEqual([]);
});

test('a call that ends while it waits leaves the queue, and a connection given back twice counts once', async () => {
  const places = createPlaces({ '*': { calls: 1 } });
  const first = places.take(target, 'calls', 'a', never) as GiveBack;
  const ending = new AbortController();
  const ended = Promise.resolve(places.take(target, 'calls', 'a', ending.signal));
  const next = Promise.resolve(places.take(target, 'calls', 'b', never));
  ending.abort(new Error('over'));
  await expect(ended).rejects.toThrow('over');
  expect(places.counts()[0]?.queued).toBe(1);
  first();
  first();
  const giveBack = await next;
  expect(places.counts()[0]).toMatchObject({ calls: 1, queued: 0 });
  giveBack();
  expect(places.counts()).toEqual([]);
});

test('an entry with a port counts before its host, and that before all others', async () => {
  const places = createPlaces({
    '*': { calls: 1, streams: 1 },
    'a.example': { calls: 2 },
    'a.example:8443': { calls: 3 },
    '[2001:db8::1]': { calls: 4 },
  });
  const mostOf = (url: string, kind: 'calls' | 'streams'): number => {
    for (let i = 0; ; i++) {
      const taken = places.take(parseTarget(url), kind, 'f', never);
      if (typeof taken !== 'function') return i;
    }
  };
  expect(mostOf('https://a.example:8443/', 'calls')).toBe(3);
  expect(mostOf('https://a.example/', 'calls')).toBe(2);
  expect(mostOf('https://a.example/', 'streams')).toBe(1);
  expect(mostOf('https://b.example/', 'calls')).toBe(1);
  expect(mostOf('http://[2001:db8::1]/', 'calls')).toBe(4);
});

test('512 calls go to one origin at once, the others when those have their answers', async () => {
  const holder = await startHolder();
  const ask = startClient({ allow: ['127.0.0.0/8'] });
  const asked = Array.from({ length: 1100 }, () => ask(holder.url, { timeoutMs: 60_000 }));
  for (const expected of [512, 512, 76]) {
    await eventually(() => expect(holder.held).toHaveLength(expected));
    holder.answer();
  }
  const outcomes = await Promise.all(asked);
  expect(outcomes.every(({ status }) => status === 200)).toBe(true);
  expect(holder.most()).toBeLessThanOrEqual(512);
});

test('unread streamed answers leave the connections of short calls alone', async () => {
  const big = Buffer.alloc(4 * 1024 * 1024);
  const site = await startSite((request, response) => void response.end(request.url === '/big' ? big : 'x'));
  const limits = { '127.0.0.1': { calls: 2, streams: 2 } };
  const outbound = createOutbound({ allow: ['127.0.0.0/8'], limits });
  onTestFinished(() => outbound.close());
  const request: HttpRequest = {
    method: 'GET',
    url: `${site.url}/big`,
    headers: {},
    body: undefined,
    redirects: 0,
    timeoutMs: 60_000,
    maxBytes: 10_000_000,
    streams: true,
  };
  const readers = [1, 2].map(() => outbound.send(request, asker, never));
  const stalled = await Promise.all(readers);
  const third = outbound.send({ ...request, timeoutMs: 60_000 }, asker, never);
  await eventually(() => expect(outbound.counts()).toMatchObject([{ calls: 0, streams: 2, queued: 1 }]));
  const { body } = await outbound.send({ ...request, url: site.url, streams: false }, asker, never);
  for await (const chunk of body) expect(String(chunk)).toBe('x');
  // A reader that leaves gives its connection to the waiting one.
  const [{ body: left }] = stalled as [HttpResponse];
  const chunks = left[Symbol.asyncIterator]();
  await chunks.next();
  await chunks.return?.();
  expect((await third).status).toBe(200);
});

test('time runs while a call waits for a connection', async () => {
  const holder = await startHolder();
  const ask = startClient({ allow: ['127.0.0.0/8'], limits: { '127.0.0.1': { calls: 1 } } });
  const first = ask(holder.url, { timeoutMs: 60_000 });
  await eventually(() => expect(holder.held).toHaveLength(1));
  const { code, message } = await ask(holder.url, { timeoutMs: 50 });
  expect(code).toBe('outbound_timeout');
  expect(message).toContain('WEFT_OUTBOUND_LIMITS');
  holder.answer();
  expect((await first).status).toBe(200);
  expect(holder.held).toHaveLength(0);
});

test('time runs while a connection is being opened', async () => {
  const ask = startClient({ allow: ['192.0.2.1'] });
  const { code } = await ask('http://192.0.2.1/', { timeoutMs: 50 });
  // Nothing answers there; a machine without a route reports that at once.
  expect(['outbound_timeout', 'outbound_failed']).toContain(code);
});

test.each(['HEAD', 'GET'])('an unread answer to %s releases its connection', async (method) => {
  const site = await startSite((request, response) => {
    response.statusCode = request.method === 'GET' ? 204 : 200;
    response.end();
  });
  const outbound = createOutbound({ allow: ['127.0.0.0/8'], limits: { '*': { calls: 1 } } });
  onTestFinished(() => outbound.close());
  const rest = { headers: {}, body: undefined, redirects: 0, timeoutMs: 60_000, maxBytes: 1000 };
  for (let i = 0; i < 3; i++) await outbound.send({ method, url: site.url, ...rest }, asker, never);
  await eventually(() => expect(outbound.counts()).toEqual([]));
});
