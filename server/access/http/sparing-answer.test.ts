import fastify from 'fastify';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ASK_EACH_TIME, compressedAnswer, knownAnswer } from './sparing-answer.ts';

const long = { rows: Array.from({ length: 2000 }, (_, n) => ({ n, text: 'ä row' })) };
const text = JSON.stringify(long);

function openApp() {
  const app = fastify();
  app.addHook('onSend', compressedAnswer);
  app.get('/long', () => long);
  app.get('/short', () => ({ rows: [] }));
  app.get('/page', (_, reply) => reply.type('text/html').send(text));
  app.get('/varies', (_, reply) => reply.header('vary', 'origin').send(long));
  return async (url: string, accepted?: string) => {
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
    return await app.inject({ url, headers });
  };
}

test('long JSON is compressed for whoever accepts it', async () => {
  const ask = openApp();
  for (const accepted of ['gzip', 'gzip, deflate, br, zstd', 'br;q=1.0, gzip;q=0.8', 'GZIP']) {
    const { headers, rawPayload } = await ask('/long', accepted);
    expect(headers['content-encoding'], accepted).toBe('gzip');
    expect(headers['vary']).toBe('accept-encoding');
    expect(rawPayload.length).toBeLessThan(text.length / 5);
    expect(Number(headers['content-length'])).toBe(rawPayload.length);
    expect(gunzipSync(rawPayload).toString()).toBe(text);
  }
});

test('who does not accept it gets the text', async () => {
  const ask = openApp();
  for (const accepted of [undefined, '', 'br', 'identity', 'gzip;q=0', 'gzip; q=0.0, br', 'xgzip-not']) {
    const { headers, payload } = await ask('/long', accepted);
    expect(headers['content-encoding'], accepted).toBeUndefined();
    expect(headers['vary'], accepted).toBe('accept-encoding');
    expect(payload).toBe(text);
  }
});

test('short answers and other types stay as they are, and what the answer varies with is kept', async () => {
  const ask = openApp();
  for (const url of ['/short', '/page']) {
    const { headers } = await ask(url, 'gzip');
    expect([headers['content-encoding'], headers['vary']], url).toEqual([undefined, undefined]);
  }
  expect((await ask('/varies', 'gzip')).headers['vary']).toBe('origin, accept-encoding');
});

function openKept() {
  const app = fastify();
  app.addHook('onSend', knownAnswer);
  app.addHook('onSend', compressedAnswer);
  const data = { rows: Array.from({ length: 10_000 }, (_, n) => n) };
  app.get('/kept', (_, reply) => reply.header('cache-control', ASK_EACH_TIME).send(data));
  app.get('/secret', (_, reply) => reply.header('cache-control', 'no-store').send(data));
  app.get('/failed', (_, reply) => reply.code(500).header('cache-control', ASK_EACH_TIME).send(data));
  return {
    data,
    ask: async (url: string, known?: string, accepted = 'identity') => {
      const headers = { 'accept-encoding': accepted, ...(known !== undefined && { 'if-none-match': known }) };
      return await app.inject({ url, headers });
    },
  };
}

test('a client that has the content is told so, and nothing is sent', async () => {
  const { ask, data } = openKept();
  const first = await ask('/kept');
  const tag = String(first.headers['etag']);
  expect([first.statusCode, first.json()]).toEqual([200, data]);
  for (const known of [tag, `"other", ${tag}`]) {
    const again = await ask('/kept', known);
    expect([again.statusCode, again.payload, again.headers['etag']]).toEqual([304, '', tag]);
    expect(again.headers['content-type']).toBeUndefined();
  }
});

test('the tag is the same for a compressed answer', async () => {
  const { ask } = openKept();
  const plain = await ask('/kept');
  const zipped = await ask('/kept', undefined, 'gzip');
  expect(zipped.headers['content-encoding']).toBe('gzip');
  expect(zipped.headers['etag']).toBe(plain.headers['etag']);
  const again = await ask('/kept', String(plain.headers['etag']), 'gzip');
  expect([again.statusCode, again.headers['content-encoding']]).toEqual([304, undefined]);
});

test('another content is sent, and what may not be kept or failed has no tag', async () => {
  const { ask } = openKept();
  expect((await ask('/kept', 'W/"of-yesterday"')).statusCode).toBe(200);
  for (const url of ['/secret', '/failed']) expect((await ask(url)).headers['etag'], url).toBeUndefined();
});
