import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build, type Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const here = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root: `${here}editor`,
  plugins: [react(), tailwind(), docsPage()],
  build: {
    outDir: `${here}dist/editor`,
    emptyOutDir: true,
    // Read by editor/check-size.ts.
    manifest: true,
    rolldownOptions: {
      // The icons that several parts of the screen share, in one chunk: each chunk is a request, and compresses for itself.
      output: { codeSplitting: { groups: [{ name: 'icons', test: /lucide-react/, minShareCount: 2 }] } },
      // Importing a file of these rooms does nothing by itself, so what is taken from their doors decides what is loaded when.
      treeshake: { moduleSideEffects: (id: string) => !/\/(engine|shared)\/[^.]+\.ts$/.test(id) },
    },
  },
  test: {
    root: here,
    // For files that tests write elsewhere; Node itself is told by server/authored/import-file.ts.
    alias: { '#weft': `${here}server/authored/door.ts` },
    include: [process.env['TEST_INCLUDE'] ?? '{shared,engine,server,editor,tests}/**/*.test.ts'],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    maxWorkers: Number(process.env['TEST_WORKERS'] ?? 2),
  },
});

/** Builds `docs.html` beside the editor. As a second page of the same build it would cost the editor's first page 9 KB and 60 chunks. */
function docsPage(): Plugin {
  let outDir = '';
  return {
    name: 'docs-page',
    apply: 'build',
    configResolved(config) {
      outDir = config.build.outDir;
    },
    async closeBundle() {
      await build({
        configFile: false,
        root: `${here}editor`,
        logLevel: 'warn',
        build: { outDir, emptyOutDir: false, rolldownOptions: { input: `${here}editor/docs.html` } },
      });
    },
  };
}
