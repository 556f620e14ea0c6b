import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { NodeInfo } from '#shared/node.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { call, signIn } from '../support/client.ts';
import { type Node, save, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, sayFlow } from '../support/flows.ts';
import { runProgram } from '../support/process.ts';
import { discard, product, startServer, tempFolder } from '../support/server.ts';

/** Flows of folders that nothing writes to, as in an image. */
function folderWith(...flows: readonly FlowJson[]): string {
  const folder = tempFolder('flows');
  for (const flow of flows) writeFileSync(join(folder, `${flow.id}.json`), JSON.stringify(flow));
  return folder;
}

const refused = expect.objectContaining({ err_code: 'flows_read_only' });

test('each server serves its own folder, refuses changes, and says that sets are mixed', async () => {
  const url = await newDatabase();
  const start = (...flows: readonly FlowJson[]): Promise<Node> =>
    startNode(url, { WEFT_FLOWS_FROM: 'folders', WEFT_FLOWS: folderWith(...flows) });
  const old = await start(sayFlow('hello', 'old'));
  const next = await start(sayFlow('hello', 'new'), sayFlow('more', 'new'));
  expect([(await call(old, '/hello')).body, (await call(next, '/hello')).body]).toEqual(['old', 'new']);
  expect([(await call(old, '/more')).status, (await call(next, '/more')).body]).toEqual([404, 'new']);
  await eventually(async () => {
    const nodes = await old.owner.data<NodeInfo[]>('GET', '/nodes');
    expect(nodes.map(({ flows }) => flows?.from)).toEqual(['folders', 'folders']);
    expect(new Set(nodes.map(({ flows }) => flows?.contents)).size).toBe(2);
  });
  const listed = await runProgram(process.execPath, [join(product, 'server/weft.js'), 'nodes'], {
    env: { WEFT_DATABASE_URL: url, WEFT_SECRETS_KEY: '11'.repeat(32), WEFT_DATA: tempFolder('data') },
  });
  expect(listed.stdout).toContain('Servers with 2 different sets of flows are up');

  const { revision, readOnly } = await next.owner.data<{ revision: string; readOnly: boolean }>(
    'GET',
    '/flows/hello',
  );
  expect(readOnly).toBe(true);
  const answers = [
    await save(next, sayFlow('hello', 'changed'), revision),
    await save(next, sayFlow('third', 'made')),
    await next.owner.api('POST', '/flows/hello/publish', { revision }),
    await next.owner.api('DELETE', `/flows/hello?revision=${revision}`),
    await next.owner.api('PUT', '/flows/hello/layout', { format: 1, nodes: {} }),
  ];
  expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [403, refused]));
  expect((await next.owner.api('POST', '/flows/pull')).body).toMatchObject({
    err_code: 'flows_not_from_git',
  });

  // Both keep their versions in the database, where either one finds them.
  await eventually(async () => {
    const versions = await old.owner.data<unknown[]>('GET', '/flows/hello/versions');
    expect(versions).toHaveLength(2);
  });
  await old.owner.data('POST', '/flows/hello/tests', { test: { name: 'says', expect: { answer: 'new' } } });
  expect(await next.owner.data('POST', '/flows/hello/tests/run')).toMatchObject({
    results: [{ name: 'says', passed: true }],
  });
});

test('without a database they are served and refused in the same way, and a missing folder ends the start', async () => {
  const env = { WEFT_FLOWS_FROM: 'folders' };
  const server = await startServer({ env, flows: folderWith(sayFlow('hello', 'there')) });
  onTestFinished(() => discard(server));
  expect((await call(server, '/hello')).body).toBe('there');
  const owner = await signIn(server);
  const answer = await owner.api('POST', '/flows', { text: JSON.stringify(sayFlow('more', 'ha')) });
  expect([answer.status, answer.body]).toEqual([403, refused]);
  const data = tempFolder('data');
  mkdirSync(data, { recursive: true });
  await expect(startServer({ env, data, flows: join(data, 'nowhere') })).rejects.toThrow(
    /flows_folder_missing/,
  );
});
