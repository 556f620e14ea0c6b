import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { operatorTemplate } from '../../server/admin/cli/local/operator-template.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { ask, call, ownerOf } from '../support/client.ts';
import { type Node, publish, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, sayFlow, write } from '../support/flows.ts';
import { startProgram } from '../support/process.ts';
import { scratchFolder } from '../support/scratch.ts';
import { adapted, deployed, freePort } from './proxy-suite.ts';

/** Where the servers listen: one port, as in containers, since their cookie is named after it. */
const HOSTS = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

/** nginx with docs/deploy/nginx-cluster.conf, in front of the servers. */
async function startNginx(behind: number): Promise<string> {
  const folder = scratchFolder('nginx-cluster');
  const port = await freePort();
  const site = adapted(deployed('nginx-cluster.conf'), [
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ...HOSTS.map((host, at) => [`server weft-${at + 1}:5670`, `server ${host}:${behind}`] as const),
  ]);
  write(folder, 'weft.conf', site);
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(' ');
  const main = `${user} daemon off; worker_processes 1; pid ${join(folder, 'pid')};
events {} http { access_log off; ${temp} include ${join(folder, 'weft.conf')}; }`;
  const config = write(folder, 'nginx.conf', main);
  const script = 'PATH=$PATH:/usr/sbin exec nginx "$@"';
  const args = ['-c', script, 'nginx', '-p', folder, '-e', 'stderr', '-c', config];
  const program = startProgram('sh', args, { timeout: 300_000 });
  onTestFinished(async () => {
    program.child.kill('SIGQUIT');
    await program.ended;
  });
  return `http://127.0.0.1:${port}`;
}

/** Three servers as in cluster.compose.yaml, each with settings of its own too, and nginx in front of them. */
async function deploy(own: readonly Record<string, string>[] = [{}, {}, {}]) {
  const url = await newDatabase();
  const port = await freePort();
  const front = await startNginx(port);
  const start = (at: number): Promise<Node> =>
    startNode(url, {
      WEFT_HOST: HOSTS[at] as string,
      WEFT_PORT: String(port),
      WEFT_TRUST_PROXY: 'on',
      WEFT_PUBLIC_URL: front,
      WEFT_DRAIN_MS: '1000',
      ...own[at],
    });
  const nodes = await Promise.all([0, 1, 2].map(start));
  await eventually(async () => expect((await ask(`${front}/healthz`)).status).toBe(200));
  const direct = HOSTS.map((host) => ({ url: `http://${host}:${port}` }));
  return { front: { url: front }, direct, nodes, start };
}

const POST = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };

/** Answers a POST that is repeated by nobody. */
const posted: FlowJson = sayFlow('posted', 'done', httpTrigger('/posted', { methods: ['POST'] }));

/** Calls without a pause; gives what was answered. */
function startLoad(front: { readonly url: string }, paths: readonly (readonly [string, RequestInit])[]) {
  const seen = new Map<string, number>();
  let stopped = false;
  const clients = paths.map(async ([path, init]) => {
    while (!stopped) {
      const { status } = await call(front, path, init).catch((error: Error) => ({ status: error.message }));
      const said = `${path} ${status}`;
      seen.set(said, (seen.get(said) ?? 0) + 1);
    }
  });
  return {
    seen,
    async stop() {
      stopped = true;
      await Promise.all(clients);
    },
  };
}

test('servers are replaced one by one, and one is killed, and no GET is refused', async () => {
  const { front, nodes, start } = await deploy();
  const [first] = nodes as [Node];
  await publish(first, sayFlow('hello', 'one'));
  await publish(first, posted);
  const load = startLoad(front, [
    ['/hello', {}],
    ['/hello', {}],
    ['/posted', POST],
  ]);
  for (const [at, node] of nodes.entries()) {
    expect(await node.stop()).toBe(0);
    nodes[at] = await start(at);
  }
  await load.stop();
  // nginx asks no /readyz: a POST that meets the last moment of a server is refused before it is executed, and may be sent again.
  const others = [...load.seen.keys()].filter((said) => !said.endsWith(' 200'));
  expect(others.filter((said) => said !== '/posted 503')).toEqual([]);
  expect(load.seen.get('/posted 503') ?? 0).toBeLessThan((load.seen.get('/posted 200') ?? 0) / 100);
  // What may be repeated is, if a server dies with it.
  const reading = startLoad(front, [
    ['/hello', {}],
    ['/hello', {}],
  ]);
  await nodes[1]?.stop('SIGKILL');
  const before = reading.seen.get('/hello 200') ?? 0;
  await eventually(() => expect(reading.seen.get('/hello 200') ?? 0).toBeGreaterThan(before + 50));
  await reading.stop();
  expect([...reading.seen.keys()]).toEqual(['/hello 200']);
});

test('a flow whose operator two of the servers lack is answered by the third', async () => {
  const operators = scratchFolder('operators');
  mkdirSync(join(operators, 'user'));
  writeFileSync(join(operators, 'user/twice.ts'), operatorTemplate('user.twice'));
  const { front, direct, nodes } = await deploy([{}, { WEFT_OPERATORS: operators }, {}]);
  const flow = sayFlow('hello', 'ha');
  const server = nodes[1] as Node;
  const owner = ownerOf(direct[1] as { url: string }, server.owner.headers);
  await publish(
    { ...server, owner },
    {
      ...flow,
      nodes: { ...flow.nodes, twice: { operator: 'user.twice' } },
      edges: [...flow.edges, { from: 'say.out', to: 'twice.in' }],
    },
  );
  const alone = await Promise.all(direct.map((node) => call(node, '/hello')));
  expect(
    alone.map(({ status, body }) => (status === 200 ? body : (body as { err_code: string }).err_code)),
  ).toEqual(['flow_needs_operator', 'haha', 'flow_needs_operator']);
  // Once nginx leaves no server alone any more that took no connection while it started.
  await eventually(async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(front, '/hello')));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['"haha"']));
  });
});
