import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { killAfter, killWhileRegistering } from '../support/killed-hooks.ts';

const NAMES = ['github', 'stripe'] as const;
/** In milliseconds after the start; each service has every second one. */
const MOMENTS = Array.from({ length: 12 }, (_, i) => i * 40);

for (const [at, name] of NAMES.entries()) {
  test(`${name}: killed when it has listed what is registered`, () =>
    killWhileRegistering(name, killAfter('GET')));
  for (const ms of MOMENTS.filter((_, i) => i % NAMES.length === at))
    test(`${name}: killed ${ms} ms after the start`, () =>
      killWhileRegistering(name, async (server) => {
        await delay(ms);
        await server.stop('SIGKILL');
      }));
}
