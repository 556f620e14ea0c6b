import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openFolders, signal, storeContract } from '../../../../storage/file-store/store.contract.ts';
import { eventually } from '../../../../../tests/support/eventually.ts';
import { asker as by, connectionBed } from '../../testing/connection-bed.ts';
import {
  ACCESS_KEY,
  BUCKET,
  fail,
  REGION,
  SECRET_KEY,
  type S3Server,
  signatureOf,
  startS3,
} from '../../testing/s3-server.ts';

async function s3Server(...options: Parameters<typeof startS3>): Promise<S3Server> {
  const server = await startS3(...options);
  onTestFinished(() => server.close());
  return server;
}

function settingsFor({ endpoint }: Pick<S3Server, 'endpoint'>) {
  return { endpoint, region: REGION, bucket: BUCKET, accessKey: ACCESS_KEY, secretKey: SECRET_KEY };
}

/** A connection `inbox` to a server, as a store of files. */
async function open(
  server: Pick<S3Server, 'endpoint'>,
  more: object = {},
  bed: Parameters<typeof connectionBed>[0] = {},
) {
  const { connections } = connectionBed(bed);
  const settings = { ...settingsFor(server), ...more };
  await connections.put('inbox', { kind: 's3', settings, grants: { flows: ['f'] } });
  const opened = await openFolders({ folders: {}, connected: (...asked) => connections.store(...asked) });
  return { ...opened, connections };
}

storeContract('S3', async () => open(await s3Server()));
storeContract('S3 below a prefix', async () => open(await s3Server(), { prefix: 'weft/my files' }));

