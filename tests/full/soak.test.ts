import { expect, test } from 'vitest';
import { runProgram } from '../support/process.ts';

/** `npm run soak` for every change: kills at any moment, runs by the thousand, requests by chance, properties on more cases. The part
 * `disk` mounts a file system and is left to `npm run soak`.
 */
const SEED = '20261122';

/** Only what hangs takes so long. */
const LIMIT_MS = 1_200_000;

test('the short soak keeps everything that it must', { timeout: LIMIT_MS }, async () => {
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    [
      'bench/soak.ts',
      '--short',
      '--seed',
      SEED,
      '--only',
      'kills,long-loop,summaries,bodies,uploads,searches',
    ],
    { timeout: LIMIT_MS },
  );
  expect(stdout, stderr).not.toMatch(/MISS|FAILED/);
  expect(stdout).toMatch(/kills +6\b/);
  expect(stdout).toContain(`seed ${SEED}`);
  expect(code).toBe(0);
});

test('a soak that is called wrongly says how to call it, and does nothing', async () => {
  const { code, stdout, stderr } = await runProgram(process.execPath, ['bench/soak.ts', '--only', 'nothing']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /no part nothing[\s\S]*kills, nested, nested-postgres, nested-restate, long-loop, summaries, bodies, uploads, disk, searches, chaos-openworkflow, chaos-restate/,
  );
});
