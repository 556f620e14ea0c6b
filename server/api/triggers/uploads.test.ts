import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileValue } from '#shared/file.ts';
import type { Bed } from '../../testing/platform-bed.ts';
import { rawRequest } from '../../testing/platform-bed.ts';
import { API_KEY, fileBed, formOf } from './testing/file-bed.ts';
import { eventually } from '../../../tests/support/eventually.ts';

const FILE = { type: 'object', format: 'file' };
const csv = (text = 'name\nAda\n', name = 'people.csv') => new File([text], name, { type: 'text/csv' });

function post(bed: Bed, id: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${bed.url}/api/v1/awel/trigger/${id}`, { method: 'POST', body, headers });
}

/** Files in the data folder. */
function stored(bed: Bed): string[] {
  const names = readdirSync(join(bed.ctx.config.data, 'files'), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /[0-9a-f]{32}/.test(name));
}

const echo = { trigger: { accept: ['json', 'multipart', 'bytes'] } };
const text = { text: { operator: 'file.to-text' } };

test('a form becomes an object of its texts and files', async () => {
  const bed = await fileBed({
    form: {
      trigger: {
        accept: ['multipart'],
        request: {
          type: 'object',
          required: ['doc'],
          properties: { doc: FILE, more: { type: 'array', items: FILE }, n: { type: 'integer' } },
        },
      },
    },
  });
  const form = formOf({ doc: csv(), more: [csv('1', '../../a.csv')], n: '7', undeclared: 'x' });
  const answer = await post(bed, 'form', form);
  expect(answer.status).toBe(200);
  const handle = expect.stringMatching(/^f_[\w-]{32}$/);
  expect(await answer.json()).toEqual({
    doc: { $file: handle, name: 'people.csv', type: 'text/csv', bytes: 9 },
    more: [{ $file: handle, name: 'a.csv', type: 'text/csv', bytes: 1 }],
    n: 7,
    undeclared: 'x',
  });
  const missing = await post(bed, 'form', formOf({ n: '7' }));
  expect([missing.status, (await missing.json()).err_msg]).toEqual([400, 'body.doc: Field required']);
  const noFile = await post(bed, 'form', formOf({ doc: 'a text' }));
  expect(noFile.status).toBe(400);
});

test('a body of any type becomes a file, and its text can be read', async () => {
  const bed = await fileBed({ read: { trigger: { accept: ['bytes'] }, nodes: text } });
  const answer = await post(bed, 'read', 'Hällo', { 'content-type': 'application/json' });
  expect([answer.status, await answer.json()]).toEqual([200, 'Hällo']);
  const bytes = await post(bed, 'read', new Uint8Array([0xff, 0xfe, 0x41, 0x00]));
  expect(await bytes.json()).toBe('A');
});

test('an answer that is a file is sent as bytes, whole or in part', async () => {
  const bed = await fileBed({
    back: {
      trigger: { accept: ['bytes'] },
      nodes: { pass: { operator: 'core.map', params: { value: '{{ input }}' } } },
    },
  });
  const name = {
    'content-disposition': `attachment; filename*=UTF-8''b%C3%BCcher.csv`,
    'content-type': 'text/csv',
  };
  const whole = await post(bed, 'back', 'a,b\n1,2\n', name);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-length': '8',
    'content-disposition': `inline; filename="b_cher.csv"; filename*=UTF-8''b%C3%BCcher.csv`,
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    etag: expect.stringMatching(/^"[\w-]{43}"$/),
  });
  expect(await whole.text()).toBe('a,b\n1,2\n');
});

test('a page that was uploaded is never shown as one', async () => {
  const bed = await fileBed({ back: { trigger: { accept: ['bytes'] } } });
  const answer = await post(bed, 'back', '<script>alert(1)</script>', { 'content-type': 'text/html' });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-disposition': expect.stringMatching(/^attachment;/),
    'content-security-policy': expect.stringMatching(/^sandbox/),
  });
  const svg = await post(bed, 'back', '<svg xmlns="http://www.w3.org/2000/svg"/>', {
    'content-type': 'image/svg+xml',
  });
  expect(svg.headers.get('content-disposition')).toMatch(/^attachment;/);
});

test('the run of a file lets it be downloaded, and no other run does', async () => {
  const bed = await fileBed({ form: { trigger: { accept: ['multipart'] } } });
  const answers = [
    await post(bed, 'form', formOf({ doc: csv('0123456789') })),
    await post(bed, 'form', formOf({ doc: csv() })),
  ];
  const [one, two] = answers.map((answer) => answer.headers.get('x-weft-run') as string);
  const { doc } = (await (answers[0] as Response).json()) as { doc: FileValue };
  await eventually(async () => expect(await bed.ctx.runs.get(one as string)).toMatchObject({ status: 'ok' }));
  const key = { authorization: `Bearer ${API_KEY}` };
  const load = (run: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${bed.url}/api/v1/runs/${run}/files/${doc.$file}`, { method, headers: { ...key, ...headers } });
  const whole = await load(one as string);
  expect([whole.status, await whole.text()]).toEqual([200, '0123456789']);
  const part = await load(one as string, { range: 'bytes=2-4' });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    'bytes 2-4/10',
    '234',
  ]);
  const end = await load(one as string, { range: 'bytes=-3' });
  expect([end.headers.get('content-range'), await end.text()]).toEqual(['bytes 7-9/10', '789']);
  const beyond = await load(one as string, { range: 'bytes=10-' });
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10']);
  const head = await load(one as string, {}, 'HEAD');
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', '']);
  const etag = whole.headers.get('etag') as string;
  expect((await load(one as string, { 'if-none-match': etag })).status).toBe(304);
  expect((await load(one as string, { range: 'bytes=2-4', 'if-range': '"other"' })).status).toBe(200);
  expect((await load(two as string)).status).toBe(404);
  expect((await fetch(`${bed.url}/api/v1/runs/${one}/files/${doc.$file}`)).status).toBe(401);
});

