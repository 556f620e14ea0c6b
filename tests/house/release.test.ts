import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/server.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };
const headings = read('CHANGELOG.md').match(/^## .*$/gm) ?? [];

test('the changelog begins with the version of the package, and every version has its day or is not released yet', () => {
  expect(headings[0]).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')} — `));
  expect(
    headings.filter((line) => !/^## \d+\.\d+\.\d+(?: — (?:\d{4}-\d\d-\d\d|not released yet))?$/.test(line)),
  ).toEqual([]);
});

test('everything that names the version names this one', () => {
  const lock = JSON.parse(read('package-lock.json')) as {
    version: string;
    packages: { '': { version: string } };
  };
  const named = [
    lock.version,
    lock.packages[''].version,
    (JSON.parse(read('server/packages/weft-python/package.json')) as { version: string }).version,
    ...[...read('docs/start.md').matchAll(/weft-flow-(\d+\.\d+\.\d+)\.tgz/g)].map(([, found]) => found),
  ];
  expect(named.length).toBeGreaterThan(3);
  expect([...new Set(named)]).toEqual([version]);
});

test('what is new is a page to read in five minutes; every change stands elsewhere', () => {
  const [, newest = ''] = read('CHANGELOG.md').split(/^## /m);
  expect(newest.split(/\s+/).length).toBeLessThan(1500);
  expect(newest).toContain(`docs/changes-${version}.md`);
});
