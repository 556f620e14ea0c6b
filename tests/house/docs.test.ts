import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

test('the list of services counts all triggers of each, those that are called too', () => {
  const list = readFileSync(join(root, 'docs/reference/shipped-services.md'), 'utf8');
  const counted = [...list.matchAll(/\(services\/([\w-]+)\.md\).* (\d+) \|$/gm)].map(([, id, count]) => [
    id,
    Number(count),
  ]);
  const shipped = join(root, 'server/integrations/services/shipped');
  const files = readdirSync(shipped).map(
    (file) => JSON.parse(readFileSync(join(shipped, file), 'utf8')) as { id: string; triggers?: unknown[] },
  );
  expect(Object.fromEntries(counted)).toEqual(
    Object.fromEntries(files.map(({ id, triggers = [] }) => [id, triggers.length])),
  );
});

test('the page of n8n lists as many of the most used types as it says', () => {
  const [, used = ''] = readFileSync(join(root, 'docs/reference/import-n8n.md'), 'utf8').split(/^## .*$/m);
  const [, said] = /the (\d+) most used types/.exec(used) ?? [];
  expect([...used.matchAll(/^\| `/gm)].length).toBe(Number(said));
});
