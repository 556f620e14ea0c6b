import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { ServiceError } from '../../base/errors/errors.ts';
import { seqs } from '../runs/testing/hub-bed.ts';
import { connect, createSocketBed, type Item, type SocketBed } from '../runs/testing/socket-bed.ts';

let bed: SocketBed;
afterEach(() => bed.close());

const isEnd = (items: Item[]) => items.some((item) => 'kind' in item && item.kind === 'run-finished');
const numbers = (items: Item[]) => seqs(items as { seq: number }[]);

describe('following one run', () => {
  test('past and live events come in arrays, and the socket closes when the run is over', async () => {
    bed = await createSocketBed();
    const run = bed.start();
    run.output(1);
    const client = await connect(`${bed.url}/${run.id}/stream`);
    await client.until((items) => items.length === 2);
    run.output(2);
    run.finish();
    await client.until(isEnd);
    expect(client.items).toEqual(run.emitted);
    expect(await client.closed).toEqual({ code: 1000, reason: 'the run is over' });
  });

  test('events of the same moment share a message', async () => {
    bed = await createSocketBed();
    const run = bed.start();
    const client = await connect(`${bed.url}/${run.id}/stream`);
    await client.until((items) => items.length === 1);
    for (let i = 0; i < 500; i++) run.output(i);
    await client.until((items) => items.length === 501);
    expect(client.frames.length).toBe(2);
  });

  test('a client that reconnects with `after` continues where it was', async () => {
    bed = await createSocketBed();
    const run = bed.start();
    const first = await connect(`${bed.url}/${run.id}/stream`);
    for (let i = 0; i < 3; i++) run.output(i);
    await first.until((items) => items.length === 4);
    first.ws.terminate();
    for (let i = 0; i < 3; i++) run.output(i);
    const second = await connect(`${bed.url}/${run.id}/stream?after=4`);
    run.finish();
    expect(numbers(await second.until(isEnd))).toEqual([5, 6, 7, 8]);
  });

  test('an ended run is sent and closed; one that was not recorded is a gap', async () => {
    bed = await createSocketBed();
    const [kept, unkept] = [bed.start(), bed.start()];
    kept.finish();
    unkept.finish();
    const first = await connect(`${bed.url}/${kept.id}/stream`);
    expect((await first.closed).code).toBe(1000);
    expect(first.items).toEqual(kept.emitted);
    const second = await connect(`${bed.url}/${unkept.id}/stream`);
    expect((await second.closed).code).toBe(1000);
    expect(second.items).toMatchObject([{ kind: 'gap', from: 1, reason: 'not-recorded' }]);
    const third = await connect(`${bed.url}/${kept.id}/stream?after=2`);
    expect((await third.closed).code).toBe(1000);
    expect(third.items).toEqual([]);
  });

  test('a past that is larger than any buffer is sent completely', async () => {
    bed = await createSocketBed();
    const run = bed.start();
    for (let i = 0; i < 20_000; i++) run.output({ i, text: 'x'.repeat(200) });
    const client = await connect(`${bed.url}/${run.id}/stream`);
    run.finish();
    await client.until(isEnd);
    expect(numbers(client.items)).toEqual(run.emitted.map((event) => event.seq));
    expect((await client.closed).code).toBe(1000);
  });
});

describe('following all runs', () => {
  test('items carry cursors, and a connection is resumed by the last one', async () => {
    bed = await createSocketBed();
    const first = await connect(`${bed.url}/stream?flow=hello`);
    bed.start('other').finish();
    bed.start('hello').finish();
    const seen = await first.until((items) => items.length === 3);
    expect(seen.map((item) => ('event' in item ? item.event.kind : 'gap'))).toEqual([
      'run-started',
      'run-finished',
      'run-summary',
    ]);
    first.ws.terminate();
    const run = bed.start('hello');
    run.finish();
    const last = seen[2] as { cursor: number };
    const second = await connect(`${bed.url}/stream?flow=hello&after=${last.cursor}`);
    const resumed = await second.until((items) => items.length === 3);
    expect(resumed[0]).toMatchObject({
      cursor: last.cursor + 1,
      event: { kind: 'run-started', run: run.id },
    });
  });

  test('a cursor of an earlier process is answered with a gap', async () => {
    bed = await createSocketBed();
    const client = await connect(`${bed.url}/stream?after=17`);
    const [gap] = await client.until((items) => items.length === 1);
    expect(gap).toMatchObject({ kind: 'gap', from: 18, reason: 'not-watched' });
  });
});

