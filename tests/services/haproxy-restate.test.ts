import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { expect, onTestFinished, test } from 'vitest';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { call } from '../support/client.ts';
import { type Node, publish, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { write } from '../support/flows.ts';
import { postingFlow, startOutside } from '../support/outside.ts';
import { startProgram } from '../support/process.ts';
import { scratchFolder } from '../support/scratch.ts';
import { tempFolder } from '../support/server.ts';
import { adapted, deployed, freePort } from './proxy-suite.ts';
import { type RestateNode, startRestate } from './restate-server.ts';

/** docs/deploy/haproxy-restate.cfg with the real programs: HAProxy between three servers and three Restate nodes that sign. */
interface Doors {
  readonly passes: number;
  readonly ingress: number;
  readonly admin: number;
}

const POST = { method: 'POST' };

async function startHaproxy(servers: readonly number[], restate: readonly RestateNode[]): Promise<Doors> {
  const folder = scratchFolder('haproxy');
  const doors = { passes: await freePort(), ingress: await freePort(), admin: await freePort() };
  const address = (url: string): string => new URL(url).host;
  const config = adapted(deployed('haproxy-restate.cfg'), [
    ['bind :9080', `bind 127.0.0.1:${doors.passes}`],
    ['bind :8080', `bind 127.0.0.1:${doors.ingress}`],
    ['bind :9070', `bind 127.0.0.1:${doors.admin}`],
    ...servers.map((port, at) => [`weft-${at + 1}:9080`, `127.0.0.1:${port}`] as const),
    ...restate.map(({ url }, at) => [`restate-${at + 1}:8080`, address(url)] as const),
    ...restate.map(({ adminUrl }, at) => [`restate-${at + 1}:9070`, address(adminUrl)] as const),
  ]);
  const file = write(folder, 'haproxy.cfg', config);
  const script = 'PATH=$PATH:/usr/sbin exec haproxy "$@"';
  const program = startProgram('sh', ['-c', script, 'haproxy', '-db', '-f', file], { timeout: 300_000 });
  onTestFinished(async () => {
    program.child.kill('SIGTERM');
    await program.ended;
  });
  return doors;
}

/** A key pair: the file of the private one, and the public one as Restate writes it. */
function makeIdentity(): { readonly file: string; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return {
    file: write(tempFolder('identity'), 'key.pem', pem),
    publicKey: `publickeyv1_${base58(publicKey)}`,
  };
}

function base58(key: KeyObject): string {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  const bytes = key.export({ format: 'der', type: 'spki' }).subarray(-32);
  let text = '';
  for (let rest = BigInt(`0x${bytes.toString('hex')}`); rest > 0n; rest /= 58n)
    text = `${digits[Number(rest % 58n)]}${text}`;
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}

async function deploy() {
  const identity = makeIdentity();
  const restate = await startRestate(3, identity.file);
  onTestFinished(async () => void (await Promise.all(restate.map((node) => node.kill()))));
  const ports = [await freePort(), await freePort(), await freePort()];
  const doors = await startHaproxy(ports, restate);
  const [url, door] = [await newDatabase(), (port: number) => `http://127.0.0.1:${port}`];
  const settings = {
    WEFT_OUTBOUND_ALLOW: '127.0.0.1',
    WEFT_RESTATE_URL: door(doors.ingress),
    WEFT_RESTATE_ADMIN_URL: door(doors.admin),
    WEFT_RESTATE_SERVICE_URL: door(doors.passes),
    WEFT_RESTATE_IDENTITY_KEY: identity.publicKey,
  };
  const start = (port: number): Promise<Node> =>
    startNode(url, { ...settings, WEFT_RESTATE_PORT: String(port) });
  await eventually(async () => {
    for (const path of [
      `${settings.WEFT_RESTATE_URL}/restate/health`,
      `${settings.WEFT_RESTATE_ADMIN_URL}/health`,
    ])
      if (!(await fetch(path)).ok) throw new Error(`${path} is not ready.`);
  });
  const nodes: Node[] = [];
  for (const port of ports) nodes.push(await start(port));
  return { restate, nodes, ports };
}

/** The status of a request that Restate has not signed, at the port where a server listens for it. */
async function unsigned(port: number): Promise<number | undefined> {
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({ ':path': '/discover' });
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  session.destroy();
  return Number(headers[':status']);
}

const statusOf = async ({ owner }: Node, run: string): Promise<string> =>
  (await owner.data<RunSummary>('GET', `/runs/${run}`)).status;

test('a server and a node of Restate are killed under runs, which end, and only what the dead server had in flight is repeated', async () => {
  const outside = await startOutside('/two');
  const { restate, nodes, ports } = await deploy();
  const [first, second, third] = nodes as [Node, Node, Node];
  expect(await unsigned(ports[0] as number)).toBe(401);
  await publish(first, postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  const runs = await Promise.all(
    Array.from({ length: 30 }, async (_, at) => {
      const { body } = await call(nodes[at % 3] as Node, '/lasting', POST);
      return (body as AcceptedRun).run;
    }),
  );
  await eventually(() => expect(outside.paths().filter((path) => path === '/two')).toHaveLength(30));
  third.process.kill('SIGKILL');
  await restate[1]?.kill();
  outside.release();
  for (const run of runs) await eventually(async () => expect(await statusOf(second, run)).toBe('ok'));
  const times = (path: string): number[] =>
    runs.map((run) => outside.log.filter((one) => one.path === path && one.key.startsWith(run)).length);
  expect(times('/one')).toEqual(runs.map(() => 1));
  expect(times('/three')).toEqual(runs.map(() => 1));
  const repeated = times('/two').filter((count) => count === 2).length;
  expect(times('/two').every((count) => count === 1 || count === 2)).toBe(true);
  // HAProxy had spread the passes, so the dead server had some of them, and not all.
  expect(repeated).toBeGreaterThan(0);
  expect(repeated).toBeLessThan(30);
});
