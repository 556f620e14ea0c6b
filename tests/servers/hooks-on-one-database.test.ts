import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Source } from '#shared/package-api.ts';
import { deliver, hmac, startVendor, type Vendor } from '../../server/execution/sources/testing/vendors.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { startBalancer } from '../support/balancer.ts';
import { signInBy } from '../support/client.ts';
import { type Node, publish, SECRETS_KEY } from '../support/cluster.ts';
import { countingServer } from '../support/counting-server.ts';
import { eventually } from '../support/eventually.ts';
import type { FlowJson } from '../support/flows.ts';
import { connectTo } from '../support/killed-hooks.ts';
import { freePort } from '../services/proxy-suite.ts';
import { discard, startServer } from '../support/server.ts';

/** Two servers on one database, behind one public address at which a service calls them. */

const PASSWORD = 'a long pass phrase of the owner';

const flowOf = (outside: string): FlowJson => ({
  format: 1,
  id: 'take',
  settings: { durable: true },
  nodes: {
    called: {
      operator: 'github.events',
      params: { connection: 'it', repository: 'acme/shop', events: ['issues'] },
    },
    tell: {
      operator: 'http.request',
      params: { method: 'POST', url: `${outside}/issue-{{ input.issue.number }}` },
    },
  },
  edges: [{ from: 'called.out', to: 'tell.in' }],
});

async function bed() {
  const vendor = await startVendor('github');
  const outside = await countingServer();
  const balancer = await startBalancer();
  onTestFinished(async () => {
    vendor.close();
    await outside.close();
  });
  const url = await newDatabase();
  const start = async (): Promise<Node> => {
    const port = await freePort();
    const server = await startServer({
      env: {
        WEFT_PORT: String(port),
        WEFT_PUBLIC_URL: balancer.url,
        WEFT_DATABASE_URL: url,
        WEFT_SECRETS_KEY: SECRETS_KEY,
        WEFT_ADMIN_PASSWORD: PASSWORD,
        WEFT_OUTBOUND_ALLOW: new URL(outside.url).host,
      },
    });
    onTestFinished(() => discard(server));
    // What it prints leads to the balancer.
    const reached = { ...server, url: `http://127.0.0.1:${port}` };
    balancer.add(reached);
    return { ...reached, owner: await signInBy(PASSWORD, reached) };
  };
  const a = await start();
  const b = await start();
  await connectTo(a.owner, vendor);
  return { vendor, outside, balancer, start, a, b, flow: flowOf(outside.url) };
}

const issue = (number: number): object => ({ action: 'opened', issue: { number } });
const posts = ({ asked }: Vendor): number => asked.filter((told) => told.startsWith('POST')).length;

