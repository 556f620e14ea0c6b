import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from './changes.ts';
import { cacheFolder, type Stage } from './stage.ts';

const rooms = ['shared', 'engine', 'server', 'editor', 'tests', 'bench', 'docs'];

export const staticStages: readonly Stage[] = [
  { name: 'format', command: ['biome', 'format', '.'] },
  { name: 'types', command: ['tsc', '-b'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings', ...rooms] },
  { name: 'dead code', command: ['knip'] },
  { name: 'generated docs are fresh', command: ['node', 'docs/generate.ts', '--check'] },
];

const build: Stage = {
  name: 'editor build',
  command: [
    'node',
    '-e',
    "import('./server/build-editor.ts').then((b) => b.buildEditorIfStale()).then((r) => process.exit(r === 'fresh' || r === 'built' ? 0 : 1))",
  ],
};

/** What a change can affect, and its base revision. */
export interface Change {
  readonly since: string;
  readonly scope: Scope;
}

const UNIT = '{shared,engine,server,editor,tests/runner}/**/*.test.ts';
const END_TO_END = 'tests/{*,conformance/*,editor/*}.test.ts';
const BROWSER = 'tests/editor/*.test.ts';
const NO_BROWSER = 'tests/{*,conformance/*}.test.ts';

/** The stages of `npm test` without the static checks, or those that a change can affect. */
export function runStages(change?: Change): readonly Stage[] {
  const size: Stage = { name: 'editor size', command: ['node', 'server/check-editor-size.ts'] };
  // A process for each of 340 unit test files took a quarter of their time; they share a few, which also reveals what one leaves behind.
  const unit = vitest('unit tests', UNIT, ['--no-isolate', ...related(change)]);
  return [build, size, unit, ...endToEnd(change)];
}

function endToEnd(change?: Change): readonly Stage[] {
  if (!change || change.scope.product) return [vitest('end-to-end tests', END_TO_END)];
  if (!change.scope.browser) return [vitest('end-to-end tests', END_TO_END, related(change))];
  return [
    vitest('end-to-end tests', NO_BROWSER, related(change)),
    vitest('end-to-end tests in a browser', BROWSER),
  ];
}

function related(change: Change | undefined): string[] {
  return change ? [`--changed=${change.since}`, '--passWithNoTests'] : [];
}

/** Where the npm package is installed for its stage: outside of the project, whose own packages would hide a missing one. */
export const packageFolder = join(tmpdir(), `weft-package-${process.pid}`);

/** The end-to-end tests once more, those in a browser too, against the installed npm package. */
const packageStages: readonly Stage[] = [
  {
    name: 'npm package',
    command: [
      'node',
      '--disable-warning=ExperimentalWarning',
      'tests/support/install-package.ts',
      packageFolder,
    ],
  },
  vitest('end-to-end tests against the npm package', END_TO_END, [], {
    TEST_PRODUCT: join(packageFolder, 'node_modules/weft-flow'),
  }),
];

/** `npm run test:full`: slow tests that seldom find more than `npm test`. */
export const fullStages: readonly Stage[] = [
  build,
  vitest('full matrices', 'tests/full/**/*.test.ts'),
  ...packageStages,
  { name: 'benchmark smoke', command: ['node', 'bench/run.ts', '--quick'] },
];

/** `npm run test:services`, with the tests of these services. */
export function serviceStages(names: readonly string[]): readonly Stage[] {
  return names.map((name) => vitest(`service ${name}`, `tests/services/${name}.test.ts`));
}

/** Vitest takes name filters, not globs, on the command line, so vite.config.ts reads the glob from the environment. */
function vitest(
  name: string,
  include: string,
  options: readonly string[] = [],
  env: Stage['env'] = {},
): Stage {
  const report = `${cacheFolder}/${name.replaceAll(' ', '-')}.json`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return {
    name,
    command: ['vitest', 'run', ...reporters, ...options],
    report,
    env: { TEST_INCLUDE: include, ...env },
  };
}
