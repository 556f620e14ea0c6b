import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from './changes.ts';
import { cacheFolder } from './folders.ts';
import { type Lane, reporters, type Stage } from './stage.ts';

const rooms = ['shared', 'engine', 'server', 'editor', 'tests', 'bench', 'docs'];

export const staticStages: Lane = [
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
    "import('./server/admin/editor-build/build-editor.ts').then((b) => b.buildEditorIfStale()).then((r) => process.exit(r === 'fresh' || r === 'built' ? 0 : 1))",
  ],
};

/** What a change can affect, and its base revision. */
export interface Change {
  readonly since: string;
  readonly scope: Scope;
}

// Files named `*.full.test.ts` are beside what they test, and slow.
const UNIT = '{shared,engine,server,editor,tests/runner,tests/house,tests/support}/**/!(*.full).test.ts';
const ALL_UNIT = UNIT.replace('!(*.full)', '*');
/**
 * End-to-end tests that `npm test` leaves to `.ci/run` and `--changed`: each asks in depth for what a main job, a test of the client of
 * the original or a unit test asks for in short.
 */
const IN_DEPTH = [
  'agent-mcp',
  'awel-{close,hub,templates}',
  'backup',
  'chat-files',
  'code-apart',
  'conformance/{datasources,older-knowledge,openai-details}',
  'data-of-0.1.0',
  'dify-chats',
  'import-n8n',
  'outbound',
  'python',
  'rate-gate',
  'replay.property',
  'shop-example',
  'storage-faults',
  'upgrade-check',
  'waits-for-programs',
];
const FULL = `{tests/{full/**/*,${IN_DEPTH.join(',')}},{shared,engine,server,editor,tests/runner}/**/*.full}.test.ts`;
const END_TO_END = 'tests/{*,conformance/*,editor/*}.test.ts';
/** The main jobs in the editor, and everything else of it, which otherwise `npm run test:full` runs. */
const BROWSER = 'tests/{editor,full/editor}/*.test.ts';
const MORE_BROWSER = 'tests/full/editor/*.test.ts';
const NO_BROWSER = 'tests/{*,conformance/*}.test.ts';
/** Several servers that share their work: they wait for leases to run out. */
const SERVERS = 'tests/servers/*.test.ts';

/**
 * `npm test`, or what of it a change can affect, in steps of lanes. For a change the static checks run beside the build of the editor
 * and the unit tests, which leave each other processor time. Nothing that needs the editor begins before it is built.
 */
export function testSteps(change?: Change): readonly (readonly Lane[])[] {
  const size: Stage = {
    name: 'editor size',
    command: ['node', 'server/admin/editor-build/check-editor-size.ts'],
  };
  const options = [...SHARED_PROCESSES, ...related(change)];
  // What a change touches is tested whole.
  const unit = change
    ? vitest('unit tests', ALL_UNIT, options, IN_MEMORY)
    : vitest('unit tests', UNIT, options, { ...IN_MEMORY, ...firstCases() });
  const tests: Lane = [build, size, unit];
  return [change ? [staticStages, tests] : [tests], [endToEnd(change)]];
}

/** A process for each of 340 unit test files took a quarter of their time; they share a few, which also reveals what one leaves behind. */
const SHARED_PROCESSES = ['--no-isolate'];

/**
 * Of each property `npm test` tries the first half of the cases, unless it is told how many: `.ci/run` and `--changed` try all. They
 * are the same ones each time.
 */
function firstCases(): Stage['env'] {
  const { PROPERTY_FACTOR: factor, PROPERTY_SEED: seed = '1' } = process.env;
  return factor === undefined ? { PROPERTY_FACTOR: '0.5', PROPERTY_SEED: seed } : {};
}

/** Temporary files are in memory where there is room: a server waits for the disk some thirty times at its start. */
const IN_MEMORY = { TEST_TEMP: 'memory' };

function endToEnd(change?: Change): Lane {
  const all = vitest('end-to-end tests', END_TO_END, SHARED_PROCESSES, {
    ...IN_MEMORY,
    ...leftOut(change ? [] : IN_DEPTH),
  });
  if (!change) return [all];
  const { product, browser, servers } = change.scope;
  const several = severalServers(servers ? undefined : change);
  if (product)
    return browser ? [all, vitest('more tests in a browser', MORE_BROWSER), several] : [all, several];
  if (!browser)
    return [
      vitest('end-to-end tests', END_TO_END, [...SHARED_PROCESSES, ...related(change)], IN_MEMORY),
      several,
    ];
  return [
    vitest('end-to-end tests', NO_BROWSER, related(change)),
    vitest('end-to-end tests in a browser', BROWSER),
    several,
  ];
}

/**
 * With `TEST_PACKAGE=instead`, as `.ci/run` sets it, the tests that `npm run test:full` runs against the npm package are not run
 * against the checkout as well. `others` are left out in any case.
 */
function leftOut(others: readonly string[] = []): Stage['env'] {
  const names = process.env['TEST_PACKAGE'] === 'instead' ? [...others, ...IN_PACKAGE] : others;
  return names.length > 0 ? { TEST_EXCLUDE: testsOf(names) } : {};
}

function testsOf(names: readonly string[]): string {
  return `tests/{${names.join(',')}}.test.ts`;
}

function severalServers(change?: Change): Stage {
  // Each file has several servers already: three files at once make two cores so late that leases are lost.
  const options = ['--maxWorkers=2', ...related(change)];
  return vitest('tests of several servers', SERVERS, options, { ...IN_MEMORY, ...leftOut() });
}