/** Sends to one of the servers, as the service signs it. */
function sendTo(node: Node, { hooks }: Vendor, body: object, id: string = randomUUID()): Promise<number> {
  const [hook] = hooks;
  if (hook === undefined) throw new Error('Nothing is registered.');
  return deliver(`${node.url}${new URL(hook.url).pathname}`, JSON.stringify(body), (text) => ({
    'x-github-event': 'issues',
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${hmac(hook.secret, text)}`,
  }));
}

async function listens({ owner }: Node): Promise<boolean> {
  const [source] = await owner.data<readonly Source[]>('GET', '/sources');
  return source?.state === 'listening';
}

/** The one that listens, first. */
async function inOrder(a: Node, b: Node): Promise<[Node, Node]> {
  return eventually(async () => {
    const [first, second] = await Promise.all([listens(a), listens(b)]);
    expect(first).not.toBe(second);
    return first ? [a, b] : [b, a];
  });
}

test('a delivery to either server starts one run, and one registration is made', async () => {
  const { vendor, outside, a, b, flow, balancer } = await bed();
  await publish(b, flow);
  await eventually(() => expect(vendor.hooks).toHaveLength(1));
  expect(new URL(vendor.hooks[0]?.url ?? '').origin).toBe(balancer.url);
  await inOrder(a, b);
  expect(await sendTo(a, vendor, issue(1))).toBe(200);
  expect(await sendTo(b, vendor, issue(2))).toBe(200);
  // Sent again, and to all of them at once.
  const again = await Promise.all(
    [a, b, a, b].map((node) => sendTo(node, vendor, issue(3), 'the same delivery')),
  );
  expect(again).toEqual([200, 200, 200, 200]);
  for (let n = 4; n < 10; n++) expect(await vendor.send('issues', issue(n))).toEqual([200]);
  const each = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`issue-${i + 1}`, 1]));
  await eventually(() => expect(outside.calls()).toEqual(each));
  expect(await sendTo(b, vendor, issue(1))).toBe(200);
  expect(await sendTo(a, vendor, issue(10))).toBe(200);
  await eventually(() => expect(outside.calls()['issue-10']).toBe(1));
  expect(outside.calls()['issue-1']).toBe(1);
  expect(posts(vendor)).toBe(1);
});

test('the other server takes over from one that is killed, with the same registration', async () => {
  const { vendor, outside, start, a, b, flow } = await bed();
  const { revision } = await publish(a, flow);
  await eventually(() => expect(vendor.hooks).toHaveLength(1));
  const [listening, other] = await inOrder(a, b);
  const before = structuredClone(vendor.hooks);
  await listening.stop('SIGKILL');
  // Deliveries do not wait for the takeover.
  expect(await sendTo(other, vendor, issue(1))).toBe(200);
  await eventually(() => expect(outside.calls()).toEqual({ 'issue-1': 1 }));
  await eventually(async () => expect(await listens(other)).toBe(true));
  expect(vendor.hooks).toEqual(before);
  const third = await start();
  await eventually(async () => expect(await sendTo(third, vendor, issue(2))).toBe(200));
  await eventually(() => expect(outside.calls()).toEqual({ 'issue-1': 1, 'issue-2': 1 }));
  expect(vendor.hooks).toEqual(before);
  expect(posts(vendor)).toBe(1);
  await other.owner.data('DELETE', `/flows/take?revision=${revision}`);
  await eventually(() => expect(vendor.hooks).toEqual([]));
});

/** Kills the server that asks, when the service has done it and before that server knows. */
function killAsker(vendor: Vendor, asked: string, nodes: readonly [Node, Node]): Promise<[Node, Node]> {
  return new Promise((resolve) => {
    vendor.before = async (told) => {
      if (!told.startsWith(asked)) return;
      vendor.before = () => undefined;
      const order = await inOrder(...nodes);
      await order[0].stop('SIGKILL');
      resolve(order);
    };
  });
}

test('a server that is killed while it registers leaves one registration, which the other takes as its own', async () => {
  const { vendor, outside, a, b, flow } = await bed();
  const killed = killAsker(vendor, 'POST', [a, b]);
  // The server that is killed may be the one that has not answered this yet.
  await publish(a, flow).catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
  });
  const [, other] = await killed;
  expect(vendor.hooks).toHaveLength(1);
  const before = structuredClone(vendor.hooks);
  await eventually(async () => expect(await listens(other)).toBe(true));
  await eventually(async () =>
    expect(await other.owner.data('GET', '/flows/take/hooks')).toMatchObject([{ state: 'registered' }]),
  );
  expect(vendor.hooks).toEqual(before);
  // A connection that was kept to the killed one is closed; the service sends again.
  await eventually(async () => expect(await vendor.send('issues', issue(1))).toEqual([200]));
  await eventually(() => expect(outside.calls()).toEqual({ 'issue-1': 1 }));
});

test('what a server that is killed has not taken back, the other one takes back', async () => {
  const { vendor, a, b, flow } = await bed();
  const { revision } = await publish(a, flow);
  await eventually(() => expect(vendor.hooks).toHaveLength(1));
  const [listening, other] = await inOrder(a, b);
  await eventually(async () =>
    expect(await other.owner.data('GET', '/flows/take/hooks')).toMatchObject([{ state: 'registered' }]),
  );
  const gone = new Promise<void>((resolve) => {
    vendor.before = async (told) => {
      if (!told.startsWith('GET')) return;
      vendor.before = () => undefined;
      await listening.stop('SIGKILL');
      resolve();
    };
  });
  await other.owner.data('DELETE', `/flows/take?revision=${revision}`);
  await gone;
  expect(vendor.hooks).toHaveLength(1);
  await eventually(() => expect(vendor.hooks).toEqual([]));
  expect(posts(vendor)).toBe(1);
});
