import { expect, test } from 'vitest';
import { eventually } from './support/eventually.ts';
import { killAfter, killedBed, killWhileRegistering } from './support/killed-hooks.ts';

// More moments are in `full/hooks-killed.test.ts`.
test.each(['github', 'stripe'] as const)(
  'a server that is killed before %s answers registers nothing twice, and receives events',
  (name) => killWhileRegistering(name, killAfter('POST')),
);

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
