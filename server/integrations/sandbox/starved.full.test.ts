import { expect, onTestFinished, test } from 'vitest';
import { callOf } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

/** Computes for a tenth of a second or so, far below its limit. */
const sum = 'let n = 0; for (let i = 0; i < 1e8; i++) n = (n + i) % 7; return n;';
const limits = { cpuMs: 1000, maxMs: 60_000 };

test('time in which a host gets no processor is not computing time of the code in it', async () => {
  const sandbox = testSandbox({ hosts: 1 });
  onTestFinished(() => sandbox.close());
  const expected = await sandbox.run(callOf(sum, 0, limits));
  for (let round = 1; round <= 3; round++) {
    const call = sandbox.run(callOf(sum, round, limits));
    await pause(20);
    const [pid] = sandbox.pids as [number];
    process.kill(pid, 'SIGSTOP');
    await pause(1500);
    process.kill(pid, 'SIGCONT');
    expect(await call).toBe(expected);
  }
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
