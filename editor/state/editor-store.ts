import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { EditorWorld } from '../model/editor-world.ts';
import { type Doc, type EdgeId, edgeId, emptyDoc } from '../model/document/document.ts';
import {
  commit,
  emptyHistory,
  type History,
  type MergeKey,
  type Recipe,
  redo,
  undo,
} from '../model/document/history.ts';
import { flatFlow, nodeIn } from '../model/document/flat.ts';

/** `conflict`: the server has changes that clash with those made here; `failed`: the last save was refused, or did not arrive. */
export type SaveState = 'saved' | 'unsaved' | 'saving' | 'conflict' | 'failed';

/**
 * The edited flow.
 *
 * E1. `doc` changes only through `commit`, `undo`, `redo` and `load`; every change but `load` can be undone.
 * E2. The selection only contains what exists in `doc`.
 * E3. `problems` are those of `doc` as `check` sees them, at the latest a moment after the change (`refreshProblems`).
 * E4. `saved` is the document as the server has it; the flow is unsaved if and only if `doc` differs from it.
 */
export interface EditorState {
  readonly doc: Doc;
  readonly saved: Doc;
  /** Revision of `saved` on the server. */
  readonly revision: string | undefined;
  readonly saveState: SaveState;
  readonly history: History;
  readonly selectedNodes: ReadonlySet<string>;
  readonly selectedEdges: ReadonlySet<EdgeId>;
  /** Sticky notes, by the id in the layout file. */
  readonly selectedNotes: ReadonlySet<string>;
  readonly catalog: Catalog;
  readonly world: EditorWorld;
  readonly problems: readonly Problem[];
  /** The flow that `problems` are of; undefined before the first check. */
  readonly checked: Flow | undefined;
  /** Problems of the last save that only the server can find; `problems` includes them. */
  readonly told: readonly Problem[];
  /** Begins anew with a document of the server: nothing is selected, and nothing can be undone. */
  load(doc: Doc, revision: string | undefined): void;
  setCatalog(catalog: Catalog, world: EditorWorld): void;
  /** Changes `doc` as one step, which `label` names in the history; steps of one `mergeKey` may be joined (`MergeKey`). */
  commit(label: string, recipe: Recipe<Doc>, mergeKey?: MergeKey): void;
  undo(): void;
  redo(): void;
  /** Replaces the selection; ids that are not in `doc` are left out. */
  select(nodes: Iterable<string>, edges?: Iterable<EdgeId>, notes?: Iterable<string>): void;
  setSaveState(state: SaveState): void;
  /** The server has stored `doc` as `revision`. Edits made in the meantime stay unsaved. */
  markSaved(doc: Doc, revision: string): void;
  /** Checks `doc` soon; whoever asks often in the meantime gets one check. */
  refreshProblems(): void;
}

export type EditorStore = StoreApi<EditorState>;

type Selection = Pick<EditorState, 'selectedNodes' | 'selectedEdges' | 'selectedNotes'>;

const nothingSelected: Selection = {
  selectedNodes: new Set(),
  selectedEdges: new Set(),
  selectedNotes: new Set(),
};

type Check = (
  flow: Flow,
  catalog: Catalog,
  world: EditorWorld,
) => readonly Problem[] | Promise<readonly Problem[]>;
type LoadCheck = () => Promise<Check>;

/** `loadCheck`: the checks are large and not needed for drawing, so the screen decides when to load them. */
export function createEditorStore(
  now: () => number = () => Date.now(),
  loadCheck: LoadCheck = async () => (await import('../model/check.ts')).check,
): EditorStore {
  return createStore<EditorState>()((set, get) => ({
    doc: emptyDoc('untitled'),
    saved: emptyDoc('untitled'),
    revision: undefined,
    saveState: 'saved',
    history: emptyHistory,
    ...nothingSelected,
    catalog: { operators: {} },
    world: { routes: [], variables: undefined, secrets: undefined },
    problems: [],
    checked: undefined,
    told: [],

    load: (doc, revision) => {
      set({
        doc,
        saved: doc,
        revision,
        saveState: 'saved',
        history: emptyHistory,
        ...nothingSelected,
      });
      get().refreshProblems();
    },
    setCatalog: (catalog, world) => {
      // What databases say of statements comes apart from the rest of the world.
      const { statements } = { ...get().world, ...world };
      set({ catalog, world: { ...world, statements } });
      get().refreshProblems();
    },
    commit: (label, recipe, mergeKey) => {
      const step = { label, recipe, at: now(), ...(mergeKey !== undefined && { mergeKey }) };
      const { value, history } = commit(get().doc, get().history, step);
      set(changed(get(), value, history));
    },
    undo: () => {
      const { value, history } = undo(get().doc, get().history);
      set(changed(get(), value, history));
    },
    redo: () => {
      const { value, history } = redo(get().doc, get().history);
      set(changed(get(), value, history));
    },
    select: (nodes, edges = [], notes = []) =>
      set((state) =>
        existing(state.doc, {
          selectedNodes: new Set(nodes),
          selectedEdges: new Set(edges),
          selectedNotes: new Set(notes),
        }),
      ),
    setSaveState: (saveState) => set({ saveState }),
    markSaved: (doc, revision) =>
      set((state) => ({ saved: doc, revision, saveState: state.doc === doc ? 'saved' : 'unsaved' })),
    refreshProblems: createRefresh(set, get, loadCheck),
  }));
}

/** All requests while the checks are being loaded lead to one check of the document as it is then. */
function createRefresh(
  set: (state: Partial<EditorState>) => void,
  get: () => EditorState,
  loadCheck: LoadCheck,
): () => void {
  let isAsked = false;
  const refresh = async (): Promise<void> => {
    const check = await loadCheck().finally(() => {
      isAsked = false;
    });
    const { doc, catalog, world } = get();
    const problems = await check(doc.flow, catalog, world);
    const now = get();
    // A newer flow has a check of its own.
    if (now.doc.flow === doc.flow) set({ problems: [...problems, ...now.told], checked: doc.flow });
  };
  return () => {
    if (isAsked || Object.keys(get().catalog.operators).length === 0) return;
    isAsked = true;
    // Without the code, away like the server, the last problems stay.
    refresh().catch(() => undefined);
  };
}

function changed(state: EditorState, doc: Doc, history: History): Partial<EditorState> {
  if (doc === state.doc) return { history };
  const saveState = state.saveState === 'conflict' ? 'conflict' : doc === state.saved ? 'saved' : 'unsaved';
  return { doc, history, saveState, ...existing(doc, state) };
}

/** The selection without missing elements; the same sets if none is missing. */
function existing(doc: Doc, selection: Selection): Selection {
  const { selectedNodes, selectedEdges, selectedNotes } = selection;
  const edges = selectedEdges.size > 0 ? new Set(flatFlow(doc.flow).edges.map(edgeId)) : undefined;
  const notes = selectedNotes.size > 0 ? new Set(doc.layout.notes?.map((note) => note.id)) : undefined;
  return {
    selectedNodes: keep(selectedNodes, (id) => nodeIn(doc.flow, id) !== undefined),
    selectedEdges: keep(selectedEdges, (id) => edges?.has(id) ?? false),
    selectedNotes: keep(selectedNotes, (id) => notes?.has(id) ?? false),
  };
}

function keep<T>(chosen: ReadonlySet<T>, exists: (id: T) => boolean): ReadonlySet<T> {
  return [...chosen].every(exists) ? chosen : new Set([...chosen].filter(exists));
}
