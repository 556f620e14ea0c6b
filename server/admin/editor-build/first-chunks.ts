import { join } from 'node:path';
import { build, type Plugin, type Rolldown } from 'vite';

/**
 * Puts what a page needs before its first picture into few chunks: each chunk is a request and compresses for itself, and
 * the automatic splitting makes a hundred of them for the editor, which cost 40 KB more. Which modules a page needs is known only once exports that
 * nobody uses are left out, so the editor is put together once without being written, and its chunks are read.
 */
export function firstChunks(root: string, plugins: () => readonly unknown[]): Plugin {
  return {
    name: 'first-chunks',
    apply: 'build',
    async config() {
      const groups = groupsOf(chunksByName(await dryBuild(root, plugins())), root);
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

type Chunks = ReadonlyMap<string, Rolldown.OutputChunk>;
type Modules = ReadonlySet<string>;

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

function chunksByName({ output }: Rolldown.RolldownOutput): Chunks {
  return new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])));
}

/**
 * The modules of each chunk: `base` for every page, for each of the two pages what no other page has, and what the editor shares
 * with parts of other pages that come later.
 */
function groupsOf(chunks: Chunks, root: string): Record<string, Modules> {
  const of = (source: string): string => {
    const found = [...chunks.values()].find(({ facadeModuleId }) => facadeModuleId === join(root, source));
    if (!found) throw new Error(`The editor has no ${source} that is loaded by itself.`);
    return found.fileName;
  };
  const [entry, flows, canvas] = [of('index.html'), of('flows/FlowsScreen.tsx'), of('app/EditorRoute.tsx')];
  const [home, editor] = [modulesOf(chunks, flows), modulesOf(chunks, canvas)];
  const base = new Set([...modulesOf(chunks, entry), ...[...home].filter((id) => editor.has(id))]);
  const schemas = without(modulesOf(chunks, of('api/schemas.ts')), base);
  const ownOf = (page: Modules, chunk: string): Modules =>
    without(page, base, schemas, modulesOf(chunks, entry, { butFor: chunk }));
  const own = { flows: ownOf(home, flows), canvas: ownOf(editor, canvas) };
  // Of the icons that other pages have too, each page waits for its own alone.
  const homeIcons = without(iconsOf(home), base, own.flows);
  const editorIcons = without(iconsOf(editor), base, own.canvas, homeIcons);
  // The modules that rare parts of other pages load too.
  const common = without(editor, base, schemas, own.canvas, iconsOf(editor));
  return {
    base,
    'api-schemas': schemas,
    ...own,
    'canvas-common': common,
    'flows-icons': homeIcons,
    'canvas-icons': editorIcons,
  };
}

function iconsOf(modules: Modules): Modules {
  return new Set([...modules].filter((id) => id.includes('lucide-react')));
}

function without(modules: Modules, ...others: readonly Modules[]): Modules {
  return new Set([...modules].filter((id) => !others.some((other) => other.has(id))));
}

/** The modules of a chunk and of all its imports; with `butFor` also those that they load later, except through that chunk. */
function modulesOf(chunks: Chunks, from: string, { butFor }: { butFor?: string } = {}): Modules {
  const seen = new Set(butFor === undefined ? [] : [butFor]);
  const modules = new Set<string>();
  const follow = (name: string): void => {
    const chunk = chunks.get(name);
    if (!chunk || seen.has(name)) return;
    seen.add(name);
    for (const id of Object.keys(chunk.modules)) modules.add(id);
    for (const next of chunk.imports) follow(next);
    if (butFor !== undefined) for (const next of chunk.dynamicImports) follow(next);
  };
  follow(from);
  return modules;
}
