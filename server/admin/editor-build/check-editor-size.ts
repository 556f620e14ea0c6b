import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { z } from 'zod';
import { builtEditor } from '../../base/files/built-editor.ts';

/**
 * Checks the size of everything that a browser loads before a page of the editor is usable against a budget: `node
 * server/admin/editor-build/check-editor-size.ts` after `vite build`. Scripts and styles together, in KB of brotli. Prefetched files count
 * if they are fetched before the page is usable.
 */
interface Budget {
  readonly page: string;
  /** Chunks that the page needs at its start with all their imports, by their names (`chunk-groups.ts`) or sources. */
  readonly chunks: readonly string[];
  readonly limit: number;
}

const canvas = ['index.html', 'api-schemas', 'canvas'];

export const budgets: readonly Budget[] = [
  { page: 'home', chunks: ['index.html', 'api-schemas', 'flows'], limit: 178 },
  // Until the canvas is usable.
  { page: 'editor', chunks: canvas, limit: 305 },
  {
    page: 'editor with its panels',
    chunks: [...canvas, 'panels'],
    limit: 466,
  },
];

const Manifest = z.record(
  z.string(),
  z.looseObject({
    file: z.string(),
    name: z.string().optional(),
    imports: z.array(z.string()).optional(),
    css: z.array(z.string()).optional(),
  }),
);
type Manifest = z.infer<typeof Manifest>;

export interface PageSize {
  readonly page: string;
  /** KB of brotli. */
  readonly size: number;
  readonly limit: number;
}

export function measureEditor(folder = builtEditor): PageSize[] {
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')));
  const sizes = new Map<string, number>();
  const sizeOf = (file: string): number => {
    const size = sizes.get(file) ?? brotliCompressSync(readFileSync(join(folder, file))).length / 1000;
    sizes.set(file, size);
    return size;
  };
  return budgets.map(({ page, chunks, limit }) => {
    const files = [...filesOf(manifest, chunks)];
    return { page, size: files.reduce((sum, file) => sum + sizeOf(file), 0), limit };
  });
}

function filesOf(manifest: Manifest, names: readonly string[]): Set<string> {
  const [files, seen] = [new Set<string>(), new Set<string>()];
  const follow = (key: string): void => {
    if (seen.has(key)) return;
    seen.add(key);
    const chunk = manifest[key];
    if (!chunk) throw new Error(`The build has no chunk for ${key}; name its replacement in this file.`);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const next of chunk.imports ?? []) follow(next);
  };
  for (const name of names) follow(keyOf(manifest, name));
  return files;
}

function keyOf(manifest: Manifest, name: string): string {
  return name in manifest
    ? name
    : (Object.keys(manifest).find((key) => manifest[key]?.name === name) ?? name);
}

if (import.meta.main) {
  const sizes = measureEditor();
  for (const { page, size, limit } of sizes) {
    const verdict = size > limit ? 'too large' : 'ok';
    process.stdout.write(`${page}: ${size.toFixed(1)} of ${limit} KB brotli, ${verdict}\n`);
  }
  if (sizes.some(({ size, limit }) => size > limit)) process.exitCode = 1;
}