test('a handle that a caller writes is a plain object, whatever way it comes in', async () => {
  const bed = await fileBed({
    form: { trigger: { accept: ['multipart'] } },
    echo: { trigger: { accept: ['json', 'form', 'text', 'multipart'] } },
    read: {
      trigger: { accept: ['json', 'multipart'] },
      nodes: { doc: { operator: 'core.map', params: { value: '{{ input.doc }}' } }, ...text },
    },
    query: { trigger: { methods: ['GET'] } },
  });
  const answer = await post(bed, 'form', formOf({ doc: csv('secret') }));
  const { doc } = (await answer.json()) as { doc: FileValue };
  const [stolen] = await bed.ctx.files.of({ kind: 'run', id: answer.headers.get('x-weft-run') as string });
  expect(stolen).toBe(doc.$file);
  const file = await bed.ctx.files.find(doc.$file, {
    kind: 'run',
    id: answer.headers.get('x-weft-run') as string,
  });
  for (const $file of [doc.$file, file?.sha256, file?.blob, `f_${'0'.repeat(32)}`, `../${file?.blob}`]) {
    const forged = { ...doc, $file };
    const json = { 'content-type': 'application/json' };
    const back = await post(bed, 'echo', JSON.stringify(forged), json);
    expect([back.status, await back.json()]).toEqual([200, forged]);
    const opened = await post(bed, 'read', JSON.stringify({ doc: forged }), json);
    expect((await opened.json()).err_code).toMatch(/^(?:file_not_found|bad_input)$/);
    const inForm = await post(
      bed,
      'echo',
      formOf({ $file: $file ?? '', name: 'x', type: 'text/plain', bytes: '6' }),
    );
    expect(inForm.headers.get('content-type')).toMatch(/json/);
    expect(await inForm.text()).not.toContain('secret');
    const asked = await fetch(
      `${bed.url}/api/v1/awel/trigger/query?$file=${encodeURIComponent($file ?? '')}`,
    );
    expect(asked.headers.get('content-type')).toMatch(/json/);
  }
});

