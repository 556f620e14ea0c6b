import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataTexts, type Fresh } from './data-texts.ts';
import { findWords } from './find-words.ts';
import { wordsOfPage } from './html-words.ts';

/**
 * The catalogues of the texts that people read, with the files of each; `npm run docs` writes them. The first has the texts of the
 * screens, the second what the engine and the server give to screens and to callers, the third what stands in data or is made from
 * names.
 */
export const SCREENS = 'editor/words/editor.json';
const ELSEWHERE = 'editor/words/server.json';
const IN_DATA = 'editor/words/data.json';

const FILES: Readonly<Record<string, readonly string[]>> = {
  [SCREENS]: ['editor/**/*.{ts,tsx,html}'],
  [ELSEWHERE]: ['{shared,engine,server}/**/*.{ts,tsx}'],
};

/** For a terminal, a database, a developer or another product. */
const NOT_FOR_SCREENS =
  /\.test\.|\.cases\.|\.contract\.|\.d\.ts$|\/testing\/|\/guest\/|^server\/(admin|testing|storage|packages)\/|^engine\/testing|\/node_modules\//;

/** The text of each catalogue, by its file. `fresh`: files that are written in the same step. */
export function writtenCatalogues(root: string, fresh?: Fresh): Map<string, string> {
  const catalogues = new Map(Object.keys(FILES).map((file) => [file, writtenCatalogue(root, file)]));
  const known = new Set([...catalogues.values()].flatMap((text) => Object.values(JSON.parse(text)).flat()));
  const inData = dataTexts(root, known as ReadonlySet<string>, fresh);
  return catalogues.set(IN_DATA, `${JSON.stringify(inData, null, 2)}\n`);
}

export function writtenCatalogue(root: string, file: string): string {
  const texts = globSync([...(FILES[file] ?? [])], { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !NOT_FOR_SCREENS.test(path))
    .sort()
    .map((path) => [path, textsOf(root, path, file === SCREENS)] as const)
    .filter(([, found]) => found.length > 0);
  return `${JSON.stringify(Object.fromEntries(texts), null, 2)}\n`;
}

/** Each text once, in the order of the file. */
function textsOf(root: string, path: string, byName: boolean): string[] {
  const source = readFileSync(join(root, path), 'utf8');
  const words = path.endsWith('.html') ? wordsOfPage(source) : findWords(path, source, { byName });
  return [...new Set(words.map(({ text }) => text).filter((text) => text !== ''))];
}
