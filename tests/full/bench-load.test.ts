import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { assertGood, rawRequest, startLoader } from '../../bench/load.ts';

const BODY = 'ok';

test('a load of the benchmarks that is stopped at once ends, and the next one too', async () => {
  const server = createServer((_, response) => response.end(BODY)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  await using loader = startLoader();
  const spec = {
    port: (server.address() as AddressInfo).port,
    requests: [{ raw: rawRequest('GET', '/'), body: BODY }],
    status: 200,
    connections: 2,
  };
  const load = await loader.start(spec);
  expect((await load.stop()).failed).toBe(0);
  assertGood(await loader.run({ ...spec, count: 10 }));
});
