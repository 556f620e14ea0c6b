import { expect, test } from 'vitest';
import type { PulledFlows } from '#shared/flow-pull.ts';
import type { NodeInfo } from '#shared/node.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { call } from '../support/client.ts';
import { type Node, publish, save, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, sayFlow } from '../support/flows.ts';
import { CREDENTIALS, type GitHost, startGitHost } from '../support/git-host.ts';

/** Flows that are files of a git repository, on real servers, over real HTTP. The rest is in server/flows/service/git. */
const json = (flow: FlowJson): string => `${JSON.stringify(flow, null, 2)}\n`;
const pull = (node: Node) => node.owner.data<PulledFlows>('POST', '/flows/pull');
const says = async (node: Node, path = '/hello') => (await call(node, path)).body;
const revisionOf = async (node: Node, id = 'hello') =>
  (await node.owner.data<{ revision: string }>('GET', `/flows/${id}`)).revision;

function start(host: GitHost, url: string): Promise<Node> {
  return startNode(url, {
    WEFT_FLOWS_FROM: host.from,
    WEFT_FLOWS_CREDENTIALS: CREDENTIALS,
    WEFT_FLOWS_PULL_MS: '3600000',
  });
}

test('flows come from the repository to all servers, and what the editor saves is committed there', async () => {
  const host = await startGitHost();
  const first = host.push({ 'hello.json': json(sayFlow('hello', 'one')), 'package.txt': 'no flow' });
  const url = await newDatabase();
  const [a, b] = await Promise.all([start(host, url), start(host, url)]);
  // One of them looks by itself.
  await eventually(async () => expect([await says(a), await says(b)]).toEqual(['one', 'one']));

  const second = host.push({
    'hello.json': json(sayFlow('hello', 'two')),
    'deep/other.json': json(sayFlow('other', 'ha')),
  });
  expect(await pull(b)).toMatchObject({ commit: second, left: [] });
  expect([await says(a), await says(b), await says(a, '/other')]).toEqual(['two', 'two', 'ha']);
  const versions = await a.owner.data<{ author: string }[]>('GET', '/flows/hello/versions');
  expect(versions.map(({ author }) => author)).toEqual(
    [second, first].map((commit) => `Ada (${commit.slice(0, 12)})`),
  );

  await publish(a, sayFlow('hello', 'three'), await revisionOf(a));
  expect([await says(a), await says(b)]).toEqual(['three', 'three']);
  expect(JSON.parse(host.file('hello.json') ?? '')).toEqual(sayFlow('hello', 'three'));
  host.git('pull', '--quiet', 'origin', 'main');
  expect(host.git('log', '-1', '--format=%s, %ae')).toBe('Change flow hello, owner@weft.invalid');

  host.push({ 'hello.json': json(sayFlow('hello', 'four there')) });
  const refused = await save(b, sayFlow('hello', 'four here'), await revisionOf(b));
  expect([refused.status, refused.body]).toEqual([
    409,
    expect.objectContaining({ err_code: 'git_conflict' }),
  ]);
  await eventually(async () => expect([await says(a), await says(b)]).toEqual(['four there', 'four there']));

  await a.owner.data('DELETE', `/flows/other?revision=${await revisionOf(a, 'other')}`);
  expect(host.file('deep/other.json')).toBeUndefined();
  expect((await call(b, '/other')).status).toBe(404);
  const nodes = await a.owner.data<NodeInfo[]>('GET', '/nodes');
  expect(nodes.map(({ flows }) => flows?.from)).toEqual(['git', 'git']);
  const token = CREDENTIALS.slice(CREDENTIALS.indexOf(':') + 1);
  for (const node of [a, b]) {
    expect(node.output()).not.toContain(token);
    expect(node.output()).not.toContain(Buffer.from(CREDENTIALS).toString('base64'));
  }
});

test('a server that is killed in a pull or a push leaves nothing half done, and the next one goes on', async () => {
  const host = await startGitHost();
  host.push({ 'hello.json': json(sayFlow('hello', 'one')) });
  const url = await newDatabase();
  const a = await start(host, url);
  await eventually(async () => expect(await says(a)).toBe('one'));

  // In a push: the repository has the commit, and nobody was told.
  const pushed = held(host, 'git-receive-pack');
  const saving = save(a, sayFlow('hello', 'two'), await revisionOf(a)).catch(() => 'cut off');
  await pushed;
  expect(host.file('hello.json')).toContain('two');
  expect(await says(a)).toBe('one');
  await a.stop('SIGKILL');
  expect(await saving).toBe('cut off');

  // In a pull: the files are on their way.
  const fetched = held(host, 'git-upload-pack');
  const b = await start(host, url);
  await fetched;
  expect(await says(b)).toBe('one');
  await b.stop('SIGKILL');
  host.beforeAnswer = undefined;
  const c = await start(host, url);
  await eventually(async () => expect(await says(c)).toBe('two'));
  await publish(c, sayFlow('hello', 'three'), await revisionOf(c));
  expect([await says(c), host.file('hello.json')?.includes('three')]).toEqual(['three', true]);
});

/** From now on the answer of one service is held; resolves once git has done what the first such request asked for. */
function held(host: GitHost, service: string): Promise<void> {
  return new Promise((resolve) => {
    host.beforeAnswer = ({ method, url }) => {
      if (method !== 'POST' || url?.endsWith(service) !== true) return undefined;
      resolve();
      return new Promise(() => {});
    };
  });
}
