import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startVendor, type Vendor } from '../../server/execution/sources/testing/vendors.ts';
import { signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { calledFlow, connectTo } from '../support/killed-hooks.ts';
import { freePort } from '../services/proxy-suite.ts';
import { discard, startServer, tempFolder } from '../support/server.ts';

async function vendorOf(): Promise<Vendor> {
  const vendor = await startVendor('github');
  onTestFinished(() => vendor.close());
  return vendor;
}

test('a second server on the same folder, with data of its own, registers nothing while the first one runs', async () => {
  const vendor = await vendorOf();
  const flows = tempFolder('flows');
  const start = async (data = tempFolder('data')) => {
    const port = await freePort();
    const env = { WEFT_PORT: String(port), WEFT_PUBLIC_URL: `http://127.0.0.1:${port}` };
    const server = await startServer({ flows, data, env });
    onTestFinished(() => discard(server));
    const owner = await signIn(server);
    await connectTo(owner, vendor);
    return { ...server, owner };
  };
  const first = await start();
  writeFileSync(join(flows, 'take.json'), calledFlow('github'));
  await eventually(() => expect(vendor.hooks).toHaveLength(1));
  const second = await start();
  await eventually(async () =>
    expect(await second.owner.data('GET', '/sources')).toMatchObject([{ state: 'elsewhere' }]),
  );
  expect(vendor.hooks.map(({ url }) => new URL(url).origin)).toEqual([first.url]);
  const [production] = vendor.hooks;
  await first.stop('SIGKILL');
  // It has an address of its own, and leaves that of the other one alone.
  await eventually(() => expect(vendor.hooks).toHaveLength(2));
  rmSync(join(flows, 'take.json'));
  await eventually(() => expect(vendor.hooks).toEqual([production]));
});
