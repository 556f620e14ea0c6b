import { afterEach, expect, test } from 'vitest';
import { seqs } from './testing/hub-bed.ts';
import { connect, createSocketBed, type Item, type SocketBed } from './testing/socket-bed.ts';

let bed: SocketBed;
afterEach(() => bed.close());

const isEnd = (items: Item[]) => items.some((item) => 'kind' in item && item.kind === 'run-finished');
const numbers = (items: Item[]) => seqs(items as { seq: number }[]);
const STALL_MS = 10_000;

/** More than the kernel, the socket and the queue of a client can hold together. */
const FLOOD = { events: 300, text: 'x'.repeat(60_000) };

test('a client that never reads is closed and told where to resume; others on the same run miss nothing', async () => {
  bed = await createSocketBed();
  const run = bed.start();
  const address = `${bed.url}/${run.id}/stream`;
  const silent = await connect(address);
  await silent.until((items) => items.length === 1);
  silent.ws.pause();
  const others = await Promise.all([connect(address), connect(address), connect(address)]);
  for (let sent = 10; sent <= FLOOD.events; sent += 10) {
    for (let i = 0; i < 10; i++) run.output(FLOOD.text);
    await Promise.all(others.map((client) => client.until((items) => items.length === sent + 1)));
  }
  bed.host.advance(STALL_MS);
  silent.ws.resume();
  const { code, reason } = await silent.closed;
  expect(code).toBe(4008);
  expect(silent.items.length).toBeLessThan(FLOOD.events);
  expect(numbers(silent.items)).toEqual(silent.items.map((_, i) => i + 1));
  expect(reason).toBe(`too slow; resume with after=${silent.items.length}`);
  run.finish();
  for (const client of others) {
    await client.until(isEnd);
    expect(numbers(client.items)).toEqual(run.emitted.map((event) => event.seq));
  }
});

test('a client that reads again before it is given up gets everything it missed', async () => {
  bed = await createSocketBed();
  const run = bed.start();
  const [slow, other] = await Promise.all([1, 2].map(() => connect(`${bed.url}/${run.id}/stream`)));
  slow?.ws.pause();
  for (let sent = 10; sent <= 200; sent += 10) {
    for (let i = 0; i < 10; i++) run.output(FLOOD.text);
    await other?.until((items) => items.length === sent + 1);
  }
  bed.host.advance(STALL_MS - 1);
  slow?.ws.resume();
  run.finish();
  const items = await slow?.until(isEnd);
  expect(numbers(items ?? [])).toEqual(run.emitted.map((event) => event.seq));
});
