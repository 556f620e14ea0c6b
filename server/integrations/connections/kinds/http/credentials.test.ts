import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HttpRequest } from '#engine';
import { PASSWORD, startDigestServer, USER } from '../../../../base/outbound/testing/digest-server.ts';
import { startSite } from '../../../../base/outbound/testing/victim.ts';
import { asker as by, connectionBed, never } from '../../testing/connection-bed.ts';
import { ACCESS_KEY, BUCKET, REGION, SECRET_KEY, startS3 } from '../../testing/s3-server.ts';
import { certificate, key } from '../../testing/self-signed.ts';

const request: HttpRequest = {
  method: 'GET',
  url: '/items?limit=2',
  connection: 'crm',
  headers: {},
  body: undefined,
  redirects: 5,
  timeoutMs: 20_000,
  maxBytes: 1_000_000,
};

async function connected(settings: object, allow: readonly string[] = []) {
  const bed = connectionBed({ allow });
  await bed.connections.put('crm', { kind: 'http', settings: { ...settings }, grants: { flows: ['f'] } });
  const send = async (changes: Partial<HttpRequest> = {}) => {
    const answer = await bed.connections.send({ ...request, ...changes }, by, never);
    let text = '';
    for await (const piece of answer.body) text += Buffer.from(piece).toString();
    return { ...answer, text };
  };
  return { ...bed, send };
}

/** An encrypted server that lets in only who has the certificate, if it `asks`. */
async function startSecure(asks: boolean, answer?: { location: string }) {
  const names: unknown[] = [];
  const server = createServer(
    { cert: certificate, key, ...(asks && { requestCert: true, rejectUnauthorized: true, ca: certificate }) },
    (incoming, response) => {
      names.push((incoming.socket as TLSSocket).getPeerCertificate().subject?.CN);
      if (answer !== undefined) response.writeHead(302, answer);
      response.end('let in');
    },
  );
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, names };
}

test('requests are signed for a server that asks for a digest', async () => {
  const server = await startDigestServer();
  const { send, data, redactor } = await connected({
    address: server.url,
    auth: 'digest',
    user: USER,
    secret: PASSWORD,
  });
  expect(await send()).toMatchObject({ status: 200, text: 'hello /items?limit=2' });
  expect(await send({ method: 'PUT', body: 'x' })).toMatchObject({ status: 200 });
  expect(server.came.map(({ status }) => status)).toEqual([401, 200, 200]);
  expect(JSON.stringify([server.came, data()])).not.toContain(PASSWORD);
  expect(redactor.text(`a ${PASSWORD} b`)).toBe('a *** b');
});

test('requests are signed for AWS', async () => {
  const s3 = await startS3();
  onTestFinished(() => s3.close());
  const { send, connections, data } = await connected({
    address: `${s3.endpoint}/${BUCKET}`,
    auth: 'aws',
    user: ACCESS_KEY,
    secret: SECRET_KEY,
    region: REGION,
    service: 's3',
  });
  expect(await send({ method: 'PUT', url: '/a b.txt'.replace(' ', '%20'), body: 'here' })).toMatchObject({
    status: 200,
  });
  expect(await send({ url: '/a%20b.txt' })).toMatchObject({ status: 200, text: 'here' });
  expect(await connections.test('crm')).toMatchObject({ ok: true });
  expect(JSON.stringify(data())).not.toContain(SECRET_KEY);
});

describe('an encrypted service', () => {
  test('is trusted by the authority of the connection, and by no other one', async () => {
    const { address } = await startSecure(false);
    const trusting = await connected({ address, auth: 'none', ca: certificate });
    expect(await trusting.send()).toMatchObject({ text: 'let in' });
    const other = await connected({ address, auth: 'none' });
    await expect(other.send()).rejects.toMatchObject({
      code: 'outbound_failed',
      message: expect.stringContaining('self-signed'),
    });
  });

  test('gets the certificate of the connection, also from a field of one line', async () => {
    const { address, names } = await startSecure(true);
    for (const clientCertificate of [`${certificate}${key}`, `${key}\n${certificate}`.replaceAll('\n', '')]) {
      const { send, data, connections } = await connected({
        address,
        auth: 'none',
        ca: certificate,
        clientCertificate,
      });
      expect(await send()).toMatchObject({ text: 'let in' });
      expect(JSON.stringify([data(), connections.list()])).not.toMatch(
        /BEGIN (?:EC )?PRIVATE|MIGHAgEAMBMGByqGSM49/,
      );
      expect(connections.list()).toMatchObject([{ hidden: ['clientCertificate'] }]);
    }
    expect(names).toEqual(['weft test', 'weft test']);
    const without = await connected({ address, auth: 'none', ca: certificate });
    await expect(without.send()).rejects.toMatchObject({ code: 'outbound_failed' });
  });

  test('that redirects elsewhere takes neither the certificate nor the authority along', async () => {
    const other = await startSecure(true);
    const { address } = await startSecure(true, { location: other.address });
    const settings = { address, auth: 'none', ca: certificate, clientCertificate: `${certificate}${key}` };
    const { send } = await connected(settings, [new URL(other.address).host]);
    await expect(send()).rejects.toMatchObject({
      code: 'outbound_failed',
      message: expect.stringContaining('self-signed'),
    });
    expect(other.names).toEqual([]);
  });
});

test.each([
  [{ ca: 'no certificate' }, '`ca` is not valid: it has no certificate'],
  [{ ca: certificate.replace('MIIB', 'AAAA') }, '`ca` is not valid: a certificate in it cannot be read'],
  [{ clientCertificate: key }, 'it has no certificate'],
  [{ clientCertificate: certificate }, 'it needs one private key'],
  [{ clientCertificate: `${certificate}${key}${key}` }, 'it needs one private key'],
  [{ clientCertificate: `${certificate}${key.replace('MIGH', 'AAAA')}` }, 'its private key cannot be read'],
  [{ clientCertificate: `${certificate}${key.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE')}` }, 'openssl pkey'],
  [{ region: 'eu central' }, '`region` is not valid'],
])('the settings %j are refused', async (more, words) => {
  const settings = { address: 'https://api.example.com', ...more };
  const refused = connectionBed().connections.put('crm', { kind: 'http', settings });
  await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
  const detail = await refused.catch((error: { detail?: { msg: string }[]; message: string }) =>
    JSON.stringify([error.detail, error.message]),
  );
  expect(detail).toContain(words);
  expect(detail).not.toContain('MIGHAgEAMBMGByqGSM49');
});

test('a failure says nothing of what is secret', async () => {
  const site = await startSite((_request, response) => response.writeHead(401).end());
  for (const auth of ['digest', 'aws'])
    expect(
      JSON.stringify(
        await (
          await connected({ address: site.url, auth, user: 'ada', secret: 'the-canary' })
        ).connections.test('crm'),
      ),
    ).not.toContain('canary');
});
