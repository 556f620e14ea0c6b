import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { killAfter, killedBed, killWhileRegistering } from '../support/killed-hooks.ts';

const NAMES = ['github', 'stripe'] as const;
/** `TEST_KILLS` names more. */
const KILLS = Number(process.env['TEST_KILLS'] ?? 6);
/** In milliseconds after the start; each service has every second one. */
const MOMENTS = Array.from({ length: KILLS }, (_, i) => Math.round((i * 480) / KILLS));

// A server that is killed while it registers has registered nothing twice, and receives events.
for (const [at, name] of NAMES.entries()) {
  for (const method of ['GET', 'POST'])
    test(`${name}: killed before it answers ${method}`, () => killWhileRegistering(name, killAfter(method)));
  for (const ms of MOMENTS.filter((_, i) => i % NAMES.length === at))
    test(`${name}: killed ${ms} ms after the start`, () =>
      killWhileRegistering(name, async (server) => {
        await delay(ms);
        await server.stop('SIGKILL');
      }));
}

test('a server that is killed while a registration is taken back has nothing left at the service', async () => {
  const { vendor, start, publish, unpublish } = await killedBed('github');
  publish();
  const server = await start();
  await eventually(() => expect(vendor.hooks).toHaveLength(1));
  await eventually(async () => expect(await vendor.send('issues', { issue: { number: 1 } })).toEqual([200]));
  unpublish();
  await killAfter('GET')(server, vendor);
  expect(vendor.hooks).toHaveLength(1);
  await start();
  await eventually(() => expect(vendor.hooks).toEqual([]));
});
