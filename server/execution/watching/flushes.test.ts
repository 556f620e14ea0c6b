import { expect, test } from 'vitest';
import { createFlushes } from './flushes.ts';
import { createHandHost } from '../runs/testing/hand-host.ts';

const TICK_MS = 16;

function createBed() {
  const host = createHandHost();
  const { wake, forget } = createFlushes(host);
  const flushed: string[] = [];
  const client = (name: string) => ({ flush: () => void flushed.push(name) });
  /** The sockets that were flushed at the next tick. */
  function tick(): string[] {
    host.advance(TICK_MS);
    return flushed.splice(0);
  }
  return { host, wake, forget, client, tick };
}

test('a socket that asks is flushed at the next tick, once however often it asked', () => {
  const { wake, client, tick, host } = createBed();
  const [a, b] = [client('a'), client('b')];
  wake(a);
  host.advance(TICK_MS - 1);
  wake(b);
  wake(a);
  host.advance(1);
  expect(tick()).toEqual(['a', 'b']);
  expect(tick()).toEqual([]);
});

test('of a thousand sockets that keep asking, 128 are flushed at each tick, and all before any is flushed twice', () => {
  const { wake, client, tick } = createBed();
  const names = Array.from({ length: 1000 }, (_, i) => `client ${i}`);
  const clients = new Map(names.map((name) => [name, client(name)]));
  for (const one of clients.values()) wake(one);
  const ticks: string[][] = [];
  for (let i = 0; i < 8; i++) {
    const turn = tick();
    ticks.push(turn);
    for (const name of turn) wake(clients.get(name) as ReturnType<typeof client>);
  }
  expect(ticks.map((turn) => turn.length)).toEqual(Array.from({ length: 8 }, () => 128));
  expect(ticks.flat().slice(0, 1000)).toEqual(names);
  expect(ticks.flat().slice(1000)).toEqual(names.slice(0, 24));
});

test('a socket that asks while it is flushed is flushed again at the next tick, and one that is gone is not', () => {
  const { wake, forget, client, tick } = createBed();
  let asks = 2;
  const eager = {
    flush() {
      if (--asks > 0) wake(eager);
    },
  };
  const [gone, other] = [client('gone'), client('other')];
  for (const one of [eager, gone, other]) wake(one);
  forget(gone);
  expect(tick()).toEqual(['other']);
  expect(asks).toBe(1);
  tick();
  expect(asks).toBe(0);
});
