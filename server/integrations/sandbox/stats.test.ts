import { afterAll, expect, test } from 'vitest';
import { callOf } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

const sandbox = testSandbox({ engine: 'quickjs' });
afterAll(() => sandbox.close());
const failing = (source: string, more = {}) => sandbox.run(callOf(source, null, more)).catch(() => undefined);

test('a sandbox counts its calls, those in progress, their failures by code, and the hosts that it lost', async () => {
  expect(sandbox.stats()).toEqual({ calls: 0, errors: new Map(), open: 0, hosts: 0, lostHosts: 0 });

  const call = sandbox.run(callOf('return 1;', null));
  expect(sandbox.stats()).toMatchObject({ calls: 1, open: 1, hosts: 1 });
  await call;
  expect(await Array.fromAsync(sandbox.stream(callOf('yield 1; yield 2;', null)))).toEqual([1, 2]);
  expect(sandbox.stats()).toMatchObject({ calls: 2, open: 0, errors: new Map() });

  await failing('throw new Error("no");');
  await failing('return (;');
  await failing('for (;;);', { cpuMs: 20 });
  const broken = sandbox.stream(callOf('yield 1; throw new Error("no");', null));
  await Array.fromAsync(broken).catch(() => undefined);
  const errors = new Map([
    ['code_failed', 2],
    ['code_invalid', 1],
    ['code_timeout', 1],
  ]);
  expect(sandbox.stats()).toMatchObject({ calls: 6, open: 0, errors });

  const abort = new AbortController();
  const stopped = failing('await new Promise(() => {});', { signal: abort.signal });
  abort.abort();
  await stopped;
  expect(sandbox.stats()).toMatchObject({ calls: 7, open: 0, errors });

  await sandbox.run(callOf('return 1;', null));
  for (const pid of sandbox.pids) process.kill(pid, 'SIGKILL');
  while (sandbox.stats().lostHosts === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await sandbox.run(callOf('return 2;', null))).toBe(2);
});
