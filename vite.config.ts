import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const here = fileURLToPath(new URL('.', import.meta.url));

const ownLogic = /\/(engine|shared)\/[^.]+\.ts$|\/editor\/(model|state)\//;

export default defineConfig({
  root: `${here}editor`,
  plugins: [react(), tailwind()],
  build: {
    outDir: `${here}dist/editor`,
    emptyOutDir: true,
    // Read by editor/check-size.ts.
    manifest: true,
    rolldownOptions: {
      // Small files that several parts of the screen share, in a few chunks instead of one for each set of parts: each chunk is a
      // request, and compresses for itself.
      output: {
        codeSplitting: {
          groups: [
            { name: 'icons', test: /lucide-react/, minShareCount: 2 },
            {
              name: 'model',
              test: ownLogic,
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 12_000,
              // What they import from packages stays where it is, the schema library above all.
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
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
    maxWorkers: 2,
  },
});
