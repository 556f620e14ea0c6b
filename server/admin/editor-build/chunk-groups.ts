import { join } from 'node:path';
import type { Rolldown } from 'vite';

// Parts of the editor that are loaded by themselves (`import()`), by their files.

/** Every page loads these after its first picture. */
const RAIL = ['shell/GoHint.tsx', 'shell/Rail.tsx'];

/** These too, and stays without them where they do not come. */
const POPUPS = ['ui/MenuPopup.tsx', 'ui/ToastList.tsx', 'ui/TooltipLayer.tsx'];

/** And these when nothing else is to be done. */
const LATER = ['api/service-schemas.ts', 'app/CommandPalette.tsx'];

/** A flow shows these as soon as it is drawn. */
const PANELS = [
  'app/RunMenu.tsx',
  'canvas/CanvasMap.tsx',
  'canvas/EdgeControls.tsx',
  'canvas/NodeTools.tsx',
  'inspector/Inspector.tsx',
  'problems/ProblemsPanel.tsx',
  'runs/RunBar.tsx',
];

/** A flow loads these then, so that they are there when they are needed. */
const PARTS = [
  'api/version-schemas.ts',
  'app/FindNode.tsx',
  'app/FlowGroups.tsx',
  'app/LeaveDialog.tsx',
  'app/ShortcutSheet.tsx',
  'canvas/ConnectDialog.tsx',
  'canvas/RenameDialog.tsx',
  'commands/index.ts',
  'commands/map-value.ts',
  'form/fields/rare.ts',
  'inspector/BehaviourFields.tsx',
  'inspector/DocsTab.tsx',
  'inspector/EdgeInspector.tsx',
  'inspector/InputTab.tsx',
  'inspector/NodeInspector.tsx',
  'inspector/NodeView.tsx',
  'inspector/NoteInspector.tsx',
  'inspector/OutputTab.tsx',
  'inspector/SelectionInspector.tsx',
  'model/check-flow.ts',
  'model/check.ts',
  'model/document/paste.ts',
  'palette/NodePicker.tsx',
  'runs/ResultPanel.tsx',
  'session/hand-run.ts',
  'session/part-runs.ts',
  'session/watch-stale.ts',
  'session/watch-statements.ts',
  'state/as-ran.ts',
  'state/save.ts',
  'versions/LiveChip.tsx',
  'waits/WaitTools.tsx',
];

const CODE_EDITOR = ['form/code/CodeMirror.tsx'];

/** Pages with the fields of an operator, which need much of what a flow has. */
const PAGES_WITH_FIELDS = ['apps/AppScreen.tsx', 'operate/UsageScreen.tsx'];

/** So many pages make it worth while that all of them load a module. */
const MANY_PAGES = 4;

type Modules = ReadonlySet<string>;

/** The ids of the modules of each chunk that is not left to the bundler, from the chunks it made by itself. */
export function chunkGroups(
  output: Rolldown.RolldownOutput['output'],
  root: string,
): Readonly<Record<string, Modules>> {
  const chunks = new Chunks(output, root);
  const first = firstGroups(chunks);
  return { ...first, ...laterGroups(chunks, Object.values(first)) };
}

/**
 * What comes before the first picture: `base` for every page, for each of the two main pages what no other page has, and what they share with
 * parts of other pages that come later.
 */
function firstGroups(chunks: Chunks): Record<string, Modules> {
  const { home, flow } = chunks;
  const base = new Set([
    ...chunks.modulesOf(chunks.entry),
    ...both(chunks.modulesOf(home), chunks.modulesOf(flow)),
  ]);
  const schemas = without(chunks.modulesOf(chunks.of('api/schemas.ts')), base);
  const restOf = (page: string): Modules => without(chunks.modulesOf(page), base, schemas);
  const ownOf = (page: string): Modules => without(restOf(page), chunks.modulesBut(page));
  const [flows, canvas] = [ownOf(home), ownOf(flow)];
  // Of the icons that other pages have too, each page waits for its own alone.
  const homeIcons = without(iconsOf(chunks.modulesOf(home)), base, flows);
  const flowIcons = without(iconsOf(chunks.modulesOf(flow)), base, canvas, homeIcons);
  return {
    base,
    'api-schemas': schemas,
    flows,
    canvas,
    // The modules that other pages load too, or rare parts of them.
    'flows-common': withoutIcons(without(restOf(home), flows)),
    'canvas-common': withoutIcons(without(restOf(flow), canvas)),
    'flows-icons': homeIcons,
    'canvas-icons': flowIcons,
  };
}

/**
 * What comes after the first picture: of every page (`rail`, `popups`, `frame-later`), and of a flow. A flow shows its `panels` at once and has
 * `parts` behind them. Other pages have the `controls` too, those with fields the `fields`, and rare parts of them what is called common.
 * `pages` is what many pages have and a flow has not.
 */
