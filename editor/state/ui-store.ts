import { createStore, type StoreApi } from 'zustand/vanilla';
import type { PartWish } from '../api/partial-runs.ts';
import type { LargeText } from '../model/expression/expression-text.ts';

const THEMES = ['light', 'dark', 'system'] as const;
export type Theme = (typeof THEMES)[number];
export type InspectorTab = 'settings' | 'input' | 'output' | 'docs';
const PANELS = ['inspector', 'chat', 'none'] as const;
/** The panel beside the canvas. */
export type Panel = (typeof PANELS)[number];
export const DOCK_TABS = [
  'result',
  'log',
  'timeline',
  'problems',
  'tests',
  'runs',
  'trigger',
  'versions',
] as const;
/** A panel of the dock, below the canvas. */
export type DockTab = (typeof DOCK_TABS)[number];
/** Overlays above the canvas; one at a time. */
export type Overlay =
  | { readonly kind: 'commands' }
  | { readonly kind: 'shortcuts' }
  | { readonly kind: 'find' }
  /** Find and replace, in the open flow or in all. */
  | { readonly kind: 'replace' }
  | { readonly kind: 'replace-all' }
  /** The large editor of an expression of this node. */
  | { readonly kind: 'expression'; readonly node: string; readonly of: LargeText }
  /** `pins` false: pinned nodes run too. */
  | {
      readonly kind: 'run-form';
      readonly pins?: false;
      /** A part of the flow to run, from this trigger. */
      readonly part?: { readonly trigger: string; readonly wish: PartWish };
    }
  /** The pinned outputs of the flow. */
  | { readonly kind: 'pins' }
  /** The output of this node as JSON, to pin it or to continue with it. */
  | { readonly kind: 'output'; readonly node: string }
  /** Nodes that change something outside would run too; `onYes` runs them. */
  | { readonly kind: 'writes'; readonly nodes: readonly string[]; onYes(): void }
  | { readonly kind: 'conflict' }
  /** An address that signs in another browser. */
  | { readonly kind: 'invite' }
  /** The changes that publishing would make. */
  | { readonly kind: 'publish' }
  /** Name and id of a node, edited in place. */
  | { readonly kind: 'rename'; readonly node: string }
  /** Wires drawn by choosing from lists, from this node. */
  | { readonly kind: 'connect'; readonly node: string }
  | PickerRequest;

/** The node picker on the canvas. */
export interface PickerRequest {
  readonly kind: 'picker';
  /** Where the picker stands and the new node goes, in flow coordinates. */
  readonly at: { readonly x: number; readonly y: number };
  /** The new node is connected to the free end of this wire. */
  readonly wire?: { readonly from?: string; readonly to?: string };
  /** The new node is inserted into this edge. */
  readonly edge?: string;
  /** The text that was typed before the picker was there; `isEntered`: Enter was pressed, which takes the first fitting node. */
  readonly typed?: string;
  readonly isEntered?: boolean;
  /** The operator is for this node, in place of its own. */
  readonly swaps?: string;
  /**
   * Nobody has chosen a place: the new node goes beside the selected one, connected to it if it fits, or into the middle of the
   * view; `at` is only where the picker stands.
   */
  readonly isBeside?: boolean;
}

/**
 * How this person has arranged the editor, never part of a flow. The browser keeps the parts that `KEPT` names; the others end
 * with the page.
 */
export interface UiState {
  readonly theme: Theme;
  /** The panel beside the canvas. */
  readonly panel: Panel;
  readonly dockOpen: boolean;
  readonly dockTab: DockTab;
  readonly inspectorTab: InspectorTab;
  /** Sizes of the panels in pixels. */
  readonly panelWidth: number;
  readonly dockHeight: number;
  readonly overlay: Overlay | undefined;
  /** The node whose input, settings and output stand side by side over the canvas, while it is selected. */
  readonly nodeView: string | undefined;
  /** The viewport of the canvas, as in `viewport.ts`; commands need it to position things. */
  readonly viewport: { readonly x: number; readonly y: number; readonly zoom: number };
  /** The pointer on the canvas, in flow coordinates. */
  readonly pointer: { readonly x: number; readonly y: number } | undefined;
  /** Size of the canvas on the screen, in pixels. */
  readonly canvas: { readonly width: number; readonly height: number };
  /** A field that the inspector should show and focus (from the problems panel): `params.cases[0].when`. */
  readonly focusField: string | undefined;
  /** A flow that was made a moment ago, and the node that is selected when it opens. */
  readonly begun: { readonly flow: string; readonly node: string } | undefined;
  /** Asks the canvas to show these nodes and notes, by canvas id; the number makes each request unique. */
  readonly reveal: { readonly nodes: readonly string[]; readonly request: number } | undefined;
  /** Operators that were added last, newest first. */
  readonly recentOperators: readonly string[];
  /** Scrolling moves the view, as on touchpads, instead of zooming it; a pinch, and Ctrl with the wheel, zoom either way. */
  readonly scrollPans: boolean;
  /** Edits are saved into the draft by themselves. */
  readonly autosave: boolean;
  /** Whether the rail of screens has names beside its icons: beside lists, and beside the canvas. */
  readonly railOpen: boolean;
  readonly railOpenInEditor: boolean;
  /** Ids of flows that this person has marked. */
  readonly favourites: readonly string[];
  /** Ids of the flows that were opened last, newest first. */
  readonly recentFlows: readonly string[];
  /** Rows of lists are lower; those of flows 36 px high in place of 44. */
  readonly compactRows: boolean;
  /** The hints in somebody's first flow: its id (empty: the next one that is opened), and those that are done or dismissed. */
  readonly firstHints: FirstHints | undefined;
  /** Saved filters of lists, under names. */
  readonly savedViews: readonly SavedView[];
  /** Screen readers read it out when it changes. */
  readonly announcement: string;
}

