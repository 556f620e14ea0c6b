import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { root } from '../../../../tests/support/server.ts';
import { npmReplace } from '../local/npm.ts';
import { runCli } from '../program.ts';
import { type NpmRegistry, startRegistry } from '../testing/npm-registry.ts';
import { type TempProject, tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

const SAMPLE = join(root, 'docs/examples/weft-sample');
const OFFLINE = { npm_config_offline: 'true' };
let project: TempProject;

beforeEach(() => {
  project = tempProject();
});

afterEach(() => project.remove());

async function weft(args: readonly string[], more: { stdin?: string; env?: Record<string, string> } = {}) {
  const io = testIo(project.folder, { env: OFFLINE, ...more });
  const code = await runCli(args, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

const listed = async () =>
  JSON.parse((await weft(['packages', '--json'])).out) as { packages: Record<string, unknown>[] };

test('a package is added from its folder, after its reach was shown', async () => {
  project.write('weft.config.json', '{"port": 7000}');
  const added = await weft(['add', SAMPLE], { stdin: 'y\n' });
  expect(added.out).toContain('weft-sample 1.0.0');
  expect(added.out).toContain('operators: sample.contacts, sample.initials, sample.messages');
  expect(added.out).toContain('may use connections: http');
  expect(added.out).toContain('may send requests to: api.example.com, http://127.0.0.1:8094');
  expect(added.out).toContain('Added weft-sample with 3 operators');
  expect(added).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(project.read('weft.config.json'))).toEqual({ port: 7000, packages: ['weft-sample'] });
  project.write(
    'flows/who.json',
    JSON.stringify({
      format: 1,
      id: 'who',
      nodes: { t: { operator: 'trigger.manual' }, a: { operator: 'sample.initials' } },
      edges: [{ from: 't.out', to: 'a.in' }],
    }),
  );
  expect(await weft(['run', 'who', '--input', '"Ada Lovelace"'])).toMatchObject({ code: 0, out: '"AL"\n' });
});

test('a package is added from a tarball, listed and removed', async () => {
  const made = execFileSync('npm', ['pack', SAMPLE, '--pack-destination', project.folder], {
    encoding: 'utf8',
  });
  expect(await weft(['add', `./${made.trim()}`, '--yes'])).toMatchObject({ code: 0 });
  expect(await listed()).toMatchObject({
    packages: [
      {
        name: 'weft-sample',
        version: '1.0.0',
        operators: ['sample.contacts', 'sample.initials', 'sample.messages'],
        reach: {
          hosts: ['api.example.com', 'http://127.0.0.1:8094'],
          connections: ['http'],
          files: false,
        },
        problems: [],
      },
    ],
  });
  expect(await weft(['remove', 'weft-sample'])).toMatchObject({ code: 0 });
  expect(await listed()).toEqual({ packages: [] });
  expect(project.has('node_modules/weft-sample')).toBe(false);
  expect(await weft(['remove', 'weft-sample'])).toMatchObject({ code: 2 });
});

/** A copy of the sample, in the project, which its author edits. */
function ownPackage(): { edit: (file: string, change: (text: string) => string) => void } {
  cpSync(SAMPLE, project.path('weft-sample'), { recursive: true });
  return {
    edit: (file, change) => project.write(`weft-sample/${file}`, change(project.read(`weft-sample/${file}`))),
  };
}

const packed = () =>
  execFileSync('npm', ['pack', project.path('weft-sample'), '--pack-destination', project.folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

test.each([
  ['folder', () => './weft-sample'],
  ['tarball', () => `./${packed()}`],
])('a %s that was edited is added again at the same version', async (_, spec) => {
  const own = ownPackage();
  expect(await weft(['add', spec(), '--yes'])).toMatchObject({ code: 0 });
  own.edit('operators/sample/initials.js', (text) => `${text}\n// edited\n`);
  own.edit('package.json', (text) =>
    text.replace('"api.example.com"', '"api.example.com", "new.example.com"'),
  );
  const again = await weft(['add', spec(), '--yes']);
  expect(again).toMatchObject({ code: 0, err: '' });
  expect(again.out).toContain(
    'Compared with the installed weft-sample 1.0.0:\n    new hosts: new.example.com\n',
  );
  expect(project.read('node_modules/weft-sample/operators/sample/initials.js')).toContain('// edited');
  expect(await listed()).toMatchObject({
    packages: [
      {
        reach: { hosts: ['api.example.com', 'new.example.com', 'http://127.0.0.1:8094'] },
        problems: [],
      },
    ],
  });
  expect((await weft(['add', spec(), '--yes'])).out).toContain('the same operators and the same reach');
});

test('a package whose new version cannot be installed stays as it was', async () => {
  const own = ownPackage();
  expect(await weft(['add', './weft-sample', '--yes'])).toMatchObject({ code: 0 });
  const before = ['package.json', 'package-lock.json', 'weft.config.json'].map((file) => project.read(file));
  own.edit('operators/sample/initials.js', (text) => `${text}\n// edited\n`);
  const other = join(project.folder, 'weft-sample');
  await expect(
    npmReplace(
      { spec: other, name: 'weft-sample' },
      project.folder,
      testIo(project.folder, { env: OFFLINE }),
      () => Promise.reject(new Error('not what was shown')),
    ),
  ).rejects.toThrow('not what was shown');
  expect(['package.json', 'package-lock.json', 'weft.config.json'].map((file) => project.read(file))).toEqual(
    before,
  );
  expect(project.read('node_modules/weft-sample/operators/sample/initials.js')).not.toContain('// edited');
  expect(readdirSync(project.folder).filter((name) => name.startsWith('.weft-add'))).toEqual([]);
  expect(await weft(['packages'])).toMatchObject({ code: 0 });
});

test('without consent nothing is added', async () => {
  const refused = await weft(['add', SAMPLE], { stdin: 'no\n' });
  expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('Nothing was added.') });
  expect([project.has('node_modules'), project.has('weft.config.json'), project.has('package.json')]).toEqual(
    [false, false, false],
  );
});

test('a package that is not made for Weft is not added', async () => {
  project.write('other/package.json', '{"name": "other", "version": "1.0.0"}');
  expect(await weft(['add', './other', '--yes'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('describes no package of Weft:\n✖'),
  });
  expect(project.has('node_modules')).toBe(false);
  expect(await weft(['add', './none'])).toMatchObject({ code: 2 });
  expect(await weft(['add', '--', '--global'])).toMatchObject({ code: 2 });
});

test('a package that is not there, and an operator in TypeScript, are problems with a code', async () => {
  const weftPart = { name: 'weft-typed', version: '1.0.0', weft: {} };
  project.write('node_modules/weft-typed/package.json', JSON.stringify(weftPart));
  project.write('node_modules/weft-typed/operators/a/b.ts', 'export default 1;');
  project.write('node_modules/weft-typed/operators/a/c.js', 'export default 1;');
  project.write('weft.config.json', '{"packages": ["weft-typed", "weft-gone"]}');
  const found = await weft(['packages', '--json']);
  expect(found.code).toBe(1);
  expect(JSON.parse(found.out)).toMatchObject({
    packages: [
      {
        name: 'weft-typed',
        problems: [
          { code: 'package_typescript', file: 'a/b.ts' },
          { code: 'package_operator', file: 'a/c.js' },
        ],
      },
      { name: 'weft-gone', problems: [{ code: 'package_missing' }] },
    ],
  });
});

/** A registry that has the sample package. */
async function registry(): Promise<NpmRegistry> {
  const made = execFileSync('npm', ['pack', SAMPLE, '--pack-destination', project.folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const manifest = JSON.parse(readFileSync(join(SAMPLE, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  const tarball = readFileSync(project.path(made.trim()));
  const started = await startRegistry([{ manifest, tarball }], project.path('npm-cache'));
  onTestFinished(() => started.close());
  return started;
}

test('a package is added by its name from a registry', async () => {
  const { env, asked } = await registry();
  const added = await weft(['add', 'weft-sample'], { stdin: 'y\n', env });
  expect(added).toMatchObject({ code: 0, err: '' });
  expect(added.out).toContain('weft-sample 1.0.0');
  expect(added.out).toContain('Added weft-sample with');
  expect(asked).toContain('/weft-sample/-/weft-sample-1.0.0.tgz');
  expect(JSON.parse(project.read('weft.config.json'))).toEqual({ packages: ['weft-sample'] });
  expect(JSON.parse(project.read('package.json'))).toMatchObject({
    dependencies: { 'weft-sample': '1.0.0' },
  });
  expect(await listed()).toMatchObject({
    packages: [{ name: 'weft-sample', version: '1.0.0', problems: [] }],
  });
});

test.each([
  ['a version that there is not', 'weft-sample@9.9.9', () => false, 'package_not_found'],
  ['a name that there is not', 'weft-other', () => false, 'package_not_found'],
  [
    'another tarball than was published',
    'weft-sample',
    ({ url = '' }, response) => {
      if (!url.endsWith('.tgz')) return false;
      response.end('not what was published');
      return true;
    },
    'package_damaged',
  ],
  [
    'a tarball that breaks off',
    'weft-sample',
    ({ url = '' }, response) => {
      if (!url.endsWith('.tgz')) return false;
      response.writeHead(200, { 'content-length': '100000' });
      response.write('some', () => response.destroy());
      return true;
    },
    '(package_damaged|registry_failed)',
  ],
  [
    'a registry that fails',
    'weft-sample',
    (_, response) => {
      response.writeHead(500).end();
      return true;
    },
    'registry_failed',
  ],
  [
    'a registry that breaks off',
    'weft-sample',
    (_, response) => {
      response.destroy();
      return true;
    },
    'registry_failed',
  ],
] satisfies [string, string, NpmRegistry['instead'], string][])(
  '%s is an error with a code, and nothing is left',
  async (_, spec, instead, code) => {
    const server = await registry();
    server.instead = instead;
    const refused = await weft(['add', spec, '--yes'], { env: server.env });
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(new RegExp(`^error: ${code}: `)) });
    expect([
      project.has('node_modules'),
      project.has('weft.config.json'),
      project.has('package.json'),
    ]).toEqual([false, false, false]);
  },
);

test('a registry that is away is an error with a code', async () => {
  const server = await registry();
  await server.close();
  expect(await weft(['add', 'weft-sample', '--yes'], { env: server.env })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^error: registry_failed: /),
  });
});