test('the signatures that the tests expect are those of the documentation', () => {
  const headers = {
    host: 'examplebucket.s3.amazonaws.com',
    range: 'bytes=0-9',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-amz-date': '20130524T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=x',
  };
  const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  expect(signatureOf({ method: 'GET', url: '/test.txt', headers }, secret)).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test('the bucket may be a part of the host', async () => {
  const server = await s3Server({ virtualHost: true });
  const endpoint = `http://s3.example.com:${server.port}`;
  const looked: string[] = [];
  const resolve = async (name: string) => {
    looked.push(name);
    return ['127.0.0.1'];
  };
  const { folders, file, close } = await open({ endpoint }, { addressing: 'virtual-host' }, { resolve });
  await folders.write('inbox', 'a/ö.txt', await file('Hello'), { by, signal });
  expect([...server.objects.keys()]).toEqual(['a/ö.txt']);
  expect(new Set(looked)).toEqual(new Set([`${BUCKET}.s3.example.com`]));
  await close();
});

test('nothing outside of the prefix is reachable', async () => {
  const server = await s3Server();
  const outer = await open(server);
  await outer.folders.write('inbox', 'other/secret.txt', await outer.file('x'), { by, signal });
  await outer.folders.write('inbox', 'mine-too/secret.txt', await outer.file('x'), { by, signal });
  const { folders, file, close } = await open(server, { prefix: 'mine/' });
  await folders.write('inbox', 'a.txt', await file('y'), { by, signal });
  expect(await folders.list('inbox', '', by, { signal, recursive: true })).toMatchObject([{ path: 'a.txt' }]);
  expect([...server.objects.keys()].toSorted()).toEqual([
    'mine-too/secret.txt',
    'mine/a.txt',
    'other/secret.txt',
  ]);
  await outer.close();
  await close();
});

test('lists of many keys have pages, and names that are no valid paths are left out', async () => {
  const server = await s3Server();
  const object = { bytes: Buffer.from('x'), size: 1, type: 'text/plain', modified: new Date().toISOString() };
  for (let i = 0; i < 2500; i++) server.objects.set(`many/${String(i).padStart(4, '0')} +&.txt`, object);
  for (const key of ['many//double', 'many/../up', '/first', 'many/a\tb', 'marker/', 'a:b\\c'])
    server.objects.set(key, object);
  const { folders, close } = await open(server);
  const all = await folders.list('inbox', '', by, { signal, recursive: true, limit: 10_000 });
  expect(all.filter(({ kind }) => kind === 'file')).toHaveLength(2501);
  expect(all.map(({ path }) => path).slice(0, 3)).toEqual(['a:b\\c', 'many', 'many/0000 +&.txt']);
  expect(all.at(-1)).toMatchObject({ path: 'marker', kind: 'folder' });
  expect(server.asked.filter((one) => one.startsWith('GET'))).toHaveLength(3);
  server.asked.length = 0;
  expect(await folders.list('inbox', 'many', by, { signal, limit: 10 })).toHaveLength(10);
  expect(server.asked).toHaveLength(1);
  await close();
});

test('the test of a connection names the bucket and its host', async () => {
  const { connections, close } = await open(await s3Server());
  expect(await connections.test('inbox')).toMatchObject({
    ok: true,
    about: expect.stringContaining(`the bucket ${BUCKET} at 127.0.0.1`),
  });
  const [info] = connections.list();
  expect(info).toMatchObject({ kind: 's3', hidden: ['secretKey'] });
  expect(JSON.stringify(info)).not.toContain(SECRET_KEY);
  await close();
});

test.each([
  ['a secret key', { secretKey: 'another-secret' }, 'SignatureDoesNotMatch'],
  ['an access key', { accessKey: 'AKOTHER' }, 'InvalidAccessKeyId'],
  ['a bucket', { bucket: 'no-such-bucket' }, 'There is no bucket no-such-bucket'],
])('%s that is wrong is refused with an explanation', async (_, more, words) => {
  const { folders, connections, file, close } = await open(await s3Server(), more);
  const refused = { code: 'connection_refused', message: expect.stringContaining(words) };
  expect(await connections.test('inbox')).toMatchObject({ ok: false, error: refused });
  await expect(folders.list('inbox', '', by, { signal })).rejects.toMatchObject(refused);
  await expect(
    folders.write('inbox', 'a', await file('x'), { by, signal, replace: true }),
  ).rejects.toMatchObject(refused);
  await expect(folders.read('inbox', 'a', by, { signal })).rejects.toMatchObject(refused);
  await close();
});

test('invalid settings are refused', async () => {
  const { connections } = connectionBed();
  const put = (more: object) =>
    connections.put('x', {
      kind: 's3',
      settings: { ...settingsFor({ endpoint: 'https://s3.example.com' }), ...more },
    });
  for (const more of [
    { endpoint: 's3.example.com' },
    { endpoint: 'ftp://s3.example.com' },
    { endpoint: 'https://user:pass@s3.example.com' },
    { endpoint: 'https://s3.example.com/path' },
    { bucket: '../x' },
    { bucket: 'A' },
    { prefix: '../x' },
    { prefix: 'a//b' },
    { prefix: '/a' },
    { region: 'eu central' },
    { accessKey: '' },
    { sessionToken: 'x' },
  ])
    await expect(put(more), JSON.stringify(more)).rejects.toMatchObject({ code: 'invalid_request' });
  await put({});
  const { secretKey: _, ...rest } = settingsFor({ endpoint: 'https://elsewhere.example.com' });
  await expect(connections.put('x', { kind: 's3', settings: rest })).rejects.toMatchObject({
    code: 'connection_secret_again',
    message: expect.stringContaining('Give `secretKey` again, since `endpoint` changed'),
  });
});

test('a connection that is not granted, of another kind, or to a forbidden address is refused', async () => {
  const { connections } = connectionBed();
  const bed = await openFolders({ folders: {}, connected: (...asked) => connections.store(...asked) });
  const list = (name: string) => bed.folders.list(name, '', by, { signal });
  const settings = settingsFor({ endpoint: 'http://169.254.169.254' });
  await connections.put('one', { kind: 's3', settings });
  await expect(list('one')).rejects.toMatchObject({ code: 'connection_not_granted' });
  await connections.put('one', { kind: 's3', settings, grants: { flows: ['f'] } });
  await expect(list('one')).rejects.toMatchObject({ code: 'outbound_refused' });
  await connections.put('two', {
    kind: 'http',
    settings: { address: 'http://x.example' },
    grants: { flows: ['f'] },
  });
  await expect(list('two')).rejects.toMatchObject({
    code: 'connection_missing',
    message: expect.stringContaining('leads to an HTTP service'),
  });
  await bed.close();
});

test('a redirect is reported, and nothing is sent there', async () => {
  const other = createServer((_, response) => void response.end('x'));
  const came: unknown[] = [];
  other.on('connection', (socket) => came.push(socket));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const server = await s3Server();
  const { folders, connections, file, close } = await open(server);
  for (const status of [301, 302, 307, 308]) {
    server.instead = (_, response) => {
      response.setHeader('location', `http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
      response.setHeader('x-amz-bucket-region', status === 301 ? 'eu-west-9' : REGION);
      fail(response, status, 'PermanentRedirect');
      return true;
    };
    const words = status === 301 ? 'in the region eu-west-9' : 'it was not followed';
    const refused = { code: 'connection_refused', message: expect.stringContaining(words) };
    expect(await connections.test('inbox')).toMatchObject({ ok: false, error: refused });
    await expect(folders.read('inbox', 'a', by, { signal })).rejects.toMatchObject(refused);
    await expect(
      folders.write('inbox', 'a', await file('x'), { by, signal, replace: true }),
    ).rejects.toMatchObject(refused);
  }
  expect(came).toEqual([]);
  await close();
});

test('a server that stops in the middle, or hangs', async () => {
  const server = await s3Server();
  const { folders, connections, file, close } = await open(server, { timeoutMs: 300 });
  const failed = { code: 'connection_failed' };
  const read = () => folders.read('inbox', 'a', by, { signal });
  const list = () => folders.list('inbox', '', by, { signal });
  const write = async () => folders.write('inbox', 'a', await file('x'), { by, signal, replace: true });

  server.instead = (_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('some', () => response.destroy());
    return true;
  };
  for (const way of [read, list, write]) await expect(way()).rejects.toMatchObject(failed);

  server.instead = () => true;
  for (const way of [read, list, write]) await expect(way()).rejects.toMatchObject(failed);
  expect(await connections.test('inbox')).toMatchObject({ ok: false, error: failed });

  // It hangs after some bytes.
  server.instead = (_, response) =>
    response.writeHead(200, { 'content-length': '1000' }).write('some') || true;
  for (const way of [read, list, write]) await expect(way()).rejects.toMatchObject(failed);

  await close();
});

test('invalid answers are failures', async () => {
  const server = await s3Server();
  const { folders, file, close } = await open(server);
  const failed = { code: 'connection_failed' };
  const read = () => folders.read('inbox', 'a', by, { signal });
  const list = () => folders.list('inbox', '', by, { signal });
  const write = async () => folders.write('inbox', 'a', await file('x'), { by, signal, replace: true });
  const answer = (status: number, text: string) => {
    server.instead = (_, response) => {
      response.writeHead(status).end(text);
      return true;
    };
  };
  for (const garbage of [
    '',
    'hello',
    '<html>',
    '<ListBucketResult><Contents><Key>x</Key></Contents></ListBucketResult>',
    '<ListBucketResult><Contents><Key>x</Key><Size>-1</Size><LastModified>?</LastModified></Contents></ListBucketResult>',
    '<!DOCTYPE a [<!ENTITY b "c">]><ListBucketResult>&b;</ListBucketResult>',
    '{"ListBucketResult":{}}',
  ]) {
    answer(200, garbage);
    await expect(list()).rejects.toMatchObject(failed);
    answer(503, garbage);
    for (const way of [read, list, write]) await expect(way()).rejects.toMatchObject(failed);
    answer(400, garbage);
    for (const way of [read, list, write])
      await expect(way()).rejects.toMatchObject({ code: 'connection_refused' });
  }
  expect(server.objects.size).toBe(0);
  await close();
});

test('a part that fails is sent again, and an upload that cannot be completed is dropped', async () => {
  const server = await s3Server();
  const { folders, file, close } = await open(server);
  const big = await file(Buffer.alloc(17 * 1024 ** 2, 'x'));
  let failures = 2;
  server.instead = ({ query }, response) => {
    if (query.get('partNumber') !== '2' || failures-- <= 0) return false;
    fail(response, 503, 'SlowDown');
    return true;
  };
  await folders.write('inbox', 'big', big, { by, signal });
  expect(server.objects.get('big')?.size).toBe(17 * 1024 ** 2);

  server.instead = ({ method, query }, response) => {
    if (method !== 'POST' || !query.has('uploadId')) return false;
    // The status was sent before the failure.
    fail(response, 200, 'InternalError');
    return true;
  };
  await expect(folders.write('inbox', 'other', big, { by, signal })).rejects.toMatchObject({
    code: 'connection_failed',
    message: expect.stringContaining('InternalError'),
  });
  await eventually(() => expect(server.uploads.size).toBe(0));
  expect([...server.objects.keys()]).toEqual(['big']);
  await close();
});

test('a stopped upload ends at once and leaves nothing', async () => {
  const server = await s3Server();
  const { folders, file, close } = await open(server);
  const big = await file(Buffer.alloc(40 * 1024 ** 2, 'x'));
  const stop = new AbortController();
  const reason = new Error('stopped');
  server.instead = ({ query }) => {
    if (query.get('partNumber') !== '2') return false;
    stop.abort(reason);
    return true;
  };
  await expect(folders.write('inbox', 'big', big, { by, signal: stop.signal })).rejects.toBe(reason);
  await eventually(() => expect(server.uploads.size).toBe(0));
  expect(server.objects.size).toBe(0);
  await close();
});
