import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import type { WaitPage } from '#shared/wait.ts';
import { openPostgresBus } from '../../server/storage/database/postgres/postgres-bus.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { askingFlow, type FlowJson } from '../support/flows.ts';
import { type Effect, postingFlow, startOutside } from '../support/outside.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { freePort } from './proxy-suite.ts';
import { type RestateNode, startRestate } from './restate-server.ts';

/** Servers that share their runs through a real Restate, and each of them is killed. */
type Node = TestServer & { readonly owner: Owner };

const POST = { method: 'POST' };

/** A balancer in front of servers. */
interface Door {
  readonly port: number;
  /** Cuts all connections; later ones go to these ports. */
  turn(ports: readonly number[]): void;
}

/** Connections go to the first of the ports that takes them. */
const balance = async (ports: readonly number[]): Promise<number> => (await openDoor(ports)).port;

async function openDoor(first: readonly number[]): Promise<Door> {
  let ports = first;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const attempt = ([port, ...others]: readonly number[]): void => {
      if (port === undefined) return void client.destroy();
      const upstream = connect(port, '127.0.0.1');
      const refused = (): void => attempt(others);
      upstream.once('error', refused).once('connect', () => {
        upstream.off('error', refused);
        for (const [one, other] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          sockets.add(one);
          one.on('error', () => other.destroy()).on('close', () => other.destroy());
          one.pipe(other);
        }
      });
    };
    attempt(ports);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    turn(to) {
      ports = to;
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Shared {
  readonly url: string;
  readonly restate: Pick<RestateNode, 'url' | 'adminUrl'>;
  /** Where Restate reaches the servers; by default the one that is there. */
  readonly door?: number;
}

function envOf({ url, restate, door }: Shared, port: number): Record<string, string> {
  return {
    WEFT_DATABASE_URL: url,
    WEFT_SECRETS_KEY: '11'.repeat(32),
    WEFT_OUTBOUND_ALLOW: '127.0.0.1',
    WEFT_RESTATE_URL: restate.url,
    WEFT_RESTATE_ADMIN_URL: restate.adminUrl,
    WEFT_RESTATE_PORT: String(port),
    ...(door !== undefined && { WEFT_RESTATE_SERVICE_URL: `http://127.0.0.1:${door}` }),
  };
}

async function start(shared: Shared, port: number, more: Record<string, string> = {}): Promise<Node> {
  const server = await startServer({ env: { ...envOf(shared, port), ...more } });
  onTestFinished(() => discard(server));
  return { ...server, owner: await signIn(server) };
}

async function publish({ owner }: Node, flow: FlowJson): Promise<void> {
  const { status, text } = await owner.api('POST', '/flows', { text: JSON.stringify(flow) });
  if (status >= 300) throw new Error(text);
}

const begin = async (node: Node, path: string, more: object = POST): Promise<string> =>
  ((await call(node, path, more)).body as AcceptedRun).run;

const statusOf = async (node: Node, run: string): Promise<string> =>
  (await node.owner.data<RunSummary>('GET', `/runs/${run}`)).status;

const ends = (node: Node, run: string): Promise<void> =>
  eventually(async () => expect(await statusOf(node, run)).toBe('ok'));

/** Answers the question of the run, once it is asked. */
async function approve(node: Node, run: string): Promise<void> {
  let id: string | undefined;
  await eventually(async () => {
    const { waits } = await node.owner.data<WaitPage>('GET', `/waits?run=${run}&status=open`);
    id = waits[0]?.id;
    expect(id).toBeDefined();
  });
  await node.owner.data('POST', `/waits/${id}/decide`, { decision: 'approved' });
}

/** A run of three steps, until its second one is held in flight outside. */
async function inSecondStep(node: Node, outside: Awaited<ReturnType<typeof startOutside>>): Promise<string> {
  await publish(node, postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  const run = await begin(node, '/lasting');
  await eventually(() => expect(outside.paths()).toEqual(['/one', '/two']));
  return run;
}

describe('with one Restate server', () => {
  let restate: RestateNode;
  beforeEach(async () => {
    [restate] = (await startRestate()) as [RestateNode];
  });
  afterEach(() => restate.kill());

  test('a server that is killed in a run of three steps repeats the one in flight, under its key', async () => {
    const outside = await startOutside('/two');
    const [url, port] = [await newDatabase(), await freePort()];
    const first = await start({ url, restate }, port);
    const run = await inSecondStep(first, outside);
    outside.holds.clear();
    first.process.kill('SIGKILL');
    const again = await start({ url, restate }, port);
    await ends(again, run);
    expect(outside.paths()).toEqual(['/one', '/two', '/two', '/three']);
    const keys = outside.log.filter(({ path }) => path === '/two').map(({ key }) => key);
    expect(new Set(keys).size).toBe(1);
  });

  test('the other server takes over what a killed one had in flight, and a wait that it had parked', async () => {
    const outside = await startOutside('/two');
    const ports = [await freePort(), await freePort()] as const;
    const shared = { url: await newDatabase(), restate, door: await balance(ports) };
    const [first, second] = [await start(shared, ports[0]), await start(shared, ports[1])];
    await publish(first, askingFlow);
    const asking = await begin(first, '/asking', {});
    await eventually(async () => expect(await statusOf(first, asking)).toBe('waiting'));
    const run = await inSecondStep(first, outside);
    outside.holds.clear();
    first.process.kill('SIGKILL');
    const at = performance.now();
    await ends(second, run);
    expect(outside.paths()).toEqual(['/one', '/two', '/two', '/three']);
    const again = outside.log.findLast(({ path }) => path === '/two') as Effect;
    process.stdout.write(`takeover after kill -9: ${Math.round(again.at - at)} ms\n`);
    await approve(second, asking);
    await ends(second, asking);
  });

  test('a server to which Restate turns gets what the pass at another one did, and no step is repeated', async () => {
    const outside = await startOutside('/two');
    const ports = [await freePort(), await freePort()] as const;
    const door = await openDoor([ports[0]]);
    const shared = { url: await newDatabase(), restate, door: door.port };
    const [first, second] = [await start(shared, ports[0]), await start(shared, ports[1])];
    const run = await inSecondStep(first, outside);
    const bus = await openPostgresBus(shared.url, () => {}, {
      keys: () => [Buffer.from('11'.repeat(32), 'hex')],
    });
    onTestFinished(() => bus.close());
    const held = new Promise<void>((resolve) => bus.subscribe('pass-held', () => resolve()));
    door.turn([ports[1]]);
    // The second server has asked, and the first one waits for its step in flight.
    await held;
    outside.release();
    await ends(second, run);
    expect(outside.paths()).toEqual(['/one', '/two', '/three']);
  });

  test('a web server gives runs to Restate and executes none: a worker does', async () => {
    const outside = await startOutside();
    const [url, port, unused] = [await newDatabase(), await freePort(), await freePort()];
    const web = await start({ url, restate }, unused, { WEFT_ROLE: 'web' });
    await publish(web, postingFlow('lasting', outside.url, ['one', 'two']));
    await publish(web, askingFlow);
    const accepted = await begin(web, '/lasting');
    // Restate calls nobody there: no address was told to it.
    const refused = await fetch(`http://127.0.0.1:${unused}/discover`).then(
      () => 'it answers',
      () => 'nobody listens',
    );
    expect(refused).toBe('nobody listens');
    const all = await web.owner.data<{ role: string; self: boolean }[]>('GET', '/nodes');
    expect(all.map(({ role }) => role)).toEqual(['web']);
    expect(await statusOf(web, accepted)).toBe('running');
    expect(outside.paths()).toEqual([]);
    // Longer than the time after which servers look for what others left.
    await sleep(6000);
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    onTestFinished(() => sql.end());
    expect(await sql`SELECT name FROM claim WHERE name NOT LIKE 'flow%'`).toEqual([]);

    const env = { ...envOf({ url, restate }, port), WEFT_ROLE: 'worker' };
    const worker = await startServer({ env });
    onTestFinished(() => discard(worker));
    await ends(web, accepted);
    expect(outside.paths()).toEqual(['/one', '/two']);
    const asked = await begin(web, '/asking', {});
    await approve(web, asked);
    await ends(web, asked);
    const next = await begin(web, '/lasting');
    await ends(web, next);
    expect(outside.paths()).toEqual(['/one', '/two', '/one', '/two']);
    // Once: before the first worker Restate knows nobody who executes runs.
    expect(web.output().split('could not be maintained').length - 1).toBeLessThanOrEqual(1);
  });

  test('a server that stops hands its runs over', async () => {
    const outside = await startOutside('/two');
    const ports = [await freePort(), await freePort()] as const;
    const shared = { url: await newDatabase(), restate, door: await balance(ports) };
    const [first, second] = [await start(shared, ports[0]), await start(shared, ports[1])];
    const run = await inSecondStep(first, outside);
    outside.holds.clear();
    expect(await first.stop()).toBe(0);
    await ends(second, run);
    expect(outside.paths().slice(0, 2)).toEqual(['/one', '/two']);
    expect(outside.paths().at(-1)).toBe('/three');
  });

  test('while Restate is away steps go on, runs are accepted and answers are taken: nothing is repeated or lost', async () => {
    const outside = await startOutside('/two');
    const node = await start({ url: await newDatabase(), restate }, await freePort());
    await publish(node, askingFlow);
    const asking = await begin(node, '/asking', {});
    await eventually(async () => expect(await statusOf(node, asking)).toBe('waiting'));
    const run = await inSecondStep(node, outside);
    await restate.kill();
    outside.release();
    await approve(node, asking);
    const late = await begin(node, '/lasting');
    expect(await statusOf(node, asking)).toBe('waiting');
    await restate.start();
    for (const one of [run, asking, late]) await ends(node, one);
    const of = (one: string): string[] =>
      outside.log.filter(({ key }) => key.startsWith(one)).map(({ path }) => path);
    expect(of(run)).toEqual(['/one', '/two', '/three']);
    expect(of(late)).toEqual(['/one', '/two', '/three']);
  });

  test('a run that is cancelled at another server, retried and deleted', async () => {
    const outside = await startOutside('/two');
    const ports = [await freePort(), await freePort()] as const;
    const shared = { url: await newDatabase(), restate, door: await balance(ports) };
    const [first, second] = [await start(shared, ports[0]), await start(shared, ports[1])];
    const run = await inSecondStep(first, outside);
    await second.owner.data('POST', `/runs/${run}/cancel`);
    await eventually(async () => expect(await statusOf(second, run)).toBe('cancelled'));
    outside.holds.clear();
    const retried = await second.owner.data<{ run: string }>('POST', `/runs/${run}/retry`, {});
    await ends(first, retried.run);
    expect(outside.paths()).toEqual(['/one', '/two', '/two', '/three']);
    await eventually(async () => {
      expect((await second.owner.api('DELETE', `/runs/${retried.run}`)).status).toBeLessThan(300);
    });
    expect((await first.owner.api('GET', `/runs/${retried.run}`)).status).toBe(404);
  });

  test('a start is refused in one line with a code', async () => {
    const url = await newDatabase();
    const refusal = async (change: Record<string, string>): Promise<string> => {
      const env = { ...envOf({ url, restate }, await freePort()), ...change };
      const failed = await startServer({ env }).then(
        () => 'it started',
        (error: Error) => error.message,
      );
      expect(failed).not.toContain('    at ');
      return failed;
    };
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    expect(await refusal({ WEFT_RESTATE_ADMIN_URL: nowhere })).toContain('restate_unreachable: ');
    expect(await refusal({ WEFT_RESTATE_URL: nowhere })).toContain('restate_unreachable: ');
    expect(await refusal({ WEFT_RESTATE_ADMIN_URL: restate.url })).toContain('restate_not_admin: ');
    expect(await refusal({ WEFT_RESTATE_URL: restate.adminUrl })).toContain('restate_not_ingress: ');
    expect(await refusal({ WEFT_RESTATE_SERVICE_URL: nowhere })).toContain('restate_cannot_reach: ');
    expect(await refusal({ WEFT_RESTATE_PORT: new URL(restate.url).port })).toContain('restate_port_taken: ');
    const key = 'publickeyv1_2G8dCQhArfvGpzPw5Vx2ALciR4xCLHfS5YaT93XjNxX9';
    // This Restate signs nothing, so that what it asks is refused.
    expect(await refusal({ WEFT_RESTATE_IDENTITY_KEY: key })).toContain('restate_cannot_reach: ');
    const old = createWebServer((_, answer) => answer.end('{"version":"1.4.9"}'));
    await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void old.close());
    const { port } = old.address() as AddressInfo;
    expect(await refusal({ WEFT_RESTATE_ADMIN_URL: `http://127.0.0.1:${port}` })).toContain(
      'restate_version: ',
    );
  });

  test('a run that records nearly as much as it may waits and ends, and one that would record more fails', async () => {
    const large = JSON.stringify('"'.repeat(2_000_000));
    const web = createWebServer((_, answer) =>
      answer.setHeader('content-type', 'application/json').end(large),
    );
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void web.close());
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
    const node = await start({ url: await newDatabase(), restate }, await freePort());
    const asks = { operator: 'human.approval', params: { title: 'Go on?' } };
    const fits = postingFlow('fits', url, ['a', 'b', 'c']);
    await publish(node, {
      ...fits,
      nodes: { ...fits.nodes, ask: asks },
      edges: [...fits.edges, { from: 'c.body', to: 'ask.in' }],
    });
    const run = await begin(node, '/fits');
    await approve(node, run);
    await ends(node, run);
    await publish(node, postingFlow('grows', url, ['a', 'b', 'c', 'd', 'e']));
    const grown = await begin(node, '/grows');
    await eventually(async () => expect(await statusOf(node, grown)).toBe('failed'));
    const summary = await node.owner.data<RunSummary>('GET', `/runs/${grown}`);
    expect(JSON.stringify(summary)).toContain('durable_too_large');
  });

  test('unfinished runs stay with the engine that began them', async () => {
    const [url, port] = [await newDatabase(), await freePort()];
    const node = await start({ url, restate }, port);
    await publish(node, askingFlow);
    const run = await begin(node, '/asking', {});
    await eventually(async () => expect(await statusOf(node, run)).toBe('waiting'));
    await node.stop();
    const { WEFT_DATABASE_URL, WEFT_SECRETS_KEY } = envOf({ url, restate }, port);
    const env = { WEFT_DATABASE_URL, WEFT_SECRETS_KEY } as Record<string, string>;
    await expect(startServer({ env })).rejects.toThrow('durable_engine_changed: ');
    const again = await start({ url, restate }, port);
    await approve(again, run);
    await ends(again, run);
    await again.stop();
    const other = await startServer({ env });
    onTestFinished(() => discard(other));
  });
});

describe('with three Restate servers', () => {
  test.each([0, 1, 2])('the death of number %i repeats no step and loses no wake', async (dead) => {
    const outside = await startOutside('/two');
    const nodes = await startRestate(3);
    onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.kill()))));
    const door = async (of: 'url' | 'adminUrl'): Promise<string> =>
      `http://127.0.0.1:${await balance(nodes.map((node) => Number(new URL(node[of]).port)))}`;
    const restate = { url: await door('url'), adminUrl: await door('adminUrl') };
    const node = await start({ url: await newDatabase(), restate }, await freePort());
    await publish(node, askingFlow);
    const asking = await Promise.all(Array.from({ length: 6 }, () => begin(node, '/asking', {})));
    await Promise.all(
      asking.map((run) => eventually(async () => expect(await statusOf(node, run)).toBe('waiting'))),
    );
    await publish(node, postingFlow('lasting', outside.url, ['one', 'two', 'three']));
    const runs = await Promise.all(Array.from({ length: 6 }, () => begin(node, '/lasting')));
    await eventually(() => expect(outside.paths().filter((path) => path === '/two')).toHaveLength(6));
    await nodes[dead]?.kill();
    const at = performance.now();
    outside.release();
    await Promise.all(asking.map((run) => approve(node, run)));
    await Promise.all([...runs, ...asking].map((run) => ends(node, run)));
    process.stdout.write(`runs ended ${Math.round(performance.now() - at)} ms after a node was killed\n`);
    for (const path of ['/one', '/two', '/three'])
      expect(outside.paths().filter((one) => one === path)).toHaveLength(6);
  });
});
