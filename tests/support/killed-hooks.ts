import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startVendor, type Vendor } from '../../server/execution/sources/testing/vendors.ts';
import { freePort } from '../services/proxy-suite.ts';
import { type Owner, signIn } from './client.ts';
import { eventually } from './eventually.ts';
import { discard, startServer, tempFolder, type TestServer } from './server.ts';

/** A server is killed while it registers a trigger at a service, or takes the registration back. */

const flows = {
  github: {
    operator: 'github.events',
    params: { connection: 'it', repository: 'acme/shop', events: ['issues'] },
  },
  stripe: { operator: 'stripe.events', params: { connection: 'it', events: ['invoice.paid'] } },
} as const;

export type Killed = keyof typeof flows;

/** A flow that a service calls. */
export const calledFlow = (name: Killed): string =>
  JSON.stringify({ format: 1, id: 'take', nodes: { called: flows[name] }, edges: [] });

export async function connectTo(owner: Owner, { url }: Pick<Vendor, 'url'>): Promise<void> {
  await owner.data('PUT', '/connections/it', {
    kind: 'http',
    settings: { address: url, secret: 'token', auth: 'bearer' },
    grants: { flows: ['take'] },
  });
}

export async function killedBed(name: Killed) {
  const vendor = await startVendor(name);
  onTestFinished(() => vendor.close());
  const [folder, data, port] = [tempFolder('flows'), tempFolder('data'), await freePort()];
  const file = join(folder, 'take.json');
  const start = async (): Promise<TestServer> => {
    const env = { WEFT_PORT: String(port), WEFT_PUBLIC_URL: `http://127.0.0.1:${port}` };
    const server = await startServer({ flows: folder, data, env });
    onTestFinished(() => discard(server));
    return server;
  };
  const first = await start();
  await connectTo(await signIn(first), vendor);
  await first.stop();
  return {
    vendor,
    start,
    publish: () => writeFileSync(file, calledFlow(name)),
    unpublish: () => rmSync(file),
  };
}

/** Kills the server at a moment, then lets it do its work: one registration, by which events come. */
export async function killWhileRegistering(
  name: Killed,
  kill: (server: TestServer, vendor: Vendor) => Promise<void>,
): Promise<void> {
  const { vendor, start, publish, unpublish } = await killedBed(name);
  publish();
  await kill(await start(), vendor);
  const server = await start();
  let n = 0;
  const [event] = flows[name].params.events;
  const deliver = (): Promise<number[]> => vendor.send(event, { id: `evt_${++n}`, type: event });
  await eventually(async () => expect(await deliver()).toEqual([200]));
  expect(vendor.hooks).toHaveLength(1);
  unpublish();
  await eventually(() => expect(vendor.hooks).toEqual([]));
  await server.stop();
}

/** When the service has done what `asked` begins with, and before the server knows. */
export function killAfter(asked: string) {
  return (server: TestServer, vendor: Vendor): Promise<void> =>
    new Promise((resolve) => {
      vendor.before = async (told) => {
        if (!told.startsWith(asked)) return;
        vendor.before = () => undefined;
        await server.stop('SIGKILL');
        resolve();
      };
    });
}
