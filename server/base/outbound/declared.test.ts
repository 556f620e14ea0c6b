import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startClient } from './testing/ask.ts';

async function serverThat(location?: string): Promise<string> {
  const server = createServer((_, response) => {
    if (location !== undefined) response.writeHead(302, { location });
    response.end('here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a request with declared hosts goes to no other, and neither does a redirect', async () => {
  const other = await serverThat();
  const declared = await serverThat(other);
  const ask = startClient({ allow: ['127.0.0.1'] });
  const onlyHosts = { of: 'weft-x', hosts: [declared] };
  expect(await ask(declared, { onlyHosts, redirects: 0 })).toMatchObject({ status: 302 });
  expect(await ask(other, { onlyHosts })).toMatchObject({
    code: 'package_not_declared',
    message: `The package weft-x sends a request to ${other}, which it does not declare.`,
  });
  expect(await ask(declared, { onlyHosts })).toMatchObject({ code: 'package_not_declared' });
  expect(await ask(declared, { onlyHosts: { of: 'weft-x', hosts: ['*'] } })).toMatchObject({ status: 200 });
  expect(await ask(declared)).toMatchObject({ status: 200, body: 'here' });
});
