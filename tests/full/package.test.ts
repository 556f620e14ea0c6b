import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildEditor } from '../editor/support/build.ts';
import { launchChromium } from '../support/chromium.ts';
import { call } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { httpTrigger, write } from '../support/flows.ts';
import { installPackage } from '../support/install-package.ts';
import { linkedFiles } from '../support/markdown.ts';
import { type Program, runProgram, startProgram } from '../support/process.ts';
import { scratchFolder } from '../support/scratch.ts';
import { startSite } from '../support/site.ts';
import { root, tempFolder } from '../support/server.ts';
import { strangersEnv } from '../support/stranger.ts';

/** The npm package, as somebody meets it who has Node and an empty folder. */
const project = tempFolder('package');
const bin = (name: string): string => join(project, 'node_modules/.bin', name);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
/** Most megabytes on the disk that the package and all that it needs may take. */
const MOST_MB = 118;

beforeAll(async () => {
  await buildEditor();
  installPackage(project);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

interface Started {
  readonly program: Program;
  readonly url: string;
}

/** `npx weft-flow` in a folder. */
async function start(cwd: string, settings: Readonly<Record<string, string>> = {}): Promise<Started> {
  const env = strangersEnv({ WEFT_PORT: '0', WEFT_LOG_FORMAT: 'pretty', ...settings });
  const program = startProgram(process.execPath, [bin('weft-flow')], { cwd, env });
  const [, url = ''] = await program.prints(/Editor +(http:\/\/127\.0\.0\.1:\d+)\//);
  return { program, url };
}

const stop = async ({ program }: Started): Promise<void> => {
  program.child.kill('SIGTERM');
  expect(await program.ended).toMatchObject({ code: 0 });
};

const weft = (cwd: string, ...args: string[]) =>
  runProgram(process.execPath, [bin('weft'), ...args], { cwd, env: strangersEnv({}) });

test('installed it takes no more than it may, and brings no Node, no tools and no sources', () => {
  const modules = join(project, 'node_modules');
  const mb = Number.parseInt(execFileSync('du', ['-sm', modules], { encoding: 'utf8' }), 10);
  process.stdout.write(`installed: ${mb} MB\n`);
  expect(mb).toBeLessThanOrEqual(MOST_MB);
  const others = readdirSync(modules).filter((name) =>
    /^(?:node-(?:linux|darwin|win)|vite$|react$)/.test(name),
  );
  const sources = readdirSync(join(modules, 'weft-flow'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.d)\.tsx?$/.test(path))
    .filter((path) => !path.startsWith(join('flows', 'examples')));
  expect({ others, sources }).toEqual({ others: [], sources: [] });
});

test('what it imports of the packages that are in it as one file is in these files', async () => {
  // Of a package whose names Node reads from CommonJS only the default is left in such a file.
  const own = join(project, 'node_modules/weft-flow');
  const modules = readdirSync(own, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?:server|engine|shared)[/\\].*(?<!-worker)\.js$/.test(path))
    .filter((path) => /['"][^'"]*\/vendor\//.test(readFileSync(join(own, path), 'utf8')));
  expect(modules.length).toBeGreaterThan(15);
  const source = 'for (const path of process.argv.slice(1)) await import(path);';
  const args = ['--input-type=module', '-e', source, ...modules.map((path) => join(own, path))];
  expect(await runProgram(process.execPath, args, { cwd: project })).toMatchObject({ code: 0, stderr: '' });
});

test('its editor is that of the checkout, but for one line of its page', () => {
  // So that most tests of the editor need not be repeated against the package (tests/runner/stages.ts).
  const [own, theirs] = [join(root, 'dist/editor'), join(project, 'node_modules/weft-flow/dist/editor')];
  const files = readdirSync(theirs, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => relative(theirs, join(file.parentPath, file.name)));
  const differing = files.filter(
    (file) => !readFileSync(join(own, file)).equals(readFileSync(join(theirs, file))),
  );
  expect(differing).toEqual(['index.html']);
  const lines = [own, theirs].map((folder) => readFileSync(join(folder, 'index.html'), 'utf8').split('\n'));
  const [before = [], after = []] = lines;
  expect(after.length).toBe(before.length);
  expect(after.filter((line, at) => line !== before[at]).join()).toMatch(/content="npx weft-flow"/);
  expect(after.filter((line, at) => line !== before[at]).length).toBeLessThanOrEqual(2);
});

test('every link of its pages leads to a file that it has', () => {
  const own = join(project, 'node_modules/weft-flow');
  const pages = readdirSync(own, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') && !path.startsWith('LICENCES'),
  );
  const dead = pages.flatMap((page) =>
    linkedFiles(page, own)
      .filter((file) => !existsSync(join(own, file)))
      .map((file) => `${page}: ${file}`),
  );
  expect(pages).toContain(join('docs', 'README.md'));
  expect(dead).toEqual([]);
  expect(readdirSync(join(own, 'docs/examples/weft-sample'))).toContain('package.json');
});

test('it lists what it is made of and what is installed with it, with their licences', () => {
  const own = (file: string): string => readFileSync(join(project, 'node_modules/weft-flow', file), 'utf8');
  const { bomFormat, components } = JSON.parse(own('sbom.cdx.json')) as {
    bomFormat: string;
    components: { name: string; version: string }[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const { packages } = JSON.parse(own('../../package-lock.json')) as {
    packages: Record<string, { name?: string; version: string }>;
  };
  const installed = Object.entries(packages).filter(([path]) => !/^$|\/weft-flow$/.test(path));
  const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');
  const missing = installed.filter(([path]) => !components.some(({ name }) => name === nameOf(path)));
  expect(missing.map(([path]) => path)).toEqual([]);
  for (const name of ['react', '@opentelemetry/api'])
    expect(
      [...listed].some((one) => one.startsWith(`${name}@`)),
      name,
    ).toBe(true);
  expect([...listed].filter((one) => /^(?:vite|vitest|typescript)@/.test(one))).toEqual([]);
  const made = readdirSync(join(root, 'dist'));
  expect(made).toContain(`weft-flow-${version}.cdx.json`);
  const sums = readFileSync(join(root, 'dist/SHA256SUMS'), 'utf8').trim().split('\n');
  expect(sums.map((line) => line.split('  ')[1])).toContain(`weft-flow-${version}.tgz`);
  for (const [sum, name = ''] of sums.map((line) => line.split('  ')))
    expect(hash('sha256', readFileSync(join(root, 'dist', name)))).toBe(sum);
  expect(own('LICENCES-OF-OTHERS.md')).toMatch(/\| react \| \S+ \| MIT \| in this package \|/);
});

describe('in an empty folder', () => {
  const folder = tempFolder('empty');
  let started: Started;

  beforeAll(async () => {
    started = await start(folder);
  });
  afterAll(async () => {
    await stop(started);
    rmSync(folder, { recursive: true, force: true });
  });

  test('it makes the folders for flows and data there, with the examples, which answer', async () => {
    expect(readdirSync(folder).sort()).toEqual(['data', 'flows']);
    expect(readdirSync(join(folder, 'flows/examples')).sort()).toEqual(
      readdirSync(join(root, 'flows/examples')).sort(),
    );
    for (const path of ['hello', 'hello-code'])
      expect((await call(started, `/examples/${path}?name=Ada`)).body).toBe('Hello, Ada, your age is 18');
  });

  test('the editor opens, lists the flows, and tells the commands of the package', async () => {
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto(started.url);
    await page.getByText('npx weft-flow open').waitFor();
    await page.goto((await weft(folder, 'open')).stdout.trim());
    await page.getByText('simple_dag_example').first().waitFor();
  });

  test('a code node runs', async () => {
    const source =
      'const { n } = input as { n: string };\nreturn { double: 2 * Number(n), hex: Buffer.from(n).toString("hex") };';
    write(join(folder, 'flows'), 'double.json', {
      format: 1,
      id: 'double',
      nodes: { code: { operator: 'code.run', params: { source } }, trigger: httpTrigger('/double') },
      edges: [{ from: 'trigger.out', to: 'code.in' }],
    });
    const body = { double: 42, hex: '3231' };
    await eventually(async () =>
      expect(await call(started, '/double?n=21')).toMatchObject({ status: 200, body }),
    );
  });

  test('the command line checks and runs flows', async () => {
    expect(await weft(folder, 'check', 'flows')).toMatchObject({ code: 0, stderr: '' });
    const ran = await weft(folder, 'run', 'simple_dag_example', '--input', '{"name":"Ada"}');
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Hello, Ada') });
    expect((await weft(folder, 'serve', '--help')).stdout).toContain('WEFT_PORT');
  });
});

test('a package of operators beside it is found from every folder', async () => {
  cpSync(join(root, 'docs/examples/weft-sample'), join(project, 'node_modules/weft-sample'), {
    recursive: true,
  });
  onTestFinished(() => rmSync(join(project, 'node_modules/weft-sample'), { recursive: true }));
  const folder = scratchFolder('elsewhere');
  writeFileSync(join(folder, 'weft.config.json'), '{ "packages": ["weft-sample"] }');
  const listed = await weft(folder, 'packages', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject({ packages: [{ name: 'weft-sample', problems: [] }] });
});

test('a folder with data or flows gets no examples', async () => {
  const folder = scratchFolder('used');
  write(join(folder, 'flows'), 'own.json', { format: 1, id: 'own', nodes: {}, edges: [] });
  await stop(await start(folder));
  expect(readdirSync(join(folder, 'flows')).filter((name) => !name.startsWith('.'))).toEqual(['own.json']);
});

describe('in a project that has it as a dependency', () => {
  const flow = `import { flow, serve } from 'weft-flow';

const request = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } as const;
export default serve(
  flow('half', (f) => f.trigger.http({ path: '/half', auth: 'none', request }).map(({ n }) => n / 2)),
  { port: 0 },
);
`;

  beforeAll(() => write(project, 'flows/half.ts', flow));

  test('flows and operators in TypeScript import it by its name, and are served', async () => {
    expect(await weft(project, 'new', 'operator', 'text.again')).toMatchObject({ code: 0 });
    expect(readFileSync(join(project, 'operators/text/again.ts'), 'utf8')).toContain("from 'weft-flow'");
    write(project, 'flows/again.json', {
      format: 1,
      id: 'again',
      nodes: {
        again: { operator: 'text.again' },
        trigger: httpTrigger('/again'),
        text: { operator: 'core.map', params: { value: 'ha' } },
      },
      edges: [
        { from: 'trigger.out', to: 'text.in' },
        { from: 'text.out', to: 'again.in' },
      ],
    });
    const started = await start(project);
    expect((await call(started, '/half?n=3')).body).toBe(1.5);
    expect((await call(started, '/again')).body).toBe('haha');
    await stop(started);
    expect(await weft(project, 'operators')).toMatchObject({ code: 0 });
  });

  test('plain Node runs them too: a flow serves itself, an operator has its test', async () => {
    const program = startProgram(process.execPath, ['flows/half.ts'], {
      cwd: project,
      env: strangersEnv({}),
    });
    const [, url = ''] = await program.prints(/serves on (http:[^\s;]+)/);
    expect((await call({ url }, '/half?n=5')).body).toBe(2.5);
    await program.interrupt();
    const tested = await runProgram(process.execPath, ['--test', 'operators/text/again.test.ts'], {
      cwd: project,
    });
    expect(tested).toMatchObject({ code: 0 });
  });

  test('the compiler knows its types', async () => {
    const options = {
      module: 'nodenext',
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: [],
      lib: ['es2024', 'dom'],
    };
    const compilerOptions = { ...options, allowImportingTsExtensions: true };
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['flows', 'operators/**/again.ts'] }),
    );
    const tsc = join(root, 'node_modules/.bin/tsc');
    expect(await runProgram(tsc, ['-p', '.'], { cwd: project })).toMatchObject({ code: 0, stdout: '' });
    write(project, 'flows/wrong.ts', flow.replace('n / 2', 'n.length'));
    const { stdout } = await runProgram(tsc, ['-p', '.'], { cwd: project });
    rmSync(join(project, 'flows/wrong.ts'));
    expect(stdout).toMatch(/flows\/wrong\.ts.*'length' does not exist on type 'number'/);
  });
});

test('what stands in the package as one file works: traces are sent', async () => {
  const site = await startSite((_, response) => response.end('{}'));
  const started = await start(scratchFolder('traced'), { OTEL_EXPORTER_OTLP_ENDPOINT: site.url });
  await call(started, '/examples/hello?name=Ada');
  await stop(started);
  const sent = site.visits
    .filter(({ url }) => url === '/v1/traces')
    .map(({ body }) => body.toString('latin1'));
  expect(sent.join()).toContain('simple_dag_example');
});

test('on an older Node it says what to do, and not a syntax error', async () => {
  const preload = join(scratchFolder('old'), 'old.cjs');
  writeFileSync(
    preload,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } });",
  );
  const ended = await runProgram(process.execPath, ['--require', preload, bin('weft-flow')], {
    cwd: scratchFolder('empty'),
    env: strangersEnv({}),
  });
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(
    /^Weft needs Node 24 or newer; .*\nInstall Node 24 or newer from https:\/\/nodejs\.org, then run the command again\.\n$/,
  );
});