function related(change: Change | undefined): string[] {
  return change ? [`--changed=${change.since}`, '--passWithNoTests'] : [];
}

/** Where the npm package is installed for its stage: outside of the project, whose own packages would hide a missing one. */
export const packageFolder = join(tmpdir(), `weft-package-${process.pid}`);

const installed: Stage = {
  name: 'npm package',
  command: [
    'node',
    '--disable-warning=ExperimentalWarning',
    'tests/support/install-package.ts',
    packageFolder,
  ],
};

/**
 * The end-to-end tests that are repeated against the npm package: one of each room of the server that is loaded when it is used,
 * and of what the package has in files (workers, migrations, pages, drawings of icons). In a browser those of pages, chunks,
 * `/docs` and signing in, and a flow from drawing to running. The others ask the same modules more, or test the editor's code, which
 * is in the package byte for byte (tests/full/package.test.ts holds that).
 */
const IN_PACKAGE = [
  'agents',
  'awel-{flows,llm-flows,templates}',
  'backup',
  'code-{apart,flows}',
  'data-of-0.1.0',
  'durable',
  'first-run',
  'form-files',
  'forms',
  'golden',
  'http-request',
  'knowledge',
  'light-start',
  'models',
  'public-chat',
  'story',
  'waits',
  'conformance/*',
  'servers/{flows-from-git,folder-processes,knowledge-loading,move-all,roles,without-server}',
  'editor/build-and-run',
  'full/{answers-in-browser,apps,check-in-browser,code,every-route,history,kept-outputs,openapi,sources}',
  'full/editor/{docs-page,first-load,packages,public-pages,sign-in}',
];

const AGAINST_PACKAGE = testsOf(IN_PACKAGE);

/** Tests of the package copy it from there, in place of packing and installing it again. */
const FROM_PACKAGE = { TEST_INSTALLED: packageFolder };

const inPackage = vitest('end-to-end tests against the npm package', AGAINST_PACKAGE, SHARED_PROCESSES, {
  ...IN_MEMORY,
  TEST_PRODUCT: join(packageFolder, 'node_modules/weft-flow'),
});

/** `npm run test:servers`: servers that share a database, a data folder or a flows folder, and die. */
export function serversSteps(): readonly (readonly Lane[])[] {
  return [[[build]], [[severalServers()]]];
}

/** Alone: it measures. */
const smoke: Lane = [{ name: 'benchmark smoke', command: ['node', 'bench/run.ts', '--quick'] }];

const matrices = vitest('full matrices', FULL, SHARED_PROCESSES, {
  ...IN_MEMORY,
  ...FROM_PACKAGE,
  TEST_EXCLUDE: AGAINST_PACKAGE,
});

/** `npm run test:full`: slow tests that seldom find more than `npm test`. The longest stage is last, for `TEST_UNTIL`. */
export const fullSteps: readonly (readonly Lane[])[] = [
  [[build, installed]],
  [smoke],
  [[inPackage, matrices]],
];

/** Services whose tests have several servers, which are killed and wait for leases: never two of these at once. */
const WITH_SEVERAL_SERVERS = new Set([
  'restate',
  'restate-servers',
  'haproxy-restate',
  'chaos',
  'chaos-restate',
  'nginx-cluster',
  'postgres-failover',
]);

/** `npm run test:services`, with the tests of these services: most of their time they wait, so two lanes of them share the machine. */
export function servicesSteps(names: readonly string[]): readonly (readonly Lane[])[] {
  const { several, others } = lanesOfServices(names);
  return [[[build]], [several, others]];
}

function lanesOfServices(names: readonly string[]): Record<'several' | 'others', Lane> {
  const laneOf = (several: boolean): Lane =>
    names
      .filter((name) => WITH_SEVERAL_SERVERS.has(name) === several)
      .map((name) => vitest(`service ${name}`, `tests/services/${name}.test.ts`));
  return { several: laneOf(true), others: laneOf(false) };
}

/**
 * All of `npm run test:full`, `test:servers` and `test:services`, beside each other where one waits: services with several servers leave
 * half of the machine to the full matrices. A server that is late loses its lease, so it gets a processor first; where the system
 * refuses that (`mayGoFirst`), the full matrices come after them.
 */
export function slowSteps(names: readonly string[], isFirst = mayGoFirst()): readonly (readonly Lane[])[] {
  const { several, others } = lanesOfServices(names);
  const servers: Lane = [severalServers()];
  const full: Lane = [inPackage, matrices];
  const steps = isFirst
    ? [
        [first(servers), first(others)],
        [first(several), full],
      ]
    : [[servers], [several, others], [full]];
  return [[[build, installed]], [smoke], ...steps];
}

/** The program and what it starts get a processor before all others. */
const FIRST = ['nice', '-n', '-15'];

function first(lane: Lane): Lane {
  return lane.map((stage) => ({ ...stage, by: FIRST }));
}

/** Root may, on most systems. Where it is refused, `nice` prints a warning and the program runs at the usual priority. */
function mayGoFirst(): boolean {
  const [program = '', ...args] = FIRST;
  return spawnSync(program, [...args, 'nice'], { encoding: 'utf8' }).stdout?.trim() === args.at(-1);
}

/** Vitest takes name filters, not globs, on the command line, so vite.config.ts reads the glob from the environment. */
function vitest(
  name: string,
  include: string,
  options: readonly string[] = [],
  env: Stage['env'] = {},
): Stage {
  const report = `${cacheFolder}/${name.replaceAll(' ', '-')}.json`;
  return {
    name,
    command: ['vitest', 'run', ...reporters(report), ...options],
    report,
    env: { TEST_INCLUDE: include, ...env },
  };
}