describe('following changes of a flow', () => {
  const changesOf = (items: Item[]) =>
    items.filter((item) => 'kind' in item && (item.kind as string) === 'flow-changed');
  const change = (revision: string | null) => ({ kind: 'flow-changed', flow: 'shop', revision });

  test('its revision is sent first and with every change, also of a saved layout, but not for other flows', async () => {
    bed = await createSocketBed();
    bed.files.revisions.set('shop', 'r1');
    const client = await connect(`${bed.url}/stream?flow=shop&changes=true`);
    await client.until((items) => changesOf(items).length === 1);
    const announce = (layoutOf?: string): void => {
      for (const listener of bed.files.listeners) listener(layoutOf);
    };
    announce();
    announce('other');
    bed.files.revisions.set('shop', 'r2');
    announce();
    announce('shop');
    bed.files.revisions.delete('shop');
    announce();
    await client.until((items) => changesOf(items).length === 4);
    expect(client.items).toEqual([change('r1'), change('r2'), change('r2'), change(null)]);
    client.ws.close();
    await client.closed;
    await expect.poll(() => bed.files.listeners.size).toBe(0);
  });

  test('a client that has not asked for them gets none', async () => {
    bed = await createSocketBed();
    await connect(`${bed.url}/stream?flow=shop`);
    expect(bed.files.listeners.size).toBe(0);
  });
});

describe('opening a socket', () => {
  test.each([
    ['/x/y/stream', 404, 'not_found'],
    ['/unknown/stream', 404, 'run_not_found'],
    ['/stream?after=-1', 400, 'invalid_request'],
    ['/stream?after=99999999999999999', 400, 'invalid_request'],
    ['/stream?flow=..%2f', 400, 'invalid_request'],
    ['/stream?changes=true', 400, 'invalid_request'],
    ['/stream?flow=shop&changes=1', 400, 'invalid_request'],
    ['/%00/stream', 404, 'not_found'],
  ])('%s is answered with %i %s', async (path, status, code) => {
    bed = await createSocketBed();
    const refusal = await connect(bed.url + path).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status });
    expect(JSON.parse((refusal as { body: string }).body)).toMatchObject({ success: false, err_code: code });
  });

  test('what authorization refuses is answered with its error, with the scope runs:read', async () => {
    const asked: string[] = [];
    bed = await createSocketBed({}, (_request, scope) => {
      asked.push(scope);
      return new ServiceError('unauthorized', undefined, { headers: { 'www-authenticate': 'Bearer' } });
    });
    const refusal = await connect(`${bed.url}/stream`).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 401 });
    expect(asked).toEqual(['runs:read']);
  });

  test('a bug in authorization admits no client and reveals no details', async () => {
    bed = await createSocketBed({}, () => {
      throw new TypeError('an internal detail');
    });
    const refusal = await connect(`${bed.url}/stream`).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 500, body: expect.not.stringContaining('detail') });
  });
});

