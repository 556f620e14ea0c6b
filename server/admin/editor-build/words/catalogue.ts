import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findWords } from './find-words.ts';

/**
 * The catalogues of what people read, with the files where it stands; `npm run docs` writes them. The first has the texts of the
 * screens, the second what the engine and the server give to screens and to callers.
 */
export const SCREENS = 'editor/words/editor.json';
const ELSEWHERE = 'editor/words/server.json';

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  [SCREENS]: ['editor'],
  [ELSEWHERE]: ['shared', 'engine', 'server'],
};

/** For a terminal, a database, a developer or another product. */
const NOT_FOR_SCREENS =
  /\.test\.|\.cases\.|\.contract\.|\.d\.ts$|\/testing\/|\/guest\/|^server\/(admin|testing|storage|packages)\/|^engine\/testing|\/node_modules\//;

/** The text of each catalogue, by its file. */
export function writtenCatalogues(root: string): Map<string, string> {
  return new Map(Object.keys(FOLDERS).map((file) => [file, writtenCatalogue(root, file)]));
}

export function writtenCatalogue(root: string, file: string): string {
  const patterns = (FOLDERS[file] ?? []).map((folder) => `${folder}/**/*.{ts,tsx}`);
  const texts = globSync(patterns, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !NOT_FOR_SCREENS.test(path))
    .sort()
    .map((path) => [path, textsOf(root, path, file === SCREENS)] as const)
    .filter(([, found]) => found.length > 0);
  return `${JSON.stringify(Object.fromEntries(texts), null, 2)}\n`;
}

/** Each text once, in the order of the file. */
function textsOf(root: string, path: string, byName: boolean): string[] {
  const words = findWords(path, readFileSync(join(root, path), 'utf8'), { byName });
  return [...new Set(words.map(({ text }) => text).filter((text) => text !== ''))];
}