/** Filters of a list that somebody has stored under a name. */
export interface SavedView {
  /** The list that it belongs to. */
  readonly screen: string;
  readonly name: string;
  /** The chosen values, by the name of the filter. */
  readonly set: Readonly<Record<string, string>>;
}

/** A first step that a hint explains: look at a node, run the flow, publish it. */
export type FirstHint = 'node' | 'run' | 'publish';

interface FirstHints {
  readonly flow: string;
  readonly done: readonly string[];
}

export type UiStore = StoreApi<UiState>;

const KEPT = [
  'theme',
  'panel',
  'dockOpen',
  'dockTab',
  'panelWidth',
  'dockHeight',
  'recentOperators',
  'scrollPans',
  'autosave',
  'railOpen',
  'railOpenInEditor',
  'favourites',
  'recentFlows',
  'compactRows',
  'firstHints',
  'savedViews',
] as const;
/** Of the kept ones, those that are lists of texts. */
const LISTS: readonly string[] = ['recentOperators', 'favourites', 'recentFlows'];
const KEY = 'weft.ui';

/** Without `storage` nothing outlives the page. */
export function createUiStore(storage: Pick<Storage, 'getItem' | 'setItem'> | undefined): UiStore {
  const usual: UiState = {
    theme: 'system',
    panel: 'inspector',
    dockOpen: false,
    dockTab: 'result',
    inspectorTab: 'settings',
    panelWidth: 360,
    dockHeight: 240,
    overlay: undefined,
    nodeView: undefined,
    viewport: { x: 0, y: 0, zoom: 1 },
    pointer: undefined,
    canvas: { width: 1000, height: 700 },
    focusField: undefined,
    begun: undefined,
    reveal: undefined,
    recentOperators: [],
    scrollPans: false,
    autosave: true,
    railOpen: true,
    railOpenInEditor: false,
    favourites: [],
    recentFlows: [],
    compactRows: false,
    firstHints: undefined,
    savedViews: [],
    announcement: '',
  };
  const store = createStore<UiState>()(() => ({ ...usual, ...readKept(storage, usual) }));
  store.subscribe((state, before) => {
    if (KEPT.every((key) => state[key] === before[key])) return;
    storage?.setItem(KEY, JSON.stringify(Object.fromEntries(KEPT.map((key) => [key, state[key]]))));
  });
  return store;
}

/** A value that another version, or somebody else, has stored counts only if it fits. */
function readKept(storage: Pick<Storage, 'getItem'> | undefined, usual: UiState): Partial<UiState> {
  try {
    const kept = JSON.parse(storage?.getItem(KEY) ?? '{}') as Record<string, unknown>;
    return Object.fromEntries(
      KEPT.filter((key) => fits(key, kept[key], usual[key])).map((key) => [key, kept[key]]),
    );
  } catch {
    return {};
  }
}

function fits(key: (typeof KEPT)[number], value: unknown, usual: unknown): boolean {
  if (key === 'dockTab') return DOCK_TABS.some((tab) => tab === value);
  if (key === 'panel') return PANELS.some((panel) => panel === value);
  if (key === 'theme') return THEMES.some((theme) => theme === value);
  if (key === 'firstHints') return isFirstHints(value);
  if (key === 'savedViews') return Array.isArray(value) && value.every(isSavedView);
  if (LISTS.includes(key)) return Array.isArray(value) && value.every(isText);
  return typeof value === typeof usual;
}

function isSavedView(value: unknown): value is SavedView {
  const { screen, name, set } = { ...(value as Partial<SavedView> | undefined) };
  const isSet = typeof set === 'object' && set !== null;
  return typeof screen === 'string' && typeof name === 'string' && isSet && Object.values(set).every(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFirstHints(value: unknown): value is FirstHints {
  const { flow, done } = { ...(value as Partial<FirstHints> | undefined) };
  return typeof flow === 'string' && Array.isArray(done);
}
