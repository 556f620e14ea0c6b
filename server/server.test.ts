import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer } from './server.ts';
import { StartError } from './base/errors/start-error.ts';
import { testConfig } from './testing/fake-context.ts';
import { startBed, tempFolder } from './testing/platform-bed.ts';

test('stopping is one thing, however often it is asked for', async () => {
  const server = await startBed();
  const first = server.stop();
  expect(server.stop()).toBe(first);
  await first;
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
});

test('a client that never ends its request does not keep the server from stopping', async () => {
  const server = await startBed();
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  const arrived = once(server.front.server, 'request');
  socket.write('POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{');
  await arrived;
  const closed = once(socket, 'close');
  await server.stop();
  await closed;
});

test('a folder that a stopped server gave back can be used again', async () => {
  const folder = await tempFolder();
  const config = testConfig({
    flows: [join(folder, 'flows')],
    operators: join(folder, 'operators'),
    data: join(folder, 'data'),
  });
  const first = await startServer(config);
  await expect(startServer(config)).rejects.toThrow(StartError);
  await first.stop();
  const second = await startServer(config);
  await second.stop();
  expect(existsSync(join(config.data, 'weft.pid'))).toBe(false);
});

test.each([
  ['192.0.2.1', 'This machine has no address 192.0.2.1. Choose another with WEFT_HOST.'],
  [
    'no-such-host.invalid',
    /^(The host name no-such-host\.invalid is unknown\. Choose another with WEFT_HOST\.|Cannot listen on )/,
  ],
])('an address that cannot be listened on is named: %s', async (host, message) => {
  const folder = await tempFolder();
  const config = testConfig({
    host,
    editor: 'off',
    flows: [join(folder, 'flows')],
    data: join(folder, 'data'),
  });
  await expect(startServer(config)).rejects.toThrow(message);
});
