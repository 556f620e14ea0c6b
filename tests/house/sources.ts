import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A room of the house, as its folder is named. */
export type Room = 'shared' | 'engine' | 'server' | 'editor';

/** One source file of the product; its path and those of its imports are relative to the project. */
export interface Source {
  readonly path: string;
  readonly text: string;
  /** Of the same room, those for types alone included. */
  readonly imports: readonly string[];
}

/** What is there for tests alone has no place in the house. */
const FOR_TESTS = /\.test\.tsx?$|(^|\/)(testing|corpus)\/|\.contract\.ts$|\.cases?\.ts$/;
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(?:[^'";]|\n)*?\s*from\s*'([^']+)'|(?:^|\n)import\s*'([^']+)'|import\(\s*'([^']+)'\s*\)/g;

/** The files of a room that the product is made of. */
export function sourcesOf(room: Room): Source[] {
  const texts = new Map(
    filesBelow(join(root, room))
      .map((file) => relative(root, file))
      .filter((path) => /\.(tsx?|m?js)$/.test(path) && !path.endsWith('.d.ts') && !FOR_TESTS.test(path))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const),
  );
  return [...texts].map(([path, text]) => ({ path, text, imports: importsOf(path, text, texts) }));
}

function importsOf(path: string, text: string, known: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>();
  for (const [, from, bare, lazy] of text.matchAll(IMPORT)) {
    const specifier = from ?? bare ?? lazy ?? '';
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
