import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Guide } from '../model/document/align.ts';
import type { Verdict, WireEnd } from '../model/document/connect.ts';
import type { EdgeId, Point } from '../model/document/document.ts';

/** A wire that is being drawn, or an edge whose end is being moved. */
export interface Wire {
  readonly end: WireEnd;
  /** Drawn with the pointer held down, or by choosing one port and then the other. */
  readonly by: 'drag' | 'choice';
  /** The edge whose end is being moved. */
  readonly moves?: EdgeId;
  /** Whether the wire may end at a port, as `node.port`; if not, why. */
  judge(port: string): Verdict;
}

/** A short text at a position of the canvas, in pixels from its corner. */
export interface Hint {
  readonly at: Point;
  readonly text: string;
}

/** The port that is explained: the one under the pointer or with the focus. `NodePort` sets it, `Hints` draws it. */
export interface PortTip {
  readonly node: string;
  readonly port: string;
  /** `left`: an input; `right`: an output. */
  readonly side: 'left' | 'right';
  /** Middle of the port, in pixels from the corner of the canvas. */
  readonly at: Point;
}

/** The state of the current gesture on the canvas: never saved, never undone. */
export interface CanvasState {
  /** Live positions of a drag, by canvas id, in flow coordinates. */
  readonly moved: ReadonlyMap<string, Point>;
  /** Lines with which the dragged items are level. */
  readonly guides: readonly Guide[];
  /** Live sizes of notes and frames that are being resized, by canvas id, in pixels of the flow. */
  readonly sized: ReadonlyMap<string, { width: number; height: number }>;
  readonly wire: Wire | undefined;
  /** Why a wire was refused; for a few seconds. */
  readonly refusal: Hint | undefined;
  readonly tip: PortTip | undefined;
  /** The edge under the pointer. */
  readonly hoveredEdge: string | undefined;
  /** The pointer is on the buttons of that edge. */
  readonly onControls: boolean;
  /** The edge under a dragged item. */
  readonly dropEdge: string | undefined;
  /** A file is being dragged over the canvas. */
  readonly fileOver: boolean;
  /** The note whose text is being edited, by the id in the layout file. */
  readonly editingNote: string | undefined;
  /** The node that the keyboard is in, by canvas id. */
  readonly focusedNode: string | undefined;
  /** The flow is too far away to read, so that the overview is drawn in place of its elements. */
  readonly overview: boolean;
  /** The cards of a large flow are drawn on one canvas; their elements are empty, except the one under the pointer or the keyboard. */
  readonly far: boolean;
  /** The node under the pointer, by canvas id; only known while `far`. */
  readonly hoveredNode: string | undefined;
  /** The view is being moved by hand, or was a moment ago. */
  readonly panning: boolean;
  /** While the space bar is down, every drag pans, even on nodes. */
  readonly spaceHeld: boolean;
}

export type CanvasStore = StoreApi<CanvasState>;

/** The state outside of drags. */
export const nothingMoved: Pick<CanvasState, 'moved' | 'sized' | 'guides'> = {
  moved: new Map(),
  sized: new Map(),
  guides: [],
};

export function createCanvasStore(): CanvasStore {
  return createStore<CanvasState>()(() => ({
    ...nothingMoved,
    wire: undefined,
    refusal: undefined,
    tip: undefined,
    hoveredEdge: undefined,
    onControls: false,
    dropEdge: undefined,
    fileOver: false,
    editingNote: undefined,
    focusedNode: undefined,
    overview: false,
    far: false,
    hoveredNode: undefined,
    panning: false,
    spaceHeld: false,
  }));
}

export const CanvasContext = createContext<CanvasStore | undefined>(undefined);

export function useCanvasStore(): CanvasStore {
  const store = useContext(CanvasContext);
  if (!store) throw new Error('useCanvasStore outside of Canvas');
  return store;
}

export function useCanvas<T>(select: (state: CanvasState) => T): T {
  return useStore(useCanvasStore(), select);
}
