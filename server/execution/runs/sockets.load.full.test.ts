import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { seqs } from './testing/hub-bed.ts';
import {
  connect,
  createSocketBed,
  type Item,
  type SocketBed,
  type SocketClient,
} from './testing/socket-bed.ts';

let bed: SocketBed;
afterEach(() => bed.close());

const numbers = (items: Item[]) => seqs(items as { seq: number }[]);
const STALL_MS = 10_000;

/** More than the kernel, the socket and the queue of a client can hold together. */
const FLOOD = { events: 300, text: 'x'.repeat(60_000) };

test('a thousand clients get every event of a run, while one that never reads is dropped', async () => {
  bed = await createSocketBed();
  const run = bed.start('watched');
  const [silent, reader] = await Promise.all([1, 2].map(() => connect(`${bed.url}/stream?flow=noisy`)));
  silent?.ws.pause();
  const clients = await connectMany(`${bed.url}/${run.id}/stream`, 998);
  expect(bed.sockets.clients).toBe(1000);
  const noisy = bed.start('noisy');
  for (let sent = 15; sent <= FLOOD.events; sent += 15) {
    for (let i = 0; i < 5; i++) run.output({ i, text: 'a value of the usual size' });
    for (let i = 0; i < 15; i++) noisy.output(FLOOD.text);
    // The reading client proceeds at the pace of the flood, so the other one is full long before the end.
    await reader?.until((items) => items.length === noisy.emitted.length);
  }
  run.finish();
  await Promise.all(clients.map((client) => client.closed));
  const expected = run.emitted.map((event) => event.seq);
  for (const client of clients) expect(numbers(client.items)).toEqual(expected);
  bed.host.advance(STALL_MS);
  silent?.ws.resume();
  expect((await silent?.closed)?.code).toBe(4008);
  expect(reader?.ws.readyState).toBe(WebSocket.OPEN);
});

/** In small groups, so that the listening socket's backlog is never full. */
async function connectMany(url: string, count: number): Promise<SocketClient[]> {
  const clients: SocketClient[] = [];
  while (clients.length < count) {
    const group = Math.min(50, count - clients.length);
    clients.push(...(await Promise.all(Array.from({ length: group }, () => connect(url)))));
  }
  return clients;
}