function laterGroups(chunks: Chunks, taken: readonly Modules[]): Record<string, Modules> {
  const all = (sources: readonly string[], ...others: readonly Modules[]): Modules =>
    without(
      new Set(sources.flatMap((source) => [...chunks.modulesOf(chunks.of(source))])),
      ...taken,
      ...others,
    );
  const popups = all(POPUPS);
  const rail = all(RAIL, popups);
  const frame = new Set([...popups, ...rail]);
  const pages = usesOf(chunks, PAGES_WITH_FIELDS);
  const panels = all(PANELS, frame);
  const controls = both(all([...PANELS, ...PARTS, ...LATER], frame), pages);
  const later = all(LATER, frame, panels, controls);
  const parts = all([...PANELS, ...PARTS], frame, later);
  const fields = both(without(parts, controls), all(PAGES_WITH_FIELDS));
  const own = without(parts, controls, fields, chunks.modulesBut(chunks.flow), all(CODE_EDITOR));
  const common = without(parts, controls, fields, own);
  const many = new Set([...pages].flatMap(([id, uses]) => (uses >= MANY_PAGES ? [id] : [])));
  return {
    rail,
    popups,
    'frame-later': withoutIcons(later),
    controls: withoutIcons(controls),
    fields: withoutIcons(fields),
    panels: both(own, panels),
    parts: without(own, panels),
    'panels-common': withoutIcons(both(common, panels)),
    'parts-common': withoutIcons(without(common, panels)),
    'code-editor': all(CODE_EDITOR, frame, later, parts),
    pages: withoutIcons(without(many, ...taken, frame, later, parts)),
  };
}

/** How many pages have a module, but for a flow and these ones. */
function usesOf(chunks: Chunks, butFor: readonly string[]): ReadonlyMap<string, number> {
  const left = new Set([chunks.flow, ...butFor.map((source) => chunks.of(source))]);
  const uses = new Map<string, number>();
  for (const page of chunks.pages())
    if (!left.has(page)) for (const id of chunks.modulesOf(page)) uses.set(id, (uses.get(id) ?? 0) + 1);
  return uses;
}

function iconsOf(modules: Modules): Modules {
  return new Set([...modules].filter((id) => id.includes('lucide-react')));
}

function withoutIcons(modules: Modules): Modules {
  return without(modules, iconsOf(modules));
}

function both(modules: Modules, others: { has(id: string): boolean }): Modules {
  return new Set([...modules].filter((id) => others.has(id)));
}

function without(modules: Modules, ...others: readonly Modules[]): Modules {
  return new Set([...modules].filter((id) => !others.some((other) => other.has(id))));
}

/** The chunks that the bundler makes by itself, by the names of their files. */
class Chunks {
  readonly entry: string;
  readonly home: string;
  readonly flow: string;
  private readonly byFile: ReadonlyMap<string, Rolldown.OutputChunk>;
  private readonly root: string;

  constructor(output: Rolldown.RolldownOutput['output'], root: string) {
    this.byFile = new Map(
      output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])),
    );
    this.root = root;
    this.entry = this.of('index.html');
    this.home = this.of('flows/FlowsScreen.tsx');
    this.flow = this.of('app/EditorRoute.tsx');
  }

  /** The chunk of a file that is loaded by itself. */
  of(source: string): string {
    const wanted = join(this.root, source);
    const found = [...this.byFile.values()].find(({ facadeModuleId }) => facadeModuleId === wanted);
    if (!found) throw new Error(`The editor has no ${source} that is loaded by itself.`);
    return found.fileName;
  }

  pages(): string[] {
    const later = this.byFile.get(this.entry)?.dynamicImports ?? [];
    return later.filter((name) => this.byFile.get(name)?.facadeModuleId?.endsWith('Screen.tsx') === true);
  }

  /** The modules of a chunk and of all its imports. */
  modulesOf(chunk: string): Modules {
    return this.reached(chunk, new Set(), () => []);
  }

  /** All modules of the editor that are reached in another way than through this page, now or later. */
  modulesBut(page: string): Modules {
    return this.reached(this.entry, new Set([page]), ({ dynamicImports }) => dynamicImports);
  }

  private reached(
    from: string,
    seen: Set<string>,
    later: (chunk: Rolldown.OutputChunk) => readonly string[],
  ): Modules {
    const modules = new Set<string>();
    const follow = (name: string): void => {
      const chunk = this.byFile.get(name);
      if (!chunk || seen.has(name)) return;
      seen.add(name);
      for (const id of Object.keys(chunk.modules)) modules.add(id);
      for (const next of [...chunk.imports, ...later(chunk)]) follow(next);
    };
    follow(from);
    return modules;
  }
}
