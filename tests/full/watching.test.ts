import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunSummary } from '#shared/run-event.ts';
import { ask, call, keyHeaders, type Owner, signIn } from '../support/client.ts';
import { copyOfExamples, httpTrigger, lateFlow, sayFlow, write } from '../support/flows.ts';
import { metric } from '../support/metrics.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import {
  connect,
  type FeedItem,
  type Follower,
  followFeed,
  followRun,
  kindOf,
  opened,
  type RunItem,
} from '../support/sockets.ts';
import { eventually } from '../support/eventually.ts';

/** Runs that are followed over websockets, as the editor and `weft watch` do. */
let server: TestServer;
let owner: Owner;

beforeAll(async () => {
  const flows = copyOfExamples();
  write(flows, 'big.json', sayFlow('big', '{{ input.text }}', httpTrigger('/big', { methods: ['POST'] })));
  write(flows, 'small.json', sayFlow('small', '{{ input.n }}'));
  write(flows, 'slow.json', lateFlow('slow', 'late', 400));
  write(flows, 'endless.json', lateFlow('endless', 'never', 25_000));
  server = await startServer({ flows });
  owner = await signIn(server);
});
afterAll(() => discard(server));

const isSummary = (item: FeedItem) => kindOf(item) === 'run-summary';
const cursors = (items: readonly FeedItem[]) => items.map((item) => ('cursor' in item ? item.cursor : NaN));
const seqs = (items: readonly RunItem[]) => items.map((item) => ('seq' in item ? item.seq : NaN));
const ended = (runs: number) => (items: readonly FeedItem[]) => items.filter(isSummary).length === runs;
const runOf = (answer: { headers: Headers }) => answer.headers.get('x-weft-run') ?? '';

describe('the feed of all runs', () => {
  test('tells of a run that was called over HTTP, from its start to its summary', async () => {
    const feed = await followFeed(server);
    const run = runOf(await call(server, '/examples/hello?name=Ada'));
    const items = await feed.until(ended(1));
    expect(items.map(kindOf)).toEqual([
      'run-started',
      'node-started',
      'node-output',
      'node-finished',
      'node-started',
      'node-output',
      'node-finished',
      'run-answered',
      'run-finished',
      'run-summary',
    ]);
    expect(items).toContainEqual({
      cursor: expect.any(Number),
      event: expect.objectContaining({
        run,
        kind: 'node-output',
        node: 'handler',
        value: 'Hello, Ada, your age is 18',
      }),
    });
    expect(items.at(-1)).toMatchObject({ event: { summary: { run, status: 'ok', source: 'http' } } });
    feed.ws.close();
  });

  test('goes on where a lost connection ended, without a gap or a repeat', async () => {
    const first = await followFeed(server, '?flow=small');
    const whole = await followFeed(server, '?flow=small');
    for (let n = 0; n < 3; n++) await call(server, `/small?n=${n}`);
    await first.until(ended(3));
    first.ws.terminate();
    const last = cursors(first.items).at(-1);
    for (let n = 3; n < 6; n++) await call(server, `/small?n=${n}`);
    await call(server, '/examples/hello?name=nobody+asked');
    const second = await followFeed(server, `?flow=small&after=${last}`);
    await second.until(ended(3));
    await whole.until(ended(6));
    expect([...first.items, ...second.items]).toEqual(whole.items);
    for (const { ws } of [second, whole]) ws.close();
  });

  test('says that something is missing to one who comes back from before the memory', async () => {
    const feed = await followFeed(server, '?after=1');
    const [gap] = await feed.until((items) => items.length > 0);
    expect(gap).toMatchObject({ kind: 'gap', from: 2 });
    feed.ws.close();
  });

  test('is for keys and for our own pages only', async () => {
    const path = '/api/v1/runs/stream';
    const refusal = (key: string) => opened(connect(server, path, key)).catch((error: unknown) => error);
    expect(await refusal('wrong')).toMatchObject({
      status: 401,
      body: expect.stringContaining('"err_code":"unauthorized"'),
    });
    const closed = await opened(connect(server, '/api/v1/nowhere', server.key)).catch((e: unknown) => e);
    expect(closed).toMatchObject({ status: 404 });
  });
});

