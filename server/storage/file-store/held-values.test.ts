import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { FileValue } from '#shared/file.ts';
import { isThere } from '../../execution/after-runs/sweep-files.ts';
import { type Bed, signIn } from '../../testing/platform-bed.ts';
import { fileBed, formOf } from '../../api/triggers/testing/file-bed.ts';
import { handlesIn } from './held-values.ts';
import { eventually } from '../../../tests/support/eventually.ts';

const text = { text: { operator: 'file.to-text' } };
const bytes = { accept: ['bytes'] };

async function call(bed: Bed, id: string, body: BodyInit = '{}', headers?: Record<string, string>) {
  const sent = headers ?? (body === '{}' ? { 'content-type': 'application/json' } : {});
  const answer = await fetch(`${bed.url}/api/v1/awel/trigger/${id}`, {
    method: 'POST',
    body,
    headers: sent,
  });
  const run = answer.headers.get('x-weft-run') as string;
  return { status: answer.status, body: JSON.parse((await answer.text()) || 'null') as never, run };
}

/** Calls the API as the owner. */
async function owner(bed: Bed) {
  const session = await signIn(bed);
  return async (method: string, path: string, body?: unknown): Promise<never> => {
    const headers = { ...session, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${bed.url}/api/v1${path}`, { method, headers, ...init });
    const { data, ...rest } = (await answer.json()) as { data: never };
    if (!answer.ok) throw new Error(JSON.stringify(rest));
    return data;
  };
}

async function ended(bed: Bed, run: string): Promise<void> {
  await eventually(async () => expect((await bed.ctx.runs.get(run))?.status).toMatch(/ok|failed/));
}

test('finds handles wherever they are', () => {
  const [a, b] = [`f_${'a'.repeat(32)}`, `f_${'b'.repeat(32)}`];
  const cycle: Record<string, unknown> = {
    list: [{ x: { $file: a } }, { $file: b, name: 'x' }],
    none: { $file: 'x' },
  };
  cycle['self'] = cycle;
  expect(handlesIn(cycle).sort()).toEqual([a, b]);
  expect(handlesIn('f_x')).toEqual([]);
});

test('a stored value keeps its file, and gives it to the run that reads it', async () => {
  const bed = await fileBed({
    put: {
      trigger: bytes,
      nodes: {
        set: { operator: 'state.set', params: { key: 'doc', scope: 'shared', value: '{{ input }}' } },
      },
    },
    take: {
      trigger: {},
      nodes: { get: { operator: 'state.get', params: { key: 'doc', scope: 'shared' } }, ...text },
    },
    forge: {
      trigger: {},
      nodes: {
        set: { operator: 'state.set', params: { key: 'doc', scope: 'shared', value: '{{ input }}' } },
      },
    },
  });
  const answer = await fetch(`${bed.url}/api/v1/awel/trigger/put`, { method: 'POST', body: 'Hello' });
  const run = answer.headers.get('x-weft-run') as string;
  expect(answer.status).toBe(204);
  const [handle] = await bed.ctx.files.of({ kind: 'run', id: run });
  expect((await call(bed, 'take')).body).toBe('Hello');
  const json = { 'content-type': 'application/json' };
  const forged = await call(
    bed,
    'forge',
    JSON.stringify({ $file: handle, name: 'x', type: 'x/y', bytes: 5 }),
    json,
  );
  expect(forged.status).toBe(204);
});

test('a forged value holds nothing', async () => {
  const bed = await fileBed({
    put: { trigger: { accept: ['multipart'] } },
    forge: {
      trigger: {},
      nodes: {
        set: { operator: 'state.set', params: { key: 'doc', scope: 'shared', value: '{{ input }}' } },
      },
    },
    take: {
      trigger: {},
      nodes: { get: { operator: 'state.get', params: { key: 'doc', scope: 'shared' } }, ...text },
    },
  });
  const { body } = await call(bed, 'put', formOf({ doc: new File(['secret'], 'a.txt') }));
  await call(bed, 'forge', JSON.stringify((body as { doc: FileValue }).doc), {
    'content-type': 'application/json',
  });
  expect(await call(bed, 'take')).toMatchObject({ status: 404, body: { err_code: 'file_not_found' } });
});

test('a run in part, and pins, use the files of an earlier run', async () => {
  const bed = await fileBed({
    read: {
      trigger: bytes,
      nodes: { pass: { operator: 'core.map', params: { value: '{{ input }}' } }, ...text },
      settings: { record: 'full' },
    },
  });
  const { run } = await call(bed, 'read', 'Hello');
  await ended(bed, run);
  const api = await owner(bed);
  const again = { reuse: run, from: 'text', wait: true };
  expect(await api('POST', '/flows/read/run', again)).toMatchObject({
    status: 'ok',
    answer: { body: 'Hello' },
  });
  const [handle] = await bed.ctx.files.of({ kind: 'run', id: run });
  const file = (await bed.ctx.files.find(handle as string, { kind: 'run', id: run }))?.value;
  await api('PUT', '/flows/read/pins/pass', { outputs: { out: file } });
  expect(await api('POST', '/flows/read/run', { wait: true, pins: true })).toMatchObject({
    error: { code: 'file_not_found' },
  });
  await api('PUT', '/flows/read/pins/pass', { outputs: { out: file }, run });
  expect(await api('POST', '/flows/read/run', { wait: true, pins: true })).toMatchObject({
    answer: { body: 'Hello' },
  });
});

test('a called flow opens the files of its caller', async () => {
  const bed = await fileBed({
    outer: { trigger: bytes, nodes: { call: { operator: 'flow.call', params: { flow: 'inner' } } } },
    inner: { trigger: { request: { type: 'object', format: 'file' } }, nodes: text },
  });
  expect(await call(bed, 'outer', 'Hello')).toMatchObject({ status: 200, body: 'Hello' });
});

test('a file is held as long as its run can be looked at, or its value is stored', async () => {
  const bed = await fileBed({
    put: {
      trigger: bytes,
      nodes: { set: { operator: 'state.set', params: { key: 'k', value: '{{ input }}' } }, ...text },
      settings: { record: 'full' },
    },
    bare: { trigger: bytes, nodes: text, settings: { record: 'off' } },
  });
  const { run } = await call(bed, 'put', 'Hello');
  await ended(bed, run);
  const { ctx } = bed;
  const state = { get: async () => undefined };
  const there = (kind: 'run' | 'state', id: string) => isThere({ ...ctx, state }, { kind, id });
  expect(await there('run', run)).toBe(true);
  expect(await there('state', '["put","k"]')).toBe(false);
  await ctx.runs.remove(run);
  expect(await there('run', run)).toBe(false);
  const bare = await call(bed, 'bare', 'Hello');
  expect(await there('run', bare.run)).toBe(false);
});

test('files go out in forms, and answers come in as files', async () => {
  const seen: { type: string | undefined; length: string | undefined; body: string }[] = [];
  const other = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      seen.push({ type: request.headers['content-type'], length: request.headers['content-length'], body });
      response.setHeader('content-type', 'text/csv');
      response.setHeader('content-disposition', 'attachment; filename="../answer.csv"');
      response.end('a,b');
    });
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const params = {
    method: 'POST',
    url: `http://127.0.0.1:${port}/`,
    bodyType: 'multipart',
    body: { note: 'x', doc: '{{ input }}', more: ['{{ input }}'] },
    response: 'file',
  };
  const bed = await fileBed(
    {
      send: {
        trigger: bytes,
        nodes: { send: { operator: 'http.request', params } },
      },
    },
    { outboundAllow: [`127.0.0.1:${port}`] },
  );
  const { body } = await call(bed, 'send', 'Hällo');
  expect(body).toMatchObject({ status: 200, file: { name: 'answer.csv', type: 'text/csv', bytes: 3 } });
  const [{ type, length, body: sent } = { type: '', length: '', body: '' }] = seen;
  expect(type).toMatch(/^multipart\/form-data; boundary=/);
  expect(Number(length)).toBe(Buffer.byteLength(sent));
  expect(sent.match(/filename="file\.txt"\r\nContent-Type: text\/plain\r\n\r\nHällo\r\n/g)).toHaveLength(2);
});