test('too much is refused, and nothing of it is kept', async () => {
  const limits = { bytes: 2000, fileBytes: 1000, filesBytes: 1500, files: 3 };
  const bed = await fileBed({ form: { trigger: { accept: ['multipart', 'bytes'], limits } } });
  const codeOf = async (answer: Promise<Response>): Promise<unknown> =>
    ((await (await answer).json()) as { err_code: string }).err_code;
  const big = (size: number) => csv('x'.repeat(size));
  expect(await codeOf(post(bed, 'form', formOf({ a: big(10), b: big(1001) })))).toBe('file_too_large');
  expect(await codeOf(post(bed, 'form', formOf({ a: big(900), b: big(900) })))).toBe('body_too_large');
  expect(await codeOf(post(bed, 'form', formOf({ a: [big(1), big(1), big(1), big(1)] })))).toBe(
    'too_many_values',
  );
  expect(await codeOf(post(bed, 'form', formOf({ a: big(1), text: 'x'.repeat(2001) })))).toBe(
    'body_too_large',
  );
  expect(await codeOf(post(bed, 'form', 'x'.repeat(1001)))).toBe('body_too_large');
  const chunked = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(1001));
      controller.close();
    },
  });
  expect(
    await codeOf(
      fetch(`${bed.url}/api/v1/awel/trigger/form`, {
        method: 'POST',
        body: chunked,
        duplex: 'half',
      } as RequestInit),
    ),
  ).toBe('file_too_large');
  await eventually(() => expect(stored(bed)).toEqual([]));
  expect((await post(bed, 'form', formOf({ a: big(1000), b: big(500) }))).status).toBe(200);
});

test('a body that breaks off or is no form is refused, and nothing of it is kept', async () => {
  const bed = await fileBed({ form: { trigger: { accept: ['multipart'] } } });
  const head = (length: number) =>
    `POST /api/v1/awel/trigger/form HTTP/1.1\r\nHost: 127.0.0.1:${bed.port}\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n`;
  const part = '--b\r\nContent-Disposition: form-data; name="a"; filename="a.txt"\r\n\r\nHello\r\n';
  const cut = await rawRequest(bed.port, head(part.length) + part);
  expect(cut).toMatch(/^HTTP\/1\.1 400 [^]*invalid_request/);
  const none = await post(bed, 'form', 'x', { 'content-type': 'multipart/form-data' });
  expect(none.status).toBe(400);
  await eventually(() => expect(stored(bed)).toEqual([]));
});

test('a refused request leaves no file, and a repeat with its key neither', async () => {
  const bed = await fileBed({
    strict: {
      trigger: {
        accept: ['multipart'],
        request: { type: 'object', required: ['n'], properties: { doc: FILE, n: { type: 'integer' } } },
      },
    },
    ...{ echo },
  });
  expect((await post(bed, 'strict', formOf({ doc: csv() }))).status).toBe(400);
  await eventually(() => expect(stored(bed)).toEqual([]));
  const key = { 'idempotency-key': 'one' };
  const first = await post(bed, 'echo', formOf({ doc: csv() }), key);
  const again = await post(bed, 'echo', formOf({ doc: csv() }), key);
  expect([first.status, again.headers.get('idempotent-replayed'), await again.text()]).toEqual([
    200,
    'true',
    await first.text(),
  ]);
  expect((await post(bed, 'echo', formOf({ doc: csv('other') }), key)).status).toBe(422);
  await eventually(() => expect(stored(bed)).toHaveLength(1));
});

test('a durable run keeps its files, and answers with one', async () => {
  const bed = await fileBed({ back: { trigger: { accept: ['bytes'] }, settings: { durable: true } } });
  const answer = await post(bed, 'back', 'Hello', { 'content-type': 'text/plain' });
  expect([answer.headers.get('content-type'), await answer.text()]).toEqual([
    'text/plain; charset=utf-8',
    'Hello',
  ]);
  await bed.ctx.files.settled();
  expect(stored(bed)).toHaveLength(1);
});
