import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { PulledFlows } from '#shared/flow-pull.ts';
import type { NodeInfo } from '#shared/node.ts';
import { newDatabase } from '../server/storage/testing/postgres-server.ts';
import { call } from './support/client.ts';
import { type Node, publish, save, startNode } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { type FlowJson, sayFlow } from './support/flows.ts';
import { CREDENTIALS, type GitHost, startGitHost } from './support/git-host.ts';

/** Flows that are files of a git repository, on real servers, over real HTTP. */
const json = (flow: FlowJson): string => `${JSON.stringify(flow, null, 2)}\n`;
const pull = (node: Node, body: object = {}) => node.owner.data<PulledFlows>('POST', '/flows/pull', body);
const says = async (node: Node, path = '/hello') => (await call(node, path)).text;
const revisionOf = async (node: Node, id = 'hello') =>
  (await node.owner.data<{ revision: string }>('GET', `/flows/${id}`)).revision;

async function start(host: GitHost, url: string, env: Record<string, string> = {}): Promise<Node> {
  return startNode(url, {
    WEFT_FLOWS_FROM: host.from,
    WEFT_FLOWS_CREDENTIALS: CREDENTIALS,
    WEFT_FLOWS_PULL_MS: '3600000',
    ...env,
  });
}

test('flows come from the repository, and what the editor saves is committed there by its author', async () => {
  const host = await startGitHost();
  const first = host.push({ 'hello.json': json(sayFlow('hello', 'one')), 'package.txt': 'no flow' });
  const url = await newDatabase();
  const [a, b] = await Promise.all([start(host, url), start(host, url)]);
  await eventually(async () => expect([await says(a), await says(b)]).toEqual(['one', 'one']));

  // Both servers have what is pushed when the pull is answered.
  const second = host.push({ 'hello.json': json(sayFlow('hello', 'two')), 'deep/other.json': json(sayFlow('other', 'ha')) });
  expect(await pull(b)).toMatchObject({ commit: second, changed: ['hello', 'other'], removed: [], left: [] });
  expect([await says(a), await says(b), await says(a, '/other')]).toEqual(['two', 'two', 'ha']);
  const versions = await a.owner.data<{ author: string }[]>('GET', '/flows/hello/versions');
  expect(versions.map(({ author }) => author)).toEqual([
    expect.stringContaining('Ada'),
    expect.stringContaining(first.slice(0, 12)),
  ]);

  await publish(a, sayFlow('hello', 'three'), await revisionOf(a));
  expect([await says(a), await says(b)]).toEqual(['three', 'three']);
  expect(JSON.parse(host.file('hello.json') ?? '')).toEqual(sayFlow('hello', 'three'));
  host.git('pull', '--quiet');
  expect(host.git('log', '-1', '--format=%s, %ae')).toBe('Change flow hello, owner@weft.invalid');
  // Another file was changed meanwhile: the change goes on top.
  host.push({ 'deep/other.json': json(sayFlow('other', 'changed there')) });
  await publish(b, sayFlow('hello', 'four'), await revisionOf(b));
  expect([await says(a), await says(a, '/other')]).toEqual(['four', 'ha']);
  expect((await pull(a)).changed).toEqual(['other']);
  expect(await says(b, '/other')).toBe('changed there');

  // The same file was changed meanwhile: nothing is overwritten, and the change there arrives.
  host.git('pull', '--quiet', '--rebase');
  host.push({ 'hello.json': json(sayFlow('hello', 'five there')) });
  const refused = await save(a, sayFlow('hello', 'five here'), await revisionOf(a));
  expect([refused.status, refused.body]).toEqual([409, expect.objectContaining({ err_code: 'git_conflict' })]);
  await eventually(async () => expect([await says(a), await says(b)]).toEqual(['five there', 'five there']));
  await publish(a, sayFlow('hello', 'six'), await revisionOf(a));
  expect(JSON.parse(host.file('hello.json') ?? '')).toEqual(sayFlow('hello', 'six'));

  await a.owner.data('DELETE', `/flows/other?revision=${await revisionOf(a, 'other')}`);
  expect(host.file('deep/other.json')).toBeUndefined();
  expect((await call(b, '/other')).status).toBe(404);
  const nodes = await a.owner.data<NodeInfo[]>('GET', '/nodes');
  expect(nodes.map(({ flows }) => flows?.from)).toEqual(['git', 'git']);
  for (const node of [a, b]) expect(node.output()).not.toMatch(/token-4711|d2VmdDp0b2tlbi00NzEx/);
  void [readFileSync, onTestFinished];
});
