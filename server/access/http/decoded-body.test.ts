import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { API_KEY, fileBed } from '../../api/triggers/testing/file-bed.ts';
import { rawRequest } from '../../testing/platform-bed.ts';

const flows = {
  json: { trigger: { accept: ['json', 'form', 'text'] } },
  bytes: { trigger: { accept: ['bytes', 'multipart'] }, nodes: { text: { operator: 'file.to-text' } } },
  form: { trigger: { accept: ['multipart'] } },
};

async function bed() {
  const { url, port } = await fileBed(flows);
  const post = async (path: string, encoding: string, body: Buffer, type = 'application/json') => {
    const headers = { 'content-type': type, 'content-encoding': encoding };
    const answer = await fetch(`${url}/api/v1/awel/trigger${path}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return { url, port, post };
}

const json = Buffer.from('{"a":1}');

test.each([
  ['gzip', gzipSync(json)],
  ['x-gzip', gzipSync(json)],
  ['deflate', deflateSync(json)],
  ['br', brotliCompressSync(json)],
  ['ZSTD', zstdCompressSync(json)],
  ['deflate, gzip', gzipSync(deflateSync(json))],
  ['identity', json],
])('a body that is encoded as %s is read', async (encoding, body) => {
  const { post } = await bed();
  expect(await post('/json', encoding, body)).toMatchObject({ status: 200, text: '{"a":1}' });
});

test('files and forms with files are decompressed too', async () => {
  const { post } = await bed();
  const file = await post('/bytes', 'gzip', gzipSync('a text'), 'text/csv');
  expect([file.status, file.text]).toEqual([200, '"a text"']);
  const part = '--x\r\ncontent-disposition: form-data; name="n"\r\n\r\n7\r\n--x--\r\n';
  const form = await post('/form', 'br', brotliCompressSync(part), 'multipart/form-data; boundary=x');
  expect([form.status, form.text]).toEqual([200, '{"n":"7"}']);
});

test('an unknown encoding is refused by name, with the supported ones', async () => {
  const { post } = await bed();
  for (const path of ['/json', '/bytes', '/form']) {
    const type = path === '/form' ? 'multipart/form-data; boundary=x' : 'application/json';
    const answer = await post(path, 'compress', json, type);
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'gzip, deflate, br, zstd']);
    expect(answer.text).toContain('compress');
  }
});

test('a small body that becomes a huge one is refused at the limit', async () => {
  const { post } = await bed();
  const bomb = gzipSync(Buffer.alloc(50_000_000, 32));
  expect(bomb.length).toBeLessThan(60_000);
  expect((await post('/json', 'gzip', bomb)).status).toBe(413);
  expect((await post('/json', 'gzip, gzip', gzipSync(bomb))).status).toBe(413);
  expect((await post('/bytes', 'gzip', bomb, 'text/csv')).status).toBe(413);
  const head = '--x\r\ncontent-disposition: form-data; name="n"\r\n\r\n';
  const form = gzipSync(Buffer.concat([Buffer.from(head), Buffer.alloc(50_000_000, 32)]));
  expect((await post('/form', 'gzip', form, 'multipart/form-data; boundary=x')).status).toBe(413);
  expect((await post('/json', 'gzip', gzipSync(json))).status).toBe(200);
});

test('a body that does not match its encoding is refused, and so is one that is cut off', async () => {
  const { post, port } = await bed();
  for (const body of [json, gzipSync(json).subarray(0, 15)])
    for (const [path, type] of [
      ['/json', 'application/json'],
      ['/bytes', 'text/csv'],
      ['/form', 'multipart/form-data; boundary=x'],
    ] as const) {
      const answer = await post(path, 'gzip', body, type);
      expect([path, answer.status, answer.text]).toEqual([
        path,
        400,
        expect.stringContaining('Content-Encoding'),
      ]);
    }
  const head = `POST /api/v1/awel/trigger/json HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json\r\n`;
  const cut = `${head}content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n1\r\n\x1f\r\nzz`;
  expect(await rawRequest(port, cut)).toMatch(/^HTTP\/1.1 400 /);
});

test('bodies for routes of the API are read in the same way', async () => {
  const { url } = await bed();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      authorization: `Bearer ${API_KEY}`,
    },
    body: new Uint8Array(gzipSync('{"model":"none"}')),
  });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('messages')]);
});
