import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Hook } from '#shared/package-api.ts';
import { startVendor, type Vendor } from '../../server/execution/sources/testing/vendors.ts';
import { signIn } from '../support/client.ts';
import { publish, startPair } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { calledFlow, connectTo } from '../support/killed-hooks.ts';
import { freePort } from '../services/proxy-suite.ts';
import { discard, startServer, tempFolder } from '../support/server.ts';

async function vendorOf(): Promise<Vendor> {
  const vendor = await startVendor('github');
  onTestFinished(() => vendor.close());
  return vendor;
}

const flow = JSON.parse(calledFlow('github')) as { id: string };
const issue = (number: number) => ({ action: 'opened', issue: { number } });
const made = ({ asked }: Vendor): number => asked.filter((one) => one.startsWith('POST')).length;

test('of two servers on one database one registers, both receive, and the other one takes over', async () => {
  const vendor = await vendorOf();
  const { a, b } = await startPair({ WEFT_PUBLIC_URL: 'http://balancer.example.com' });
  await connectTo(a.owner, vendor);
  await publish(a, flow as never);
  const hooks = (): Promise<Hook[]> => b.owner.data<Hook[]>('GET', '/flows/take/hooks');
  await eventually(async () => expect(await hooks()).toMatchObject([{ state: 'registered' }]));
  expect(vendor.hooks).toHaveLength(1);
  // The balancer hands a delivery to either of them.
  const path = new URL(vendor.hooks[0]?.url ?? '').pathname;
  const hook = vendor.hooks[0] as { url: string };
  const runs = async (): Promise<number> =>
    (await a.owner.data<{ runs: unknown[] }>('GET', '/runs?flow=take&limit=50')).runs.length;
  for (const [n, node] of [a, b, a, b].entries()) {
    hook.url = `${node.url}${path}`;
    // The third is the first again, at another server.
    expect(await vendor.send('issues', issue(n % 3))).toEqual([200]);
  }
  await eventually(async () => expect(await runs()).toBe(3));
  hook.url = `http://balancer.example.com${path}`;
  // Whichever listens: the other one takes over, and registers nothing again.
  await a.stop('SIGKILL');
  await b.owner.api('DELETE', '/flows/take', await revisionOf(b.owner));
  await eventually(() => expect(vendor.hooks).toEqual([]));
  expect(made(vendor)).toBe(1);
});

async function revisionOf(owner: { data<T>(method: string, path: string): Promise<T> }) {
  const { revision } = await owner.data<{ revision: string }>('GET', '/flows/take');
  return { revision };
}

test('a second server on the same folder, with data of its own, registers nothing while the first one runs', async () => {
  const vendor = await vendorOf();
  const flows = tempFolder('flows');
  const start = async (data = tempFolder('data')) => {
    const port = await freePort();
    const env = { WEFT_PORT: String(port), WEFT_PUBLIC_URL: `http://127.0.0.1:${port}` };
    const server = await startServer({ flows, data, env });
    onTestFinished(() => discard(server));
    await connectTo(await signIn(server), vendor);
    return server;
  };
  const first = await start();
  writeFileSync(join(flows, 'take.json'), calledFlow('github'));
  await eventually(() => expect(vendor.hooks).toHaveLength(1));
  const second = await start();
  const owner = await signIn(second);
  await eventually(async () =>
    expect(await owner.data('GET', '/sources')).toMatchObject([{ state: 'elsewhere' }]),
  );
  expect(vendor.hooks.map(({ url }) => new URL(url).origin)).toEqual([first.url]);
  const [production] = vendor.hooks;
  await first.stop('SIGKILL');
  // It has an address of its own, and leaves that of the other one alone.
  await eventually(() => expect(vendor.hooks).toHaveLength(2));
  rmSync(join(flows, 'take.json'));
  await eventually(() => expect(vendor.hooks).toEqual([production]));
});
