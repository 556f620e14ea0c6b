import { execFile } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../tests/runner/folders.ts';
import { failedTests, type Report } from '../../tests/runner/stage.ts';
import type { Line } from '../harness.ts';
import { fact, never, type SoakContext, type SoakPart } from './part.ts';

/** The unit tests with properties, those of contracts included: all take their cases from one file, or a contract does. */
function withProperties(): string[] {
  const files = globSync('{shared,engine,server,editor}/**/*.test.ts', {
    cwd: root,
    exclude: ['**/node_modules'],
  });
  return files.filter((file) =>
    /support\/property\.ts'|\.contract\.ts'/.test(readFileSync(join(root, file), 'utf8')),
  );
}

/** Of these the short form takes a few, since CI has just run them all once. */
const FEW = ['engine/flow/facts', 'engine/types', 'server/base/rates'];

/** The properties of the unit tests on many more cases than `npm test` has the time for. */
export const searches: SoakPart = {
  name: 'searches',
  title: 'Properties on many more cases',
  async run({ short }: SoakContext): Promise<Line[]> {
    const factor = short ? 2 : 20;
    const file = join(tmpdir(), `weft-searches-${process.pid}.json`);
    // A test runner that this one is started by has chosen other files.
    const { TEST_INCLUDE: _, ...outer } = process.env;
    const seed = short ? { PROPERTY_SEED: '2' } : {};
    // Nor is its time this one's: files that are left out would look like tests that passed.
    const env = { ...outer, ...seed, PROPERTY_FACTOR: String(factor), TEST_UNTIL: '' };
    // No time limits: the number of cases is what is asked for.
    const args = ['vitest', 'run', '--testTimeout=0', '--reporter=json', `--outputFile=${file}`];
    args.push(...(short ? FEW : withProperties()));
    const code = await new Promise<number>((resolve) => {
      const child = execFile('npx', args, { cwd: root, env, maxBuffer: 2 ** 28 });
      child.on('error', () => resolve(127));
      child.on('exit', (status) => resolve(status ?? 1));
    });
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
    rmSync(file);
    const failed = failedTests(report).map(({ title, message }) => `${title}: ${message}`);
    return [
      fact('times the usual cases', factor),
      fact('tests', report.numPassedTests),
      never('failed', code !== 0 && failed.length === 0 ? [`vitest ended with code ${code}`] : failed),
    ];
  },
};