describe('one run', () => {
  test('is followed from its past into its present, and the socket closes at its end', async () => {
    const { run } = await owner.data<{ run: string }>('POST', '/flows/slow/run', { wait: false });
    const live = await followRun(server, run);
    expect(await live.closed).toEqual({ code: 1000, reason: 'the run is over' });
    expect(seqs(live.items)).toEqual(live.items.map((_, i) => i + 1));
    expect(live.items.at(0)).toMatchObject({ kind: 'run-started', flow: 'slow' });
    expect(live.items.at(-1)).toMatchObject({ kind: 'run-finished', status: 'ok' });
    expect(live.items).toContainEqual(
      expect.objectContaining({ kind: 'node-output', node: 'say', value: 'late' }),
    );
  });

  test('gives the same events live, later, from the middle, and over HTTP', async () => {
    const { run } = await owner.data<{ run: string }>('POST', '/flows/slow/run', { wait: false });
    const live = await followRun(server, run);
    await live.closed;
    const later = await followRun(server, run);
    const middle = await followRun(server, run, 4);
    await Promise.all([later.closed, middle.closed]);
    expect(later.items).toEqual(live.items);
    expect(middle.items).toEqual(live.items.slice(4));
    const page = await ask(`${server.url}/api/v1/runs/${run}/events`, { headers: keyHeaders(server) });
    expect(page.body).toMatchObject({ data: { events: live.items, more: false } });
  });

  test('that does not exist is refused with 404', async () => {
    await expect(followRun(server, 'nope')).rejects.toMatchObject({ status: 404 });
    await expect(followRun(server, '1', Number.NaN)).rejects.toMatchObject({ status: 400 });
  });

  test('is cancelled, and its followers see how it ended', async () => {
    const started = call(server, '/endless');
    const running = await eventually(async () => {
      const { runs } = await owner.data<{ runs: RunSummary[] }>('GET', '/runs?flow=endless&status=running');
      expect(runs).toHaveLength(1);
      return runs[0] as RunSummary;
    });
    const follower = await followRun(server, running.run);
    await owner.data('POST', `/runs/${running.run}/cancel`);
    expect(await started).toMatchObject({ status: 499, body: { err_code: 'run_cancelled' } });
    await follower.closed;
    expect(follower.items.at(-1)).toMatchObject({ kind: 'run-finished', status: 'cancelled' });
  });
});

const CLIENTS = 1000;
const RUNS = 20;
/** Together more than the kernel, the socket and a client's queue hold. */
const LARGE = { runs: 60, body: 'x'.repeat(60_000) };

test('of a thousand clients one never reads: it is dropped, all others get every event, and memory stays bounded', async () => {
  const sockets = 'nodejs_active_resources{type="TCPSocketWrap"}';
  const before = await metric(server, 'process_resident_memory_bytes');
  const silent = await followFeed(server);
  silent.ws.pause();
  const all = await followFeed(server);
  const clients = await manyFollowers(CLIENTS - 2);
  const held = await metric(server, sockets);
  expect(held).toBeGreaterThanOrEqual(CLIENTS);

  for (let n = 0; n < RUNS; n++) expect((await call(server, `/small?n=${n}`)).status).toBe(200);
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ text: LARGE.body });
  for (let n = 1; n <= LARGE.runs; n++) {
    expect((await call(server, '/big', { method: 'POST', headers, body })).status).toBe(200);
    await all.until(ended(RUNS + n));
  }
  await Promise.all(clients.map((client) => client.until(ended(RUNS))));
  const expected = all.items.filter((item) => 'event' in item && flowOf(item) === 'small');
  expect(all.items.map(kindOf)).not.toContain('gap');
  const seen = new Set(clients.map(({ items }) => JSON.stringify(cursors(items))));
  expect(cursors(clients[0]?.items ?? []).length).toBeGreaterThan(RUNS * 5);
  expect([...seen]).toHaveLength(1);
  expect(clients[0]?.items.filter(isSummary)).toEqual(expected.filter(isSummary));

  await eventually(async () => expect(await metric(server, sockets)).toBeLessThan(held));
  silent.ws.resume();
  expect([4008, 1006]).toContain((await silent.closed).code);
  const grown = (await metric(server, 'process_resident_memory_bytes')) - before;
  expect(grown / 1024 / 1024).toBeLessThan(250);
  expect((await call(server, '/examples/hello?name=Ada')).status).toBe(200);
  for (const { ws } of clients) ws.terminate();
});

async function manyFollowers(count: number): Promise<Follower<FeedItem>[]> {
  const clients: Follower<FeedItem>[] = [];
  while (clients.length < count) {
    const batch = Array.from({ length: Math.min(50, count - clients.length) }, () =>
      followFeed(server, '?flow=small'),
    );
    clients.push(...(await Promise.all(batch)));
  }
  return clients;
}

function flowOf(item: FeedItem): string | undefined {
  if (!('event' in item)) return undefined;
  const { event } = item;
  if (event.kind === 'run-summary') return event.summary.flow;
  return event.kind === 'run-started' ? event.flow : undefined;
}
