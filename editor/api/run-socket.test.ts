import { beforeEach, describe, expect, test } from 'vitest';
import { FakeSocket, fakeClock } from '../state/testing/fake-runs.ts';
import { type FeedItem, RunSocket } from './run-socket.ts';

const event = (seq: number) => ({ kind: 'node-started', run: 'r1', seq, at: seq, node: 'a', attempt: 1 });
const item = (cursor: number) => ({ cursor, event: event(cursor) });

let clock: ReturnType<typeof fakeClock>;
let sockets: FakeSocket[];
let seen: FeedItem[];
let told: string[];

function connect() {
  return new RunSocket(
    'hello',
    {
      onItems: (items) => seen.push(...items),
      onOpen: (resumed) => told.push(resumed ? 'resumed' : 'open'),
      onLost: () => told.push('lost'),
      onFlowChanged: (revision) => told.push(`changed ${revision}`),
      onServers: ({ missing }) => told.push(`missing ${missing.join()}`),
    },
    {
      open: (path) => {
        const socket = new FakeSocket(path);
        sockets.push(socket);
        return socket;
      },
      timer: clock.timer,
      random: () => 0.5,
    },
  );
}

const last = (): FakeSocket => sockets.at(-1) as FakeSocket;
const cursors = () =>
  seen.map((one) => one.cursor ?? ('to' in one ? `gap ${one.from}-${one.to}` : undefined));

beforeEach(() => {
  clock = fakeClock();
  sockets = [];
  seen = [];
  told = [];
});

describe('the websocket of a flow', () => {
  test('a lost connection is opened again behind the last cursor', () => {
    connect();
    expect(last().path).toBe('/api/v1/runs/stream?changes=true&flow=hello');
    last().open();
    last().say([item(5), item(6)]);
    last().break();
    clock.advance(300);
    expect(last().path).toBe('/api/v1/runs/stream?changes=true&flow=hello&after=6');
    last().open();
    expect(told).toEqual(['open', 'lost', 'resumed']);
  });

  test('a change of the flow is told, and counts as no item', () => {
    connect();
    last().open();
    last().say([item(5), { kind: 'flow-changed', flow: 'hello', revision: 'r2' }]);
    last().say([{ kind: 'flow-changed', flow: 'hello', revision: null }]);
    expect(told).toEqual(['open', 'changed r2', 'changed null']);
    expect(cursors()).toEqual([5]);
  });

  test('an item that was told before is left out', () => {
    connect();
    last().open();
    last().say([item(5), item(6)]);
    last().break();
    clock.advance(300);
    last().open();
    last().say([item(6), item(7)]);
    expect(cursors()).toEqual([5, 6, 7]);
  });

  test('a gap moves the cursor, also backwards, and is passed on', () => {
    connect();
    last().open();
    last().say([item(50)]);
    last().say([{ kind: 'gap', from: 10, to: 10, reason: 'unknown-cursor' }, item(11)]);
    last().break();
    clock.advance(300);
    expect(last().after).toBe(11);
    expect(cursors()).toEqual([50, 'gap 10-10', 11]);
  });

  test('a cursor of several servers is a text, which is sent back as it came', () => {
    connect();
    last().open();
    const of = (cursor: string, seq: number) => ({ cursor, event: event(seq) });
    last().say([{ kind: 'servers', cursor: 'a-1.b-9', shown: ['one'], missing: ['two'] }, of('a-2.b-9', 1)]);
    last().say([
      of('a-2.b-10', 2),
      { kind: 'gap', cursor: 'a-5.b-10', server: 'one', from: 3, to: 5, reason: 'x' },
    ]);
    last().break();
    clock.advance(300);
    expect(last().path).toBe('/api/v1/runs/stream?changes=true&flow=hello&after=a-5.b-10');
    expect(told).toEqual(['open', 'missing two', 'lost']);
    expect(cursors()).toEqual(['a-2.b-9', 'a-2.b-10', 'a-5.b-10']);
    for (let i = 0; i < 6; i++) {
      last().break();
      clock.advance(10_000);
    }
    expect(last().after).toBeUndefined();
  });

  test('a connection that broke before it said anything is not resumed', () => {
    connect();
    last().open();
    last().break();
    clock.advance(300);
    last().open();
    expect(told).toEqual(['open', 'lost', 'open']);
  });

  test('it waits longer after each failure, ten seconds at most, and not at all when it is asked to try', () => {
    const socket = connect();
    const opened: number[] = [];
    for (let i = 0; i < 8; i++) {
      const count = sockets.length;
      last().break();
      const from = clock.now();
      while (sockets.length === count) clock.advance(100);
      opened.push(clock.now() - from);
    }
    expect(opened).toEqual([300, 600, 1200, 2400, 4800, 9600, 10_000, 10_000]);
    last().break();
    const count = sockets.length;
    socket.retry();
    expect(sockets.length).toBe(count + 1);
    socket.retry();
    expect(sockets.length).toBe(count + 1);
  });

  test('a silent connection is asked for a sign of life, and given up without one', () => {
    connect();
    const first = last();
    first.open();
    clock.advance(25_000);
    expect(first.sent).toEqual(['ping']);
    first.say([{ kind: 'pong' }]);
    clock.advance(25_000);
    expect(first.sent).toEqual(['ping', 'ping']);
    expect(told).toEqual(['open']);
    clock.advance(10_000);
    expect(told).toEqual(['open', 'lost']);
    expect(first.closed).toBe(true);
  });

  test('what is not known is left out, and what follows still counts', () => {
    connect();
    last().open();
    last().say([
      { cursor: 1, event: { kind: 'new-kind', run: 'r1', seq: 1, at: 1 } },
      { kind: 'pong' },
      7,
      item(2),
    ]);
    last().onmessage?.call(last() as never, { data: '{not json' } as MessageEvent);
    expect(cursors()).toEqual([2]);
  });

  test('after it was closed it neither speaks nor comes back', () => {
    const socket = connect();
    last().open();
    const { onmessage } = last();
    socket.close();
    onmessage?.call(last() as never, { data: JSON.stringify([item(1)]) } as MessageEvent);
    last().say([item(2)]);
    socket.retry();
    clock.advance(60_000);
    expect([sockets.length, told]).toEqual([1, ['open']]);
  });
});
