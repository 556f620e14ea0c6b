import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type BuildDeps, buildEditorIfStale } from './build-editor.ts';
import { tempFolder } from '../../testing/platform-bed.ts';

let root: string;
let builds: number;
let helps: number;
let printed: string[];
let deps: BuildDeps;

beforeEach(async () => {
  root = await tempFolder();
  builds = 0;
  helps = 0;
  printed = [];
  await mkdir(join(root, 'editor/canvas'), { recursive: true });
  await mkdir(join(root, 'editor/.cache'));
  await writeFile(join(root, 'editor/main.tsx'), 'one');
  deps = {
    root,
    say: (text) => printed.push(text),
    build: async () => {
      builds += 1;
      await mkdir(join(root, 'dist/editor'), { recursive: true });
      await writeFile(join(root, 'dist/editor/index.html'), await readFile(join(root, 'editor/main.tsx')));
    },
    buildHelp: async () => {
      helps += 1;
    },
  };
});

test('the editor is built once, and again when a source has changed, come or gone', async () => {
  const main = join(root, 'editor/main.tsx');
  const more = join(root, 'editor/canvas/Canvas.tsx');
  const results = [await buildEditorIfStale(deps), await buildEditorIfStale(deps)];
  for (const change of [() => writeFile(main, 'two'), () => writeFile(more, 'x'), () => rm(more)]) {
    await change();
    results.push(await buildEditorIfStale(deps), await buildEditorIfStale(deps));
  }
  expect(results).toEqual(['built', 'fresh', 'built', 'fresh', 'built', 'fresh', 'built', 'fresh']);
  // The help holds the names of the editor's files.
  expect([builds, helps]).toEqual([4, 4]);
});

test('a changed page of the docs makes the help again, and not the editor', async () => {
  await mkdir(join(root, 'docs'));
  await writeFile(join(root, 'docs/keys.md'), '# Keys');
  await buildEditorIfStale(deps);
  await writeFile(join(root, 'docs/keys.md'), '# All keys');
  expect([await buildEditorIfStale(deps), await buildEditorIfStale(deps)]).toEqual(['built', 'fresh']);
  expect([builds, helps]).toEqual([1, 2]);
});

test('the same content at another time is no change', async () => {
  await buildEditorIfStale(deps);
  await writeFile(join(root, 'editor/main.tsx'), 'one');
  expect(await buildEditorIfStale(deps)).toBe('fresh');
});

test('tests and caches do not make it stale', async () => {
  await buildEditorIfStale(deps);
  await writeFile(join(root, 'editor/canvas/wire.test.ts'), 'x');
  await writeFile(join(root, 'editor/.cache/types.d.ts'), 'x');
  expect(await buildEditorIfStale(deps)).toBe('fresh');
});

test('a removed build is made again', async () => {
  await buildEditorIfStale(deps);
  await rm(join(root, 'dist'), { recursive: true });
  expect(await buildEditorIfStale(deps)).toBe('built');
});

test('without the tools it prints what to do and goes on', async () => {
  expect(await buildEditorIfStale({ ...deps, build: undefined })).toBe('no-tools');
  expect(printed.join()).toContain('npm ci');
});

test('a failed build is reported, and tried again at the next start', async () => {
  const failing = { ...deps, build: () => Promise.reject(new Error('no such file')) };
  expect(await buildEditorIfStale(failing)).toBe('failed');
  expect(printed.join()).toContain('no such file');
  expect(await buildEditorIfStale(deps)).toBe('built');
});
