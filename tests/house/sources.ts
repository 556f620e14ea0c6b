import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A room of the house, by the name of its folder. */
export type Room = 'shared' | 'engine' | 'server' | 'editor';

/** One source file of the product; its path and those of its imports are relative to the project. */
export interface Source {
  readonly path: string;
  readonly text: string;
  /** Imports of the same room, including type-only imports. */
  readonly imports: readonly string[];
  /** Those of them that are loaded when they are needed (`import('…')`). */
  readonly loads: readonly string[];
  /** A test of its own lies beside it. */
  readonly isTested: boolean;
}

/** Files that exist only for tests have no place in the house. */
const FOR_TESTS = /\.test\.tsx?$|(^|\/)(testing|corpus)\/|\.contract\.ts$|\.cases?\.ts$/;
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+[^'";]*?\s*from\s*'([^']+)'|(?:^|\n)import\s*'([^']+)'|import\(\s*'([^']+)'\s*\)/g;

const LOAD = /import\(\s*'([^']+)'\s*\)/g;

/** The product's files in a room. */
export function sourcesOf(room: Room): Source[] {
  const paths = filesBelow(join(root, room)).map((file) => relative(root, file));
  const tests = new Set(paths.filter((path) => path.includes('.test.')));
  const texts = new Map(
    paths
      .filter((path) => /\.(tsx?|m?js)$/.test(path) && !path.endsWith('.d.ts') && !FOR_TESTS.test(path))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const),
  );
  return [...texts].map(([path, text]) => ({
    path,
    text,
    imports: importsOf(path, text, texts),
    loads: importsOf(path, text, texts, LOAD),
    isTested: tests.has(path.replace(/\.\w+$/, '.test.ts')),
  }));
}

/** The tests in a room, with the files that exist only for them. */
export function testsOf(room: Room | 'tests' | 'bench'): Pick<Source, 'path' | 'text'>[] {
  return filesBelow(join(root, room))
    .map((file) => relative(root, file))
    .filter(
      (path) => /\.(tsx?|m?js)$/.test(path) && (['tests', 'bench'].includes(room) || FOR_TESTS.test(path)),
    )
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/**
 * Programs, files that are loaded by the name of their folder, and what is stored in PostgreSQL, which no setting reaches
 * before several servers can share a database.
 */
const STARTED =
  /^(engine\/operators\/|engine\/check\/(?:index|edit)\.ts$|server\/(admin\/editor-build\/check-editor-size\.ts|weft\.js|storage\/(database\/(postgres\/(open-postgres|postgres-bus)|row-documents)|file-store\/row-blobs)\.ts)$)/;

/** Files of a room that no other file of the product imports, while tests do. */
export function onlyTested(room: Room): string[] {
  const paths = ['shared', 'engine', 'server', 'editor', 'docs', 'tests', 'bench']
    .flatMap((folder) => filesBelow(join(root, folder)))
    .map((file) => relative(root, file))
    .filter((path) => /\.(tsx?|m?js)$/.test(path) && !path.endsWith('.d.ts'));
  const texts = new Map(
    [...paths, 'vite.config.ts'].map((path) => [path, readFileSync(join(root, path), 'utf8')] as const),
  );
  const importers = new Map<string, string[]>();
  for (const [path, text] of texts)
    for (const target of importsOf(path, text, texts))
      importers.set(target, [...(importers.get(target) ?? []), path]);
  const isForTests = (path: string): boolean => FOR_TESTS.test(path) || /^(tests|bench)\//.test(path);
  return [...importers]
    .filter(([path]) => path.startsWith(`${room}/`) && !isForTests(path) && !STARTED.test(path))
    .filter(([, from]) => from.every(isForTests))
    .map(([path]) => path);
}

function importsOf(
  path: string,
  text: string,
  known: ReadonlyMap<string, string>,
  pattern = IMPORT,
): string[] {
  const found = new Set<string>();
  for (const [, ...specifiers] of text.matchAll(pattern)) {
    const specifier = specifiers.find((one) => one !== undefined) ?? '';
    if (!specifier.startsWith('.')) continue;
    const target = join(dirname(path), specifier);
    if (known.has(target)) found.add(target);
  }
  return [...found];
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    if (name === 'node_modules' || name === 'dist' || name.startsWith('.')) return [];
    const path = join(folder, name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