describe('bad clients', () => {
  test('a client that does not answer pings is dropped after two, one that does stays', async () => {
    bed = await createSocketBed();
    const good = await connect(`${bed.url}/stream`);
    const dead = await connect(`${bed.url}/stream`, { autoPong: false });
    for (let i = 0; i < 3; i++) {
      const pinged = [once(good.ws, 'ping'), ...(i < 2 ? [once(dead.ws, 'ping')] : [])];
      bed.host.advance(15_000);
      await Promise.all(pinged);
      await roundTrip(good.ws);
    }
    expect((await dead.closed).code).toBe(1006);
    expect(good.ws.readyState).toBe(good.ws.OPEN);
  });

  test('a client whose key has ended is closed with the next ping, others stay', async () => {
    const revoked = new Set<string>();
    bed = await createSocketBed({}, ({ url = '' }) => {
      if (revoked.has(url)) throw new ServiceError('unauthorized');
    });
    const [good, gone] = [await connect(`${bed.url}/stream`), await connect(`${bed.url}/stream?flow=a`)];
    revoked.add('/api/v1/runs/stream?flow=a');
    bed.host.advance(15_000);
    expect(await gone.closed).toEqual({ code: 1008, reason: 'the key or session has ended' });
    await roundTrip(good.ws);
    expect(good.ws.readyState).toBe(good.ws.OPEN);
  });

  test('messages other than a ping are ignored, and one above a kilobyte ends the connection', async () => {
    bed = await createSocketBed();
    const client = await connect(`${bed.url}/stream`);
    client.ws.send('{"type":"after","n":1}');
    client.ws.send('not json');
    client.ws.send('{"type":"ping"}');
    expect(await client.until((items) => items.length === 1)).toEqual([{ kind: 'pong' }]);
    client.ws.send('x'.repeat(1025));
    expect((await client.closed).code).toBe(1009);
  });

  test('broken frames end only their own connection', async () => {
    bed = await createSocketBed();
    const good = await connect(`${bed.url}/stream`);
    const { port, hostname } = new URL(bed.url);
    for (const bytes of [
      [0xff, 0xff, 0xff, 0xff],
      [0x81, 0x05, 1, 2],
      [0x83, 0x80, 0, 0, 0, 0],
      [0xc1, 0x80, 0, 0, 0, 0],
    ]) {
      const raw = connectTcp(Number(port), hostname);
      raw.write(handshake('/api/v1/runs/stream'));
      await once(raw, 'data');
      raw.write(Buffer.from(bytes));
      await once(raw, 'close');
    }
    await roundTrip(good.ws);
    expect(bed.sockets.clients).toBe(1);
  });

  test('a client that leaves in the middle of the handshake does no harm', async () => {
    bed = await createSocketBed({}, () => new Promise((resolve) => setImmediate(resolve)));
    const { port, hostname } = new URL(bed.url);
    for (let i = 0; i < 20; i++) {
      const raw = connectTcp(Number(port), hostname);
      raw.write(handshake('/api/v1/runs/stream'));
      raw.resetAndDestroy();
    }
    const client = await connect(`${bed.url}/stream`);
    await roundTrip(client.ws);
  });
});

describe('shutting down', () => {
  test('clients are asked to reconnect, and new ones are refused', async () => {
    bed = await createSocketBed();
    const run = bed.start();
    const clients = await Promise.all([connect(`${bed.url}/stream`), connect(`${bed.url}/${run.id}/stream`)]);
    const closed = bed.sockets.close();
    for (const client of clients) {
      expect(await client.closed).toEqual({ code: 1012, reason: 'service restart' });
    }
    await closed;
    const refusal = await connect(`${bed.url}/stream`).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 503, body: expect.stringContaining('draining') });
  });

  test('a client that does not answer the close is cut off', async () => {
    bed = await createSocketBed();
    const client = await connect(`${bed.url}/stream`);
    client.ws.pause();
    const closed = bed.sockets.close();
    bed.host.advance(1000);
    await closed;
    expect(bed.sockets.clients).toBe(0);
  });
});

/** Resolves when everything sent to and by this client so far has been read. */
async function roundTrip(ws: WebSocket): Promise<void> {
  const answered = once(ws, 'message');
  ws.send('ping');
  await answered;
}

function handshake(path: string): string {
  const key = Buffer.alloc(16).toString('base64');
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`;
}
