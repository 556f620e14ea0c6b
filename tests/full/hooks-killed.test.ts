import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { killAfter, killWhileRegistering } from '../support/killed-hooks.ts';

const NAMES = ['github', 'stripe'] as const;
const MOMENTS = Array.from({ length: 12 }, (_, i) => i * 40);

for (const name of NAMES) {
  test(`${name}: killed when it has listed what is registered`, () =>
    killWhileRegistering(name, killAfter('GET')));
  for (const ms of MOMENTS)
    test(`${name}: killed ${ms} ms after the start`, () =>
      killWhileRegistering(name, async (server) => {
        await delay(ms);
        await server.stop('SIGKILL');
      }));
}
