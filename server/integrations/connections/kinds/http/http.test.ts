import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { HttpRequest } from '#engine';
import { addressBelow } from '../../requests.ts';
import { asker as by, connectionBed, never } from '../../testing/connection-bed.ts';

const SECRET = 'the-token-of-weft';

interface Service {
  readonly origin: string;
  readonly came: IncomingMessage[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
}

async function startService(): Promise<Service> {
  const came: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    came.push(request);
    service.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const service: Service = {
    origin: `http://127.0.0.1:${port}`,
    came,
    answer: (_, response) => void response.end('ok'),
  };
  return service;
}

const request: HttpRequest = {
  method: 'GET',
  url: '/items',
  connection: 'crm',
  headers: {},
  body: undefined,
  redirects: 5,
  timeoutMs: 20_000,
  maxBytes: 1_000_000,
};

async function connected(address: string, more: object = {}) {
  const bed = connectionBed();
  const settings = { address, secret: SECRET, ...more };
  await bed.connections.put('crm', { kind: 'http', settings, grants: { flows: ['f'] } });
  const send = async (changes: Partial<HttpRequest> = {}, asker = by) => {
    const answer = await bed.connections.send({ ...request, ...changes }, asker, never);
    let text = '';
    for await (const piece of answer.body) text += Buffer.from(piece).toString();
    return { ...answer, text };
  };
  return { ...bed, send };
}

test.each([
  ['a token', {}, { authorization: `Bearer ${SECRET}` }],
  ['a password', { auth: 'basic', user: 'adä' }, { authorization: `Basic ${btoaUtf8(`adä:${SECRET}`)}` }],
  ['a header', { auth: 'header', header: 'X-Crm-Key' }, { 'x-crm-key': SECRET }],
  ['nothing', { auth: 'none' }, {}],
  [
    'more headers',
    { headers: { 'X-Tenant': 'shop' } },
    { 'x-tenant': 'shop', authorization: `Bearer ${SECRET}` },
  ],
])('a request is below the address and gets %s', async (_, more, headers) => {
  const service = await startService();
  const { send } = await connected(`${service.origin}/v1/`, more);
  expect(await send({ url: 'items?limit=2' })).toMatchObject({ status: 200, text: 'ok' });
  const [came] = service.came;
  expect(came?.url).toBe('/v1/items?limit=2');
  expect(came?.headers).toMatchObject(headers);
  if (!('authorization' in headers)) expect(came?.headers).not.toHaveProperty('authorization');
});

test('a secret stands in the address where the request says so, as it is, and in no refusal', async () => {
  const service = await startService();
  const { send } = await connected(`${service.origin}/v1`, { auth: 'address', secret: '123:AB c/d' });
  await send({ url: '/bot{secret}/me?key={secret}&q=%7Bsecret%7D' });
  expect(service.came[0]?.url).toBe('/v1/bot123:AB%20c%2Fd/me?key=123:AB%20c%2Fd&q=%7Bsecret%7D');
  expect(service.came[0]?.headers).not.toHaveProperty('authorization');
  for (const url of ['https://evil.example/{secret}', '/../{secret}', '/{secret} x'])
    await expect(send({ url }), url).rejects.toMatchObject({
      code: 'outbound_invalid',
      message: expect.not.stringContaining('123:AB'),
    });
  expect(service.came).toHaveLength(1);
});

test('a place for the secret is refused by a connection that sends it in another way', async () => {
  const service = await startService();
  const { send } = await connected(service.origin);
  await expect(send({ url: '/{secret}/x' })).rejects.toMatchObject({ code: 'outbound_invalid' });
  expect(service.came).toEqual([]);
});

test('a request that names an address goes below it only if the credentials may go there', async () => {
  const service = await startService();
  const { send } = await connected(`${service.origin}/v1`);
  await send({ base: 'https://elsewhere.example/v9' });
  expect(service.came[0]?.url).toBe('/v1/items');
});

function btoaUtf8(text: string): string {
  return Buffer.from(text).toString('base64');
}

test('headers of a request override those of the connection, but not its credentials', async () => {
  const service = await startService();
  const { send } = await connected(service.origin, { headers: { 'X-Tenant': 'shop', Accept: 'text/plain' } });
  await send({ headers: { 'X-TENANT': 'other', Authorization: 'Bearer of-the-flow' } });
  expect(service.came[0]?.headers).toMatchObject({
    'x-tenant': 'other',
    accept: 'text/plain',
    authorization: `Bearer ${SECRET}`,
  });
});

test.each([
  ['//evil.example/x'],
  ['https://evil.example/x'],
  ['http://127.0.0.1:1/x'],
  ['/../admin'],
  ['/a/../../admin'],
  ['/%2e%2e/admin'],
  ['/a/%2E%2e%2fadmin'],
  ['/..%2fadmin'],
  ['/..%5cadmin'],
  ['..'],
  ['\\\\evil.example'],
  ['/a b'],
  ['/a\nHost: evil.example'],
  ['@evil.example/'],
  ['javascript:alert(1)'],
  ['file:///etc/passwd'],
])('the path %j leads nowhere else', async (url) => {
  const service = await startService();
  const { send } = await connected(`${service.origin}/v1`);
  const ended = await send({ url }).then(
    () => 'answered',
    (error: { code: string }) => error.code,
  );
  if (ended === 'answered') expect(service.came[0]?.url).toMatch(/^\/v1\//);
  else expect(ended).toBe('outbound_invalid');
  expect(service.came.every((one) => one.url?.startsWith('/v1') === true)).toBe(true);
});

test('an address is below another one only by whole path segments', () => {
  const base = new URL('https://api.example.com/v1');
  expect(addressBelow(base, '')).toBe('https://api.example.com/v1');
  expect(addressBelow(base, '/')).toBe('https://api.example.com/v1/');
  expect(addressBelow(base, '?page=2')).toBe('https://api.example.com/v1?page=2');
  expect(addressBelow(base, 'https://api.example.com/v1/items?page=2')).toBe(
    'https://api.example.com/v1/items?page=2',
  );
  for (const path of [
    'https://api.example.com/v10/items',
    'https://api.example.com/',
    'http://api.example.com/v1/items',
    'https://api.example.com:444/v1/items',
    'https://user@api.example.com/v1/items',
    'https://api.example.com.evil.example/v1/items',
  ])
    expect(() => addressBelow(base, path), path).toThrow(/below|leads out/);
});

test('credentials follow a redirect within their origin, and never to another one', async () => {
  const [service, other] = [await startService(), await startService()];
  const { send, data } = await connected(service.origin, {
    auth: 'header',
    header: 'X-Odd',
    headers: { 'X-Tenant': 'shop' },
  });
  service.answer = ({ url }, response) => {
    if (url === '/items') response.writeHead(302, { location: '/moved' });
    response.end('here');
  };
  expect((await send()).text).toBe('here');
  expect(service.came.map(({ headers }) => headers['x-odd'])).toEqual([SECRET, SECRET]);

  for (const status of [301, 302, 303, 307, 308]) {
    service.answer = (_, response) => {
      response.writeHead(status, { location: `${other.origin}/taken` }).end();
    };
    // The other server is on this machine, where only the address of the connection is allowed.
    await expect(send()).rejects.toMatchObject({ code: 'outbound_refused' });
  }
  expect(other.came).toEqual([]);
  expect(JSON.stringify(data())).not.toContain(SECRET);
});

test('a redirect to a public address loses the credentials and all headers of the connection', async () => {
  const [service, other] = [await startService(), await startService()];
  const bed = connectionBed({ allow: [new URL(other.origin).host] });
  const settings = { address: service.origin, secret: SECRET, headers: { 'X-Tenant': 'shop' } };
  await bed.connections.put('crm', { kind: 'http', settings, grants: { flows: ['f'] } });
  service.answer = (_, response) => void response.writeHead(302, { location: `${other.origin}/x` }).end();
  const answer = await bed.connections.send(request, by, never);
  for await (const _ of answer.body);
  expect(other.came).toHaveLength(1);
  expect(JSON.stringify(other.came[0]?.rawHeaders)).not.toMatch(/the-token|tenant|authorization/i);
});

test('it is used only where it is granted, and only for requests', async () => {
  const service = await startService();
  const { send, connections } = await connected(service.origin);
  await expect(send({}, { ...by, flow: 'g' })).rejects.toMatchObject({ code: 'connection_not_granted' });
  await expect(send({ connection: 'none' })).rejects.toMatchObject({ code: 'connection_missing' });
  const files = { accessKey: 'a', bucket: 'abc', endpoint: service.origin };
  await connections.put('crm', { kind: 's3', settings: files, grants: { flows: ['f'] } });
  await expect(send()).rejects.toMatchObject({ code: 'connection_missing' });
  expect(service.came).toEqual([]);
});

test('the test of a connection reports the answer of the service', async () => {
  const service = await startService();
  const { connections, redactor } = await connected(service.origin, { testPath: '/me' });
  expect(await connections.test('crm')).toMatchObject({
    ok: true,
    about: expect.stringContaining('status 200'),
  });
  expect(service.came[0]?.url).toBe('/me');
  for (const [status, code] of [
    [401, 'connection_refused'],
    [403, 'connection_refused'],
    [500, 'connection_failed'],
  ] as const) {
    service.answer = (_, response) => void response.writeHead(status).end();
    expect(await connections.test('crm')).toMatchObject({ ok: false, error: { code } });
  }
  service.answer = (_, response) => void response.destroy();
  expect(await connections.test('crm')).toMatchObject({ ok: false, error: { code: 'outbound_failed' } });
  expect(redactor.text(`x${SECRET}x ${btoaUtf8(`user:${SECRET}`)}`)).not.toMatch(/the-token|dGhlLXRva2Vu/);
});

test.each([
  { address: 'api.example.com' },
  { address: 'ftp://api.example.com' },
  { address: 'https://user:pass@api.example.com' },
  { address: 'https://api.example.com/?key=x' },
  { auth: 'ntlm' },
  { header: 'X Key' },
  { secret: 'two\nlines' },
  { headers: { 'X-A': 'two\r\nlines' } },
  { headers: { 'X A': 'x' } },
  { token: 'x' },
])('the settings %j are refused', async (more) => {
  const { connections } = connectionBed();
  const settings = { address: 'https://api.example.com', secret: SECRET, ...more };
  await expect(connections.put('crm', { kind: 'http', settings })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

test('a stored secret is never sent to another origin, but may stay for another path', async () => {
  const { connections } = await connected('https://api.example.com/v1');
  const put = (address: string) => connections.put('crm', { kind: 'http', settings: { address } });
  await put('https://api.example.com/v2');
  for (const address of [
    'https://elsewhere.example',
    'http://api.example.com/v2',
    'https://api.example.com:8443',
  ])
    await expect(put(address)).rejects.toMatchObject({
      code: 'connection_secret_again',
      message: expect.stringContaining('Give `secret` again, since `address` changed'),
    });
});
