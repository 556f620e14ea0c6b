import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { runCli } from '../../server/admin/cli/program.ts';
import {
  type NpmRegistry,
  type Published,
  startRegistry,
} from '../../server/admin/cli/testing/npm-registry.ts';
import { type TempProject, tempProject } from '../../server/admin/cli/testing/temp-project.ts';
import { testIo } from '../../server/admin/cli/testing/test-io.ts';
import { packageFolder } from '../support/python.ts';

/** The package for Python, as somebody adds it by its name. */
let project: TempProject;

beforeEach(() => {
  project = tempProject();
});
afterEach(() => project.remove());

async function weft(args: readonly string[], env: Record<string, string> = {}) {
  const io = testIo(project.folder, { env });
  const code = await runCli(args, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

/** A package as it would be published. */
function published(folder: string): Published {
  const args = ['pack', folder, '--pack-destination', project.folder, '--ignore-scripts'];
  const made = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Published['manifest'];
  return { manifest, tarball: readFileSync(project.path(made.trim().split('\n').at(-1) ?? '')) };
}

/** A registry with our package and what it needs, which is installed here for tests. */
async function registry(): Promise<NpmRegistry> {
  const { resolve } = createRequire(import.meta.url);
  const pyodide = dirname(resolve('pyodide/package.json'));
  const others = ['ws', '@types/emscripten'].map((name) => join(dirname(pyodide), name));
  const all = [packageFolder, pyodide, ...others].map(published);
  const started = await startRegistry(all, project.path('npm-cache'));
  onTestFinished(() => started.close());
  return started;
}

function writeFlow(source: string): void {
  const flow = {
    format: 1,
    id: 'py',
    nodes: {
      t: { operator: 'trigger.manual' },
      a: { operator: 'code.python', params: { source, params: { factor: '{{ 1 + 1 }}' } } },
    },
    edges: [{ from: 't.out', to: 'a.in' }],
  };
  project.write('flows/py.json', JSON.stringify(flow));
}

test('a flow with Python says what is missing; `weft add` brings it; then it runs, and asks nobody', async () => {
  writeFlow('print("hello")\nreturn {"n": input["n"] * params["factor"]}');
  expect((await weft(['check', 'flows/py.json'])).out).toContain('`weft add weft-python`');
  const { env, asked } = await registry();
  const added = await weft(['add', 'weft-python', '--yes'], env);
  expect(added).toMatchObject({ code: 0, err: '' });
  expect(added.out).toContain('operators: code.python');
  expect(added.out).toContain('may send requests to: any host');
  expect(added.out).toContain('may use files of its runs: yes');
  expect(asked.filter((path) => path.endsWith('.tgz')).map((path) => path.split('/')[1])).toContain(
    'pyodide',
  );
  const before = asked.length;
  expect(await weft(['check', 'flows/py.json'])).toMatchObject({ code: 0 });
  const ran = await weft(['run', 'py', '--input', '{"n": 4}'], env);
  expect(ran.err).toContain('hello');
  expect(JSON.parse(ran.out)).toEqual({ n: 8 });
  expect(asked.length).toBe(before);
});

test('check names a module that is not there', async () => {
  writeFlow('import json\nimport pandas as pd\nreturn 1');
  const { env } = await registry();
  expect(await weft(['add', packageFolder, '--yes'], env)).toMatchObject({ code: 0 });
  const checked = await weft(['check', 'flows/py.json']);
  expect(checked.code).toBe(1);
  expect(checked.out).toMatch(/error unknown-module .*`pandas` \(line 2\)/);
});
