import { expect } from 'vitest';
import { runProgram } from '../support/process.ts';

const SEED = '20261125';
/** Only what hangs takes so long; shorter than the limit of the test, so that it can tell how far it came. */
const LIMIT_MS = 1_000_000;

/** The short form of a part of `npm run soak`, with the same chance each time. */
export async function expectChaosToHold(engine: 'openworkflow' | 'restate'): Promise<void> {
  const { code, signal, stdout, stderr } = await runProgram(
    process.execPath,
    ['bench/soak.ts', '--short', '--seed', SEED, '--only', `chaos-${engine}`],
    { timeout: LIMIT_MS },
  );
  process.stdout.write(stdout);
  expect(signal, `It was not over in time. ${stderr}`).toBeNull();
  expect(stdout, stderr).not.toMatch(/MISS|FAILED/);
  expect(stdout).toMatch(/faults: kill +[1-9]/);
  expect(stdout).toMatch(/faults: database +[1-9]/);
  expect(stdout).toMatch(/ runs +[1-9]\d+\b/);
  expect(code).toBe(0);
}
