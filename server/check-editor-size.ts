import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';

/**
 * What a browser loads before a page of the editor can be used, against its budget: `node server/check-editor-size.ts` after
 * `vite build`. JavaScript and CSS, in KB of gzip.
 */
interface Budget {
  readonly page: string;
  /** Sources whose chunks the page needs at its start, with all that these import. */
  readonly sources: readonly string[];
  readonly js: number;
  readonly css: number;
}

const entry = 'index.html';
const canvas = [entry, 'shell/EditorRoute.tsx', 'api/schemas.ts'];

export const budgets: readonly Budget[] = [
  { page: 'home', sources: [entry, 'flows/FlowsScreen.tsx'], js: 210, css: 20 },
  // Until one can draw.
  { page: 'editor', sources: canvas, js: 370, css: 20 },
  {
    page: 'editor with its panels',
    sources: [...canvas, 'inspector/Inspector.tsx', 'problems/ProblemsPanel.tsx'],
    js: 440,
    css: 20,
  },
];

const Manifest = z.record(
  z.string(),
  z.looseObject({
    file: z.string(),
    imports: z.array(z.string()).optional(),
    css: z.array(z.string()).optional(),
  }),
);
type Manifest = z.infer<typeof Manifest>;

export interface PageSize {
  readonly page: string;
  readonly kind: 'js' | 'css';
  /** KB of gzip. */
  readonly size: number;
  readonly limit: number;
}

const builtEditor = fileURLToPath(new URL('../dist/editor', import.meta.url));

export function measureEditor(folder = builtEditor): PageSize[] {
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')));
  const size = (files: ReadonlySet<string>): number => {
    const bytes = [...files].map((file) => gzipSync(readFileSync(join(folder, file))).length);
    return bytes.reduce((sum, n) => sum + n, 0) / 1000;
  };
  return budgets.flatMap(({ page, sources, js, css }) => {
    const files = filesOf(manifest, sources);
    return [
      { page, kind: 'js', size: size(files.js), limit: js },
      { page, kind: 'css', size: size(files.css), limit: css },
    ];
  });
}

function filesOf(manifest: Manifest, sources: readonly string[]): { js: Set<string>; css: Set<string> } {
  const [js, css, seen] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const follow = (key: string): void => {
    if (seen.has(key)) return;
    seen.add(key);
    const chunk = manifest[key];
    if (!chunk) throw new Error(`The build has no chunk for ${key}; name what took its place in this file.`);
    js.add(chunk.file);
    for (const file of chunk.css ?? []) css.add(file);
    for (const next of chunk.imports ?? []) follow(next);
  };
  for (const source of sources) follow(source);
  return { js, css };
}

if (import.meta.main) {
  const sizes = measureEditor();
  for (const { page, kind, size, limit } of sizes) {
    const verdict = size > limit ? 'too large' : 'ok';
    process.stdout.write(`${page} ${kind}: ${size.toFixed(1)} of ${limit} KB gzip, ${verdict}\n`);
  }
  if (sizes.some(({ size, limit }) => size > limit)) process.exitCode = 1;
}
