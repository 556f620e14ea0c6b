import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import type { StreamOutlet } from '../../access/answers/stream-outlet.ts';
import { Outbox } from './outbox.ts';

/** A client that accepts events at once, or when the test lets it. */
function clientOf(slow = false) {
  const got: string[] = [];
  let ended = false;
  let take = (): void => {};
  const outlet: StreamOutlet = {
    gone: false,
    write(chunk) {
      got.push(String(chunk));
      return slow ? new Promise((resolve) => (take = resolve)) : undefined;
    },
    alive: () => {},
    end: () => void (ended = true),
    fail: () => {},
  };
  return {
    outlet,
    got,
    data: () => got.map((event) => /^(?:id: run:\d+\n)?data: (.*)\n\n$/s.exec(event)?.[1]),
    hasEnded: () => ended,
    take: () => take(),
  };
}

const isSettled = async (promise: Promise<unknown> | undefined): Promise<boolean> =>
  promise === undefined || (await Promise.race([promise.then(() => true), nextTurn().then(() => false)]));
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a stream', () => {
  test('is sent in order, as data alone', () => {
    const outbox = new Outbox('run', false);
    const client = clientOf();
    outbox.attach(client.outlet, 0);
    void outbox.send('early');
    void outbox.send('late', 'a.name');
    expect(client.got).toEqual(['data: early\n\n', 'event: a.name\ndata: late\n\n']);
  });

  test('that is kept is sent in order, each event with its id', () => {
    const outbox = new Outbox('run', true);
    const client = clientOf();
    void outbox.send('early');
    outbox.attach(client.outlet, 0);
    void outbox.send('late');
    expect(client.got).toEqual(['id: run:1\ndata: early\n\n', 'id: run:2\ndata: late\n\n']);
    outbox.end();
    expect(client.hasEnded()).toBe(true);
  });

  test('makes the producer wait for a slow client', async () => {
    const outbox = new Outbox('run', false);
    const client = clientOf(true);
    outbox.attach(client.outlet, 0);
    const waits = outbox.send('a');
    expect(await isSettled(waits)).toBe(false);
    client.take();
    expect(await isSettled(waits)).toBe(true);
  });

  test('keeps a bounded part for an absent client, and makes the producer wait', async () => {
    const outbox = new Outbox('run', true);
    let sent = 0;
    while (outbox.send('x'.repeat(1000)) === undefined) sent++;
    expect(sent).toBeGreaterThan(200);
    expect(sent).toBeLessThan(300);
    const waits = outbox.send('more');
    const client = clientOf();
    outbox.attach(client.outlet, 0);
    expect(await isSettled(waits)).toBe(true);
    expect(client.got).toHaveLength(sent + 2);
  });

  test('releases its producer when no client returns', async () => {
    const outbox = new Outbox('run', true);
    while (outbox.send('x'.repeat(10_000)) === undefined) continue;
    const waits = outbox.send('more');
    outbox.abandon();
    expect(await isSettled(waits)).toBe(true);
    expect(outbox.send('x'.repeat(1_000_000))).toBeUndefined();
  });

  test('reports a gap, and never skips events silently', () => {
    const outbox = new Outbox('run', true);
    const client = clientOf();
    outbox.attach(client.outlet, 0);
    for (let i = 0; i < 1000; i++) void outbox.send('x'.repeat(1000));
    expect(() => outbox.check(1)).toThrow(expect.objectContaining({ code: 'stream_gap' }));
    expect(() => outbox.check(1001)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(() => outbox.check(999)).not.toThrow();
  });

  test('is sent only to the latest client', () => {
    const outbox = new Outbox('run', true);
    const [first, second] = [clientOf(), clientOf()];
    outbox.attach(first.outlet, 0);
    void outbox.send('a');
    outbox.attach(second.outlet, 0);
    void outbox.send('b');
    expect(first.data()).toEqual(['a']);
    expect(first.hasEnded()).toBe(true);
    expect(second.data()).toEqual(['a', 'b']);
    expect(outbox.detach(first.outlet)).toBe(false);
    expect(outbox.hasClient).toBe(true);
  });
});

test('the parts read over all connections form the stream, wherever connections break', () => {
  const events = fc.array(fc.string(), { maxLength: 20 });
  const breaks = fc.array(fc.tuple(fc.nat(20), fc.nat(3)), { maxLength: 6 });
  fc.assert(
    fc.property(events, breaks, (data, cuts) => {
      const outbox = new Outbox('run', true);
      const read: (string | undefined)[] = [];
      let client = clientOf();
      outbox.attach(client.outlet, 0);
      data.forEach((event, at) => {
        void outbox.send(event);
        for (const [, lost] of cuts.filter(([cut]) => cut === at)) {
          // The last few events were sent, but never arrived.
          read.push(...client.data().slice(0, Math.max(0, client.got.length - lost)));
          outbox.detach(client.outlet);
          client = clientOf();
          outbox.check(read.length);
          outbox.attach(client.outlet, read.length);
        }
      });
      outbox.end();
      expect([...read, ...client.data()]).toEqual(data);
      expect(client.hasEnded()).toBe(true);
    }),
  );
});
