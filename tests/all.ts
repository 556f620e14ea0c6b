import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * `npm test`: every check there is, cheap ones first; the first failing stage ends it. `--static` (`npm run check`) leaves out
 * what runs the product. The last line is `N passed, N failed` over all stages.
 */
interface Stage {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where a test runner writes its result as JSON; a stage without one counts as one check. */
  readonly report?: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = `${root}.cache`;
const rooms = ['shared', 'engine', 'server', 'editor', 'tests', 'bench', 'docs'];

const staticStages: Stage[] = [
  { name: 'format', command: ['biome', 'format', '.'] },
  { name: 'types', command: ['tsc', '-b'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings', ...rooms] },
  { name: 'dead code', command: ['knip'] },
  { name: 'generated docs are fresh', command: ['node', 'docs/generate.ts', '--check'] },
];

const runStages: Stage[] = [
  {
    name: 'editor build',
    command: [
      'node',
      '-e',
      "import('./server/build-editor.ts').then((b) => b.buildEditorIfStale()).then((r) => process.exit(r === 'fresh' || r === 'built' ? 0 : 1))",
    ],
  },
  { name: 'editor size', command: ['node', 'server/check-editor-size.ts'] },
  // A process for each of 340 unit test files took a quarter of their time; they share a few, and so tell what one leaves behind.
  vitest('unit tests', '{shared,engine,server,editor}/**/*.test.ts', 'unit', ['--no-isolate']),
  vitest('end-to-end tests', 'tests/**/*.test.ts', 'end-to-end'),
  { name: 'benchmark smoke', command: ['node', 'bench/run.ts', '--quick'] },
];

/** Vitest takes name filters, not globs, on the command line, so vite.config.ts reads the glob from the environment. */
function vitest(name: string, include: string, file: string, options: readonly string[] = []): Stage {
  const report = `${cache}/${file}.json`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const command = ['vitest', 'run', ...reporters, ...options];
  return { name, command, report, env: { TEST_INCLUDE: include } };
}

interface Count {
  passed: number;
  failed: number;
}

function run(stage: Stage): Promise<number> {
  const [program = '', ...args] = stage.command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...stage.env },
    });
    child.on('error', (error) => {
      console.error(`${program}: ${error.message}. Run this through npm (npm test), after npm ci.`);
      resolve(127);
    });
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

function countOf(stage: Stage, code: number): Count {
  if (stage.report) {
    try {
      const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(stage.report, 'utf8')) as Record<
        string,
        number
      >;
      const failed = numFailedTests ?? 0;
      // A runner that fails without a failed test (a file that does not load) is a failure all the same.
      return { passed: numPassedTests ?? 0, failed: code !== 0 && failed === 0 ? 1 : failed };
    } catch {
      return { passed: 0, failed: 1 };
    }
  }
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function main(): Promise<void> {
  const stages = process.argv.includes('--static') ? staticStages : [...staticStages, ...runStages];
  const total: Count = { passed: 0, failed: 0 };
  mkdirSync(cache, { recursive: true });
  for (const stage of stages) {
    if (stage.report) rmSync(stage.report, { force: true });
    const started = performance.now();
    console.log(`\n== ${stage.name}`);
    const code = await run(stage);
    const count = countOf(stage, code);
    total.passed += count.passed;
    total.failed += count.failed;
    console.log(
      `== ${stage.name}: ${code === 0 ? 'ok' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
    );
    if (code !== 0) break;
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}

await main();
