import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { createFrames } from './frames.ts';
import { RunSocket } from './run-socket.ts';
import type { StreamItem, StreamSource } from './stream-source.ts';
import { createHandHost } from '../runs/testing/hand-host.ts';

/** A websocket that accepts what a test lets it accept. */
class FakeSocket extends EventEmitter {
  bufferedAmount = 0;
  readonly sent: number[][] = [];
  readonly closes: string[] = [];
  terminated = false;
  private readonly callbacks: (() => void)[] = [];

  send(data: Buffer, _options: unknown, done: () => void): void {
    this.bufferedAmount += data.length;
    this.sent.push((JSON.parse(String(data)) as { seq: number }[]).map((item) => item.seq));
    this.callbacks.push(done);
  }

  /** The other side reads everything. */
  read(): void {
    this.bufferedAmount = 0;
    for (const done of this.callbacks.splice(0)) done();
  }

  close(code: number, reason: string): void {
    this.closes.push(`${code} ${reason}`);
  }

  terminate(): void {
    this.terminated = true;
  }
}

/** Has items 1 to n, and gives followers those after a position. */
function createSource() {
  const items: StreamItem[] = [];
  const followers = new Set<(item: StreamItem, json: string) => unknown>();
  const give = (fn: (item: StreamItem, json: string) => unknown, item: StreamItem) =>
    fn(item, JSON.stringify(item));
  const source: StreamSource = {
    async follow(after = 0, fn) {
      if (items.slice(Number(after)).every((item) => give(fn, item) !== false)) followers.add(fn);
      return () => followers.delete(fn);
    },
    position: (item) => ('seq' in item ? item.seq : 0),
    isLast: () => false,
    isOver: async () => false,
  };
  function add(n: number): void {
    for (let i = 0; i < n; i++) {
      const item: StreamItem = {
        kind: 'node-started',
        run: 'r',
        at: 0,
        node: 'a',
        attempt: 1,
        seq: items.length + 1,
      };
      items.push(item);
      for (const fn of followers) if (give(fn, item) === false) followers.delete(fn);
    }
  }
  return { source, followers, add };
}

function createBed(limits: { items: number; bytes: number; stallMs: number }) {
  const host = createHandHost();
  const ws = new FakeSocket();
  const { source, followers, add } = createSource();
  const failures: unknown[] = [];
  let awake = false;
  let wakes = 0;
  const socket = new RunSocket(ws as unknown as WebSocket, source, 0, {
    host,
    limits,
    frames: createFrames(),
    wake: () => {
      awake = true;
      wakes++;
    },
    failed: (error) => failures.push(error),
  });
  /** Flushes the socket as often as it asks. */
  async function flush(): Promise<void> {
    do {
      awake = false;
      socket.flush();
      await new Promise((resolve) => setImmediate(resolve));
    } while (awake);
  }
  return { host, ws, socket, source, followers, add, flush, failures, wakes: () => wakes };
}

test('the queue of a client that accepts nothing is bounded, and the source is not followed for it', async () => {
  const { ws, socket, add, flush, followers } = createBed({ items: 10, bytes: 1000, stallMs: 1000 });
  socket.follow();
  await flush();
  add(5);
  await flush();
  add(1000);
  await flush();
  expect(ws.sent.flat().length).toBeLessThanOrEqual(30);
  expect(followers.size).toBe(0);
  const taken = ws.sent.flat().length;
  add(1000);
  await flush();
  expect(ws.sent.flat().length).toBe(taken);
});

test('any number of waiting items asks for one flush', async () => {
  const { ws, socket, add, flush, wakes } = createBed({ items: 10_000, bytes: 1_000_000, stallMs: 1000 });
  socket.follow();
  await flush();
  const before = wakes();
  add(500);
  expect(wakes()).toBe(before + 1);
  await flush();
  add(500);
  expect(wakes()).toBe(before + 2);
  await flush();
  expect(ws.sent.flat()).toHaveLength(1000);
});

test('a slow client gets everything, in order and once', async () => {
  const { ws, socket, add, flush, followers } = createBed({ items: 10, bytes: 1000, stallMs: 1000 });
  add(50);
  socket.follow();
  for (let i = 0; i < 100; i++) {
    await flush();
    add(1);
    ws.read();
  }
  for (let i = 0; i < 50; i++) {
    await flush();
    ws.read();
  }
  expect(ws.sent.flat()).toEqual(Array.from({ length: 150 }, (_, i) => i + 1));
  expect(followers.size).toBe(1);
});

test('the time limit of a full client restarts whenever it accepts something', async () => {
  const { host, ws, socket, add, flush } = createBed({ items: 10, bytes: 1000, stallMs: 1000 });
  add(100);
  socket.follow();
  await flush();
  host.advance(999);
  expect(ws.closes).toEqual([]);
  ws.read();
  await flush();
  host.advance(999);
  expect(ws.closes).toEqual([]);
  host.advance(1);
  const last = ws.sent.flat().at(-1);
  expect(ws.closes).toEqual([`4008 too slow; resume with after=${last}`]);
  host.advance(1000);
  expect(ws.terminated).toBe(true);
});

test('a source that fails closes with a request to reconnect', async () => {
  const { ws, socket, source, flush, failures } = createBed({ items: 10, bytes: 1000, stallMs: 1000 });
  source.follow = () => Promise.reject(new Error('disk'));
  socket.follow();
  await flush();
  expect(ws.closes).toEqual(['1012 failed; resume']);
  expect(failures).toHaveLength(1);
});
