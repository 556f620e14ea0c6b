import { build, type Plugin, type Rolldown } from 'vite';
import { chunkGroups } from './chunk-groups.ts';

/**
 * Puts what a page needs before its first picture, and what comes right after it, into few chunks: each chunk is a request and
 * compresses for itself, and the automatic splitting makes two hundred of them for a flow, which cost 100 KB more. Which modules a page
 * needs is known only once exports that nobody uses are left out, so the editor is put together once without being written, and its
 * chunks are read.
 */
export function editorChunks(root: string, plugins: () => readonly unknown[]): Plugin {
  return {
    name: 'editor-chunks',
    apply: 'build',
    async config() {
      const groups = chunkGroups((await dryBuild(root, plugins())).output, root);
      const codeSplitting = {
        includeDependenciesRecursively: false,
        groups: [
          ...Object.entries(groups).map(([name, ids]) => ({
            name,
            test: (id: string) => ids.has(id),
            priority: 2,
          })),
          // The icons that several other parts of the screen share.
          { name: 'icons', test: /lucide-react/, minShareCount: 2, priority: 1 },
        ],
      };
      return { build: { rolldownOptions: { output: { codeSplitting } } } };
    },
  };
}

/** Importing a file of these rooms does nothing by itself, so what is taken from their doors decides what is loaded when. */
export const treeshake = {
  moduleSideEffects: (id: string): boolean => !/\/(engine|shared)\/[^.]+\.ts$/.test(id),
};

async function dryBuild(root: string, plugins: readonly unknown[]): Promise<Rolldown.RolldownOutput> {
  const withoutStyles: Plugin = {
    name: 'without-styles',
    enforce: 'pre',
    load: (id) => (id.endsWith('.css') ? '' : undefined),
  };
  const built = await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [withoutStyles, ...(plugins as Plugin[])],
    build: { write: false, minify: false, rolldownOptions: { treeshake } },
  });
  return built as Rolldown.RolldownOutput;
}
