import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { connectionBed } from '../../testing/connection-bed.ts';

/** Descriptions of issuers that are wrong, or lead where nobody allowed. */

async function startIssuer(describe: (origin: string, response: ServerResponse, path: string) => void) {
  const came: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    came.push(url);
    describe(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, response, url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, came };
}

const json =
  (body: (origin: string) => object, status = 200) =>
  (origin: string, response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body(origin)));

/** The result of the test of a connection whose app signs in by itself. */
async function tested(issuer: string, more: object = {}) {
  const settings = {
    issuer,
    grant: 'client',
    clientId: 'weft',
    secret: 's',
    address: 'https://api.example.com',
  };
  const { connections } = connectionBed();
  return connections.tryOut('one', { kind: 'oauth2', settings: { ...settings, ...more } });
}

test.each([
  [
    'names another issuer',
    json(() => ({ issuer: 'https://evil.example', token_endpoint: 'https://evil.example/t' })),
    'connection_failed',
    'another issuer',
  ],
  ['is not there', json(() => ({}), 404), 'connection_failed', 'it has none'],
  [
    'is HTML',
    (_: string, response: ServerResponse) => void response.setHeader('content-type', 'text/html').end('<p>'),
    'connection_failed',
    'cannot be used',
  ],
  [
    'is no object',
    (_: string, response: ServerResponse) =>
      void response.setHeader('content-type', 'application/json').end('[]'),
    'connection_failed',
    'cannot be used',
  ],
  [
    'leads to itself',
    (origin: string, response: ServerResponse, path: string) =>
      void response.writeHead(302, { location: origin + path }).end(),
    'connection_failed',
    'redirects',
  ],
  [
    'has no address for tokens',
    json((issuer) => ({ issuer })),
    'connection_refused',
    'no address for tokens',
  ],
  [
    'names the metadata of a cloud',
    json((issuer) => ({ issuer, token_endpoint: 'http://169.254.169.254/token' })),
    'connection_refused',
    'not encrypted',
  ],
  [
    'names the metadata of a cloud over https',
    json((issuer) => ({ issuer, token_endpoint: 'https://169.254.169.254/token' })),
    'outbound_refused',
    '169.254.169.254',
  ],
  [
    'names another port of this machine',
    json((issuer) => ({ issuer, token_endpoint: 'http://127.0.0.1:1/token' })),
    'outbound_refused',
    '127.0.0.1',
  ],
  [
    'names a private network',
    json((issuer) => ({ issuer, token_endpoint: 'https://10.0.0.1/token' })),
    'outbound_refused',
    '10.0.0.1',
  ],
  ['names a program', json((issuer) => ({ issuer, token_endpoint: 'file:///etc/passwd' })), undefined, ''],
])('a description that %s is refused, with a reason', async (_, describe, code, words) => {
  const issuer = await startIssuer(describe);
  const { ok, error } = await tested(issuer.origin);
  expect(ok).toBe(false);
  if (code === undefined) return;
  expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
  expect(issuer.came.length).toBeLessThanOrEqual(2);
});

test('a description that never comes is given up in time', async () => {
  const issuer = await startIssuer(() => {});
  expect(await tested(issuer.origin, { timeoutMs: 150 })).toMatchObject({ ok: false });
});

test('an address by hand goes before the description, and a token address may not redirect', async () => {
  const issuer = await startIssuer((origin, response, path) => {
    if (path === '/mine') response.writeHead(307, { location: `${origin}/mine` }).end();
    else json((own) => ({ issuer: own, token_endpoint: 'https://10.0.0.1/token' }))(origin, response);
  });
  const { error } = await tested(issuer.origin, { tokenUrl: `${issuer.origin}/mine` });
  expect(error).toMatchObject({ code: 'connection_failed', message: expect.stringContaining('redirects') });
  expect(issuer.came.filter((path) => path === '/mine').length).toBe(1);
});

test.each([
  [{ clientId: '' }, 'client id'],
  [{ address: '' }, 'address of the API'],
  [{ tokenUrl: 'http://login.example.com/token', issuer: '' }, 'not encrypted'],
])('settings that lack something say so (%o)', async (more, words) => {
  const { error } = await tested('https://login.example.com', {
    tokenUrl: 'https://login.example.com/t',
    issuer: '',
    ...more,
  });
  expect(error).toMatchObject({ code: 'connection_refused', message: expect.stringContaining(words) });
});
