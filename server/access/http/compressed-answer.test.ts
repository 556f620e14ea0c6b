import fastify from 'fastify';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressedAnswer } from './compressed-answer.ts';

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
