import type { Catalog } from '#shared/catalog.ts';
import type { Problem } from '#shared/problem.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { check, type World } from '#engine/check';
import { type Doc, type EdgeId, edgeId, emptyDoc } from '../model/document.ts';
import { commit, emptyHistory, type History, type Recipe, redo, undo } from '../model/history.ts';

/**
 * The flow that is being edited.
 *
 * E1. `doc` changes only through `commit`, `undo`, `redo` and `load`; every change but `load` can be undone.
 * E2. Selection names only what exists in `doc`.
 * E3. `problems` are those of `doc` as `check` sees them, at the latest a moment after the change (`refreshProblems`).
 * E4. `saved` is the document as the server has it; the flow is unsaved exactly when `doc` differs from it.
 */
export type SaveState = 'saved' | 'unsaved' | 'saving' | 'conflict' | 'failed';

export interface EditorState {
  readonly doc: Doc;
  readonly saved: Doc;
  /** Revision on the server that `saved` is. */
  readonly revision: string | undefined;
  readonly saveState: SaveState;
  readonly history: History;
  readonly selectedNodes: ReadonlySet<string>;
  readonly selectedEdges: ReadonlySet<EdgeId>;
  readonly catalog: Catalog;
  readonly world: World;
  readonly problems: readonly Problem[];
  load(doc: Doc, revision: string | undefined): void;
  setCatalog(catalog: Catalog, world: World): void;
  commit(label: string, recipe: Recipe<Doc>, mergeKey?: string): void;
  undo(): void;
  redo(): void;
  select(nodes: Iterable<string>, edges?: Iterable<EdgeId>): void;
  setSaveState(state: SaveState): void;
  /** The server has taken `doc` as `revision`. Edits made meanwhile stay unsaved. */
  markSaved(doc: Doc, revision: string): void;
  refreshProblems(): void;
}

export type EditorStore = StoreApi<EditorState>;

export function createEditorStore(now: () => number = () => Date.now()): EditorStore {
  return createStore<EditorState>()((set, get) => ({
    doc: emptyDoc('untitled'),
    saved: emptyDoc('untitled'),
    revision: undefined,
    saveState: 'saved',
    history: emptyHistory,
    selectedNodes: new Set(),
    selectedEdges: new Set(),
    catalog: { operators: {} },
    world: { routes: [], variables: undefined, secrets: undefined },
    problems: [],

    load: (doc, revision) => {
      set({
        doc,
        saved: doc,
        revision,
        saveState: 'saved',
        history: emptyHistory,
        selectedNodes: new Set(),
        selectedEdges: new Set(),
      });
      get().refreshProblems();
    },
    setCatalog: (catalog, world) => {
      set({ catalog, world });
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
    select: (nodes, edges = []) => set((state) => existing(state.doc, new Set(nodes), new Set(edges))),
    setSaveState: (saveState) => set({ saveState }),
    markSaved: (doc, revision) =>
      set((state) => ({ saved: doc, revision, saveState: state.doc === doc ? 'saved' : 'unsaved' })),
    refreshProblems: () => {
      const { doc, catalog, world } = get();
      if (Object.keys(catalog.operators).length > 0) set({ problems: check(doc.flow, catalog, world) });
    },
  }));
}

function changed(state: EditorState, doc: Doc, history: History): Partial<EditorState> {
  if (doc === state.doc) return { history };
  const saveState = state.saveState === 'conflict' ? 'conflict' : doc === state.saved ? 'saved' : 'unsaved';
  return { doc, history, saveState, ...existing(doc, state.selectedNodes, state.selectedEdges) };
}

function existing(
  doc: Doc,
  nodes: ReadonlySet<string>,
  edges: ReadonlySet<EdgeId>,
): Pick<EditorState, 'selectedNodes' | 'selectedEdges'> {
  const known = new Set(doc.flow.edges.map(edgeId));
  return {
    selectedNodes: new Set([...nodes].filter((id) => Object.hasOwn(doc.flow.nodes, id))),
    selectedEdges: new Set([...edges].filter((id) => known.has(id))),
  };
}
