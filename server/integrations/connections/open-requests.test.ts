import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { asker, connectionBed, never } from './testing/connection-bed.ts';

/** A server that tells what it was asked, and with which credentials. */
async function listener() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(
      `${request.url} ${request.headers.authorization ?? 'open'} ${request.headers['x-own']?.toString() ?? ''}`,
    );
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a request that needs no credentials gets none: at another host of the service, and at a stand-in of it', async () => {
  const [service, files] = [await listener(), await listener()];
  const bed = connectionBed({ allow: ['127.0.0.1'] });
  const settings = {
    address: `${service.url}/api`,
    auth: 'bearer',
    secret: 'token',
    headers: { 'x-own': 'h' },
  };
  await bed.connections.put('it', { kind: 'http', settings, grants: { flows: ['f'] } });
  const send = async (open: string | undefined): Promise<void> => {
    const { body } = await bed.connections.send(
      {
        ...{ method: 'GET', url: '/upload/1', headers: {}, body: undefined, redirects: 0, timeoutMs: 5000 },
        ...{ maxBytes: 100, connection: 'it', base: files.url, open },
      },
      asker,
      never,
    );
    for await (const _ of body) continue;
  };
  await send(service.url);
  expect(files.asked).toEqual(['/upload/1 open ']);
  await send('https://service.example.com');
  await send(undefined);
  expect(service.asked).toEqual(['/api/upload/1 open ', '/api/upload/1 Bearer token h']);
});
