import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emit } from './emit.ts';
import { closureOf, editorPackages } from './third-party.ts';

const root = join(import.meta.dirname, '../../..');
const rename = (name: string): string => (name === 'far' ? '../vendor/far.js' : name.replace(/\.ts$/, '.js'));

test('types become blanks, so that every line and column stays, and imports lead to JavaScript', () => {
  const source = [
    `import { a, type B } from './a.ts';`,
    `export * from '#shared/b.ts';`,
    `const c: B = a as B;`,
    `const later = () => import('./c.ts');`,
    `const child = new URL('./child.ts', import.meta.url);`,
    `const text = "import('./not.ts')"; // from './neither.ts'`,
  ].join('\n');
  const { text, imports, addresses } = emit(source, true, rename);
  expect(text.split('\n').map((line) => line.length)).toEqual(source.split('\n').map((line) => line.length));
  expect(text).toContain(`from './a.js'`);
  expect(text).toContain(`from '#shared/b.js'`);
  expect(text).toContain(`import('./c.js')`);
  expect(text).toContain(`new URL('./child.js', import.meta.url)`);
  expect(text).toContain(`"import('./not.ts')"; // from './neither.ts'`);
  expect(text).not.toMatch(/: B|as B|type B/);
  expect([imports.toSorted(), addresses]).toEqual([['#shared/b.ts', './a.ts', './c.ts'], ['./child.ts']]);
});

test('an import of types alone leads nowhere', () => {
  const { imports } = emit(`import type { A } from './a.ts';\nexport type { A };`, true, rename);
  expect(imports).toEqual([]);
});

test('a package gets another name, wherever it is imported', () => {
  const { text } = emit(`#!/usr/bin/env node\nimport 'far'; const far = () => import('far');`, false, rename);
  expect(text).toBe(
    `#!/usr/bin/env node\nimport '../vendor/far.js'; const far = () => import('../vendor/far.js');`,
  );
});

test('a package is listed with all that it needs, from the folder that it finds it in', () => {
  const lock = {
    'node_modules/a': {
      version: '1.0.0',
      dependencies: { b: '1', c: '1' },
      optionalDependencies: { none: '1', d: '1' },
    },
    'node_modules/a/node_modules/b': { version: '1.0.0', peerDependencies: { c: '1' } },
    'node_modules/b': { version: '2.0.0' },
    'node_modules/c': { version: '1.0.0' },
    'node_modules/d': { version: '1.0.0' },
    'node_modules/other': { version: '1.0.0' },
  };
  const needed = ['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c'];
  expect([...closureOf(['a'], lock)].sort()).toEqual([...needed, 'node_modules/d']);
  expect([...closureOf(['a'], lock, false)].sort()).toEqual(needed);
});

test('the packages of the editor are found in its sources', () => {
  const found = editorPackages(root);
  expect(found).toEqual(
    expect.arrayContaining(['react', '@xyflow/react', '@fontsource-variable/inter', 'elkjs']),
  );
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, object>;
  };
  expect(found.filter((name) => packages[`node_modules/${name}`] === undefined)).toEqual([]);
});
