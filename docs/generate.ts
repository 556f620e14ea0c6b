import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KEPT_CATALOG, writtenCatalog } from '../server/base/authored/built-in.ts';
import { loadOperators } from '../server/base/authored/load-operators.ts';
import { readShippedFiles, writtenShippedCatalog } from '../server/integrations/services/shipped.ts';
import { kindsInFolders, staleLists } from './connection-kinds.ts';
import { errorsPage, problemsPage } from './pages/codes.ts';
import { writtenCatalogues } from '../server/admin/editor-build/words/catalogue.ts';
import { connectionsPage } from './pages/connections.ts';
import { difyPage } from './pages/dify.ts';
import { expressionsPage } from './pages/expressions.ts';
import { foreignExpressionsPage } from './pages/foreign-expressions.ts';
import { flowFormatPage } from './pages/flow-format.ts';
import { httpApiPage } from './pages/http-api.ts';
import { operatorPages } from './pages/operators.ts';
import { servicesPage } from './pages/services.ts';
import { shippedServicePages } from './pages/shipped-services.ts';
import { settingsPage } from './pages/settings.ts';
import { templatesPage } from './pages/templates.ts';
import { readTemplates } from '../server/flows/templates/templates.ts';
import { importN8nPage } from './pages/import-n8n.ts';
import { importTablePage } from './pages/original-flows.ts';

/**
 * Writes the reference pages from the objects that they describe: `npm run docs`. With `--check` it writes nothing and
 * fails when a page is stale.
 */
const REFERENCE = fileURLToPath(new URL('reference/', import.meta.url));
const PROJECT = fileURLToPath(new URL('..', import.meta.url));
/** They hold generated pages only, so one that nothing generates any more is stale. */
const FOLDERS = ['operators', 'services'];

async function generatedPages(): Promise<Map<string, string>> {
  const { registry } = await loadOperators({ builtIn: true });
  const pages: Record<string, string> = {
    ...operatorPages(registry.catalog),
    'errors.md': errorsPage(),
    'problems.md': problemsPage(),
    'flow-format.md': flowFormatPage(),
    'expressions.md': expressionsPage(),
    'foreign-expressions.md': foreignExpressionsPage(),
    'connections.md': connectionsPage(await kindsInFolders(), Object.values(registry.catalog.operators)),
    'services.md': servicesPage(),
    ...shippedServicePages(await readShippedFiles()),
    'settings.md': settingsPage(),
    'http-api.md': await httpApiPage(),
    'import-table.md': importTablePage(),
    'import-dify.md': difyPage(),
    'import-n8n.md': importN8nPage(),
    'templates.md': templatesPage(await readTemplates()),
  };
  return new Map(Object.entries(pages));
}

async function isFresh(file: string, text: string): Promise<boolean> {
  return (await readFile(join(REFERENCE, file), 'utf8').catch(() => undefined)) === text;
}

async function surplusPages(pages: ReadonlyMap<string, string>): Promise<string[]> {
  const files = await Promise.all(
    FOLDERS.map(async (folder) => {
      const names = await readdir(join(REFERENCE, folder)).catch(() => []);
      return names.map((name) => `${folder}/${name}`);
    }),
  );
  return files.flat().filter((file) => !pages.has(file));
}

async function write(file: string, text: string): Promise<void> {
  const path = join(REFERENCE, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Not a page, but made from the same objects: what a start reads in place of the operators. */
const catalog = await writtenCatalog();
/** Likewise, of the services; and what people read on screens. */
const shipped = [[KEPT_CATALOG, catalog] as const, ...(await writtenShippedCatalog())];
const texts = [...writtenCatalogues(PROJECT, new Map(shipped))].map(
  ([file, text]) => [join(PROJECT, file), text] as const,
);
const catalogs = new Map([...shipped, ...texts]);
const isFileFresh = async (file: string, text: string): Promise<boolean> =>
  (await readFile(file, 'utf8').catch(() => undefined)) === text;
const staleCatalogs: string[] = [];
for (const [file, text] of catalogs) if (!(await isFileFresh(file, text))) staleCatalogs.push(file);
const isCatalogFresh = staleCatalogs.length === 0;

/** Not pages either; they are written before anything else. */
const lists = [...(await staleLists()).keys()].map((file) => relative(PROJECT, fileURLToPath(file)));

const pages = await generatedPages();
const stale: string[] = [];
for (const [file, text] of pages) if (!(await isFresh(file, text))) stale.push(file);
const surplus = await surplusPages(pages);

if (process.argv.includes('--check')) {
  for (const file of [...stale, ...surplus])
    console.error(`docs/reference/${file} is stale; run npm run docs.`);
  if (!isCatalogFresh) console.error('A catalog of operators or of texts is stale; run npm run docs.');
  for (const file of lists) console.error(`${file} is stale; run npm run docs.`);
  if (stale.length + surplus.length + lists.length > 0 || !isCatalogFresh) process.exitCode = 1;
} else {
  for (const file of staleCatalogs) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, catalogs.get(file) as string);
  }
  for (const file of stale) await write(file, pages.get(file) as string);
  for (const file of surplus) await rm(join(REFERENCE, file));
  console.log(`${pages.size} pages, ${stale.length} written, ${surplus.length} removed.`);
}
