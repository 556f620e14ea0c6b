import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../../server/admin/cli/program.ts';
import { testIo } from '../../server/admin/cli/testing/test-io.ts';
import { eventually } from '../support/eventually.ts';
import { discard, root, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** Hands out messages until they are deleted, and notes which runs have told it of which message. */
async function messageServer(count: number) {
  const waiting = new Map(Array.from({ length: count }, (_, i) => [`m${i}`, `Message ${i}`]));
  const told = new Map<string, Set<string>>();
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    if (request.method === 'DELETE') waiting.delete(request.url?.split('/').at(-1) ?? '');
    if (request.method === 'POST') {
      const { id, run } = JSON.parse(Buffer.concat(pieces).toString()) as { id: string; run: string };
      told.set(id, (told.get(id) ?? new Set()).add(run));
    }
    const some = [...waiting].slice(0, 25).map(([id, text]) => ({ id, text }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(some));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, waiting, told, address: `127.0.0.1:${port}` };
}

/** A folder with the sample package, which may reach `host`. */
async function folderWithSample(host: string): Promise<string> {
  const folder = tempFolder('with-packages');
  const source = join(folder, 'weft-sample');
  cpSync(join(root, 'docs/examples/weft-sample'), source, { recursive: true });
  const file = join(source, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { weft: { reach: { hosts: string[] } } };
  manifest.weft.reach.hosts = [host];
  writeFileSync(file, JSON.stringify(manifest));
  const io = testIo(folder, { env: { npm_config_offline: 'true' } });
  expect([await runCli(['add', './weft-sample', '--yes'], io), io.stderr.text]).toEqual([0, '']);
  return folder;
}

const COUNT = 500;
const KILLS = 4;

test('a source delivers each message once, however often the server is killed', {
  timeout: 120_000,
}, async () => {
  const messages = await messageServer(COUNT);
  const cwd = await folderWithSample(messages.url);
  mkdirSync(join(cwd, 'flows'));
  const flow = {
    format: 1,
    id: 'take',
    nodes: {
      source: { operator: 'sample.messages', params: { url: messages.url, everyMs: 10 } },
      tell: {
        operator: 'http.request',
        params: {
          method: 'POST',
          url: `${messages.url}/done`,
          bodyType: 'json',
          body: { id: '{{ input.id }}', run: '{{ run.id }}' },
        },
      },
    },
    edges: [{ from: 'source.out', to: 'tell.in' }],
  };
  writeFileSync(join(cwd, 'flows/take.json'), JSON.stringify(flow));
  const data = tempFolder('data');
  const env = { WEFT_OUTBOUND_ALLOW: messages.address };
  const start = (): Promise<TestServer> => startServer({ cwd, flows: join(cwd, 'flows'), data, env });
  const moments = Array.from({ length: KILLS }, () => Math.ceil(Math.random() * COUNT)).sort((a, b) => b - a);
  for (const left of moments) {
    const server = await start();
    await eventually(() => expect(messages.waiting.size).toBeLessThan(left));
    await server.stop('SIGKILL');
  }
  const server = await start();
  onTestFinished(() => discard(server));
  await eventually(() => expect([messages.waiting.size, messages.told.size]).toEqual([0, COUNT]));
  expect([...messages.told].filter(([, runs]) => runs.size !== 1)).toEqual([]);
  const answer = await fetch(`${server.url}/api/v1/sources`, {
    headers: { authorization: `Bearer ${server.key}` },
  });
  expect(await answer.json()).toMatchObject({
    data: [{ flow: 'take', node: 'source', operator: 'sample.messages', state: 'listening', failures: 0 }],
  });
});
