import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { joinRegistries, makeLazyRegistry, makeRegistry, type Operator, type Registry } from '#engine';
import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { loadsLightly } from '../process/light-start.js';
import { findOperatorFiles, type OperatorFile } from './operator-files.ts';

const BUILT_IN = fileURLToPath(new URL('../../../engine/operators/', import.meta.url));

/** The descriptions of the built-in operators, by type, each with the hash of the file that it was made from. */
type KeptCatalog = Readonly<Record<string, { readonly source: string; readonly info: OperatorInfo }>>;

/** The file that `npm run docs` writes them to. */
export const KEPT_CATALOG = fileURLToPath(new URL('../../../engine/operators/catalog.json', import.meta.url));

/** All built-in operators. A fault in one is a bug and throws. `keptCatalog` is another file in tests. */
export async function loadBuiltIn(keptCatalog = KEPT_CATALOG): Promise<Registry> {
  const { files } = await findOperatorFiles(BUILT_IN);
  return loadsLightly() ? await loadLater(files, keptCatalog) : await loadNow(files);
}

/**
 * The operators of a starting server: each is loaded when a flow with it is first compiled, and described from the
 * stored catalog before. One that was edited since is loaded and described at once.
 */
async function loadLater(files: readonly OperatorFile[], keptCatalog: string): Promise<Registry> {
  const kept = readKept(keptCatalog);
  const isKept = ({ type, path }: OperatorFile): boolean => kept[type]?.source === hashOf(path);
  const known = new Map(files.filter(isKept).map(({ type, path }) => [type, path]));
  const described = [...known.keys()].map((type) => [type, kept[type]?.info] as const);
  const catalog = { operators: Object.fromEntries(described) } as Catalog;
  const require = createRequire(import.meta.url);
  const load = (type: string): Operator =>
    (require(known.get(type) as string) as { default: Operator }).default;
  const edited = files.filter(({ type }) => !known.has(type));
  return joinRegistries(makeLazyRegistry(catalog, load), await loadNow(edited));
}

async function loadNow(files: readonly OperatorFile[]): Promise<Registry> {
  return makeRegistry(new Map(await Promise.all(files.map(importBuiltIn))));
}

async function importBuiltIn({ path, type }: OperatorFile): Promise<[string, Operator]> {
  const { default: operator } = (await import(pathToFileURL(path).href)) as { default: Operator };
  return [type, operator];
}

function readKept(path: string): KeptCatalog {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as KeptCatalog;
  } catch {
    return {};
  }
}

/** The text of that file: a line for each operator. */
export async function writtenCatalog(): Promise<string> {
  const { files } = await findOperatorFiles(BUILT_IN);
  const { operators } = (await loadNow(files)).catalog;
  const lines = files.map(({ type, path }) => {
    const kept = { source: hashOf(path), info: operators[type] };
    return `${JSON.stringify(type)}: ${JSON.stringify(kept)}`;
  });
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** Ignores the line ends of Windows, which Git may write. */
function hashOf(path: string): string {
  return hash('sha1', readFileSync(path, 'utf8').replaceAll('\r\n', '\n'));
}
