import { afterEach, beforeEach, expect, test } from 'vitest';
import { scanCodeFiles } from './flow-files.ts';
import { type TempProject, tempProject } from '../../admin/cli/testing/temp-project.ts';
import { loadCodeFlows } from './code-flows.ts';

let project: TempProject;

beforeEach(() => {
  project = tempProject();
});

afterEach(() => project.remove());

const good = (id: string) => `import { flow } from '#weft';
export default flow('${id}', (f) => f.trigger.manual().map((n: unknown) => n));
`;

const load = (timeoutMs = 10_000) => loadCodeFlows(scanCodeFiles([project.folder]), timeoutMs);

test('each flow is loaded, wherever its file lies', async () => {
  project.write('a.ts', good('a'));
  project.write('deep/b.ts', good('b'));
  const loaded = await load();
  expect(loaded.map(({ file, code, problem }) => [file.shown, code?.id, problem])).toEqual([
    ['a.ts', 'a', undefined],
    ['deep/b.ts', 'b', undefined],
  ]);
});

test('helpers, tests, type files and hidden folders are no flows', async () => {
  for (const name of ['_helper.ts', 'a.test.ts', 'a.d.ts', '.b.ts', '.drafts/c.ts', 'd.js'])
    project.write(name, 'throw new Error("must not be loaded")');
  expect(await load()).toEqual([]);
});

test('a broken file affects only itself, and its problem has the place of the error', async () => {
  project.write('good.ts', good('good'));
  project.write('syntax.ts', 'const a = 1;\nconst b = ;\n');
  project.write('throws.ts', `${good('throws')}\nthrow new Error('no luck');\n`);
  project.write('exits.ts', 'process.exit(3);\n');
  project.write('endless.ts', 'for (;;) {}\n');
  project.write('waits.ts', 'await new Promise(() => setInterval(() => {}, 1000));\n');
  project.write('nothing.ts', 'export const a = 1;\n');
  project.write('renamed.ts', good('other'));
  project.write('zz_good.ts', good('zz_good'));
  const loaded = await load(1500);
  const problems = Object.fromEntries(
    loaded.map(({ file, code, problem }) => [file.id, code ? 'good' : problem]),
  );
  const broken = (more: object) => ({ code: 'broken-code', severity: 'error', ...more });
  expect(problems).toEqual({
    good: 'good',
    zz_good: 'good',
    syntax: broken({ message: expect.stringContaining('xpression expected'), line: 2, column: 11 }),
    throws: broken({ message: 'no luck', line: 4, column: 7 }),
    exits: broken({ message: expect.stringContaining('exit code 3') }),
    endless: broken({ message: 'It did not load within 1500 ms.' }),
    waits: broken({ message: 'It did not load within 1500 ms.' }),
    nothing: broken({ message: expect.stringContaining('exports no flow') }),
    renamed: broken({ message: expect.stringContaining('the id other') }),
  });
});

test('parts that cannot be drawn are reported with their line', async () => {
  project.write(
    'twice.ts',
    `import { flow } from '#weft';
export default flow('twice', (f) => {
  const t = f.trigger.manual();
  t.map((v) => v, { id: 'same' });
  t.map((v) => v, { id: 'same' });
});
`,
  );
  expect((await load())[0]?.problem).toMatchObject({
    message: expect.stringContaining('called same'),
    line: 5,
  });
});
