import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linkedFiles } from '../support/markdown.ts';
import { root } from '../support/server.ts';

const pagesIn = (folder: string, recursive = false): string[] =>
  readdirSync(join(root, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

const pages = [...pagesIn('.'), ...pagesIn('docs', true), ...pagesIn('flows', true)];

test.each(pages)('%s links to files that are there', (page) => {
  expect(linkedFiles(page).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test.each(['docs', 'docs/how-to'])('the first page of %s leads to every page', (folder) => {
  const first = join(folder, 'README.md');
  const listed = new Set(linkedFiles(first));
  expect(pagesIn(folder).filter((page) => !listed.has(page) && page !== first)).toEqual([]);
});
