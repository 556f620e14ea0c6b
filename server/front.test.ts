import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { once } from 'node:events';
import { join } from 'node:path';
import { startServer } from './server.ts';
import { testConfig } from './testing/fake-context.ts';
import { tempFolder } from './testing/platform-bed.ts';

/** A server whose framework has not been needed yet. */
async function freshServer() {
  const folder = await tempFolder();
  const flows = [join(folder, 'flows')];
  const config = testConfig({ flows, operators: join(folder, 'operators'), data: join(folder, 'data') });
  const server = await startServer(config, { editorFiles: '/nonexistent' });
  onTestFinished(() => server.stop());
  const session = server.ctx.access.issueStartToken();
  return { ...server, url: `http://127.0.0.1:${server.port}`, session };
}

test('requests that come together before the routes are loaded are all answered', async () => {
  const { url } = await freshServer();
  const asked = [
    fetch(`${url}/healthz`),
    fetch(`${url}/api/v1/flows`),
    fetch(`${url}/api/v1/awel/trigger/nothing`),
    fetch(`${url}/api/v1/awel/trigger/nothing`, { method: 'POST', body: 'x'.repeat(200_000) }),
  ];
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 401, 404, 404]);
});

test('the first request may be a websocket', async () => {
  const { url, session } = await freshServer();
  const address = `${url.replace('http', 'ws')}/api/v1/runs/stream`;
  const refused = new WebSocket(address);
  const [, { statusCode }] = (await once(refused, 'unexpected-response')) as [
    unknown,
    { statusCode: number },
  ];
  expect(statusCode).toBe(401);
  const answer = await fetch(`${url}/?token=${session}`, { redirect: 'manual' });
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const admitted = new WebSocket(address, { headers: { cookie, origin: url } });
  await once(admitted, 'open');
  admitted.close();
});

test('a server without requests so far stops', async () => {
  const server = await freshServer();
  await server.stop();
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
});

test('a request that waits for the routes while the server stops is answered', async () => {
  const server = await freshServer();
  const asked = fetch(`${server.url}/healthz`);
  await once(server.front.server, 'request');
  await server.stop();
  expect((await asked).status).toBe(200);
});
