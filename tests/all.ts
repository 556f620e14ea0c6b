import { mkdirSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { changedPaths, scopeOf } from './runner/changes.ts';
import { withHistory } from './runner/flaky.ts';
import { cacheFolder } from './runner/folders.ts';
import { presentServices } from './runner/services.ts';
import { type Count, type Failure, type Lane, type Result, runLanes } from './runner/stage.ts';
import {
  fullSteps,
  packageFolder,
  serversSteps,
  servicesSteps,
  slowSteps,
  staticStages,
  testSteps,
} from './runner/stages.ts';
import { forgetNotRun, notRun } from './runner/time-limit.ts';

/**
 * The tests' command line. A failed stage does not hide the later ones: all are run, then the failed tests are listed, each with
 * the command that runs it alone. The last line is `N passed, N failed` over all stages.
 */
const usage = `npm test                      unit and end-to-end tests
npm test -- --changed[=REF]   the static checks, and all tests that a change can touch: not committed yet, or since REF
npm run check                 the static checks alone
npm run test:full             the full matrices, the short soak and the smoke test of the benchmarks
npm run test:servers          what several servers do together: they wait for leases to run out
npm run test:services         what needs a database or a broker (tests/services/README.md)
npm run test:slow             the last three beside each other, which takes less time
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2).map((arg) => (arg === '--changed' ? '--changed=HEAD' : arg)),
    allowPositionals: true,
    options: {
      static: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      servers: { type: 'boolean', default: false },
      services: { type: 'boolean', default: false },
      slow: { type: 'boolean', default: false },
      changed: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help || positionals.length > 0) {
    process.stdout.write(usage);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  mkdirSync(cacheFolder, { recursive: true });
  forgetNotRun();
  const results: Result[] = [];
  try {
    for (const lanes of await chosenSteps(values)) results.push(...(await runLanes(lanes)));
  } finally {
    rmSync(packageFolder, { recursive: true, force: true });
  }
  const history = process.env['TEST_HISTORY'];
  report(history ? withHistory(results, history) : results);
}

interface Choice {
  readonly static: boolean;
  readonly full: boolean;
  readonly servers: boolean;
  readonly services: boolean;
  readonly slow: boolean;
  readonly changed?: string | undefined;
}

async function chosenSteps(choice: Choice): Promise<readonly (readonly Lane[])[]> {
  if (choice.static) return inTurn(staticStages);
  if (choice.full) return fullSteps;
  if (choice.servers) return serversSteps();
  if (choice.services) return servicesSteps(await presentServices());
  if (choice.slow) return slowSteps(await presentServices());
  if (choice.changed === undefined) return testSteps();
  return testSteps({ since: choice.changed, scope: scopeOf(changedPaths(choice.changed)) });
}

/** Nothing beside each other: one that fails is seen at once. */
const inTurn = (stages: Lane): (readonly Lane[])[] => stages.map((stage) => [[stage]]);

function report(results: readonly Result[]): void {
  if (results.length > 1) {
    console.log('');
    for (const { name, seconds, count } of results)
      console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}: ${countText(count)}`);
  }
  for (const { name, flaky } of results) list(`Flaky, passed when run again alone: ${name}`, flaky);
  for (const { name, failures } of results) list(`Failed: ${name}`, failures);
  const missed = notRun();
  list(
    `Not run, the time was over: ${missed.length}`,
    missed.map((title) => ({ title, command: '' })),
  );
  const total = results.reduce<Count>(
    (sum, { count }) => ({ passed: sum.passed + count.passed, failed: sum.failed + count.failed }),
    { passed: 0, failed: 0 },
  );
  console.log(`\n${countText(total)}`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

/** `.ci/run` repeats these lines at its end: a heading at the margin, and what is indented below it. */
function list(heading: string, failures: readonly Failure[]): void {
  if (failures.length === 0) return;
  console.log(`\n${heading}`);
  for (const { title, command, message } of failures)
    console.log([title, message, command].filter(Boolean).join('\n    ').replace(/^/, '  '));
}

function countText({ passed, failed }: Count): string {
  return `${passed} passed, ${failed} failed`;
}

await main();
