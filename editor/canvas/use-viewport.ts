import { useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Session } from '../commands/command.ts';
import { noteOfKey } from '../model/document/notes.ts';
import {
  boundsOfKeys,
  detailAt,
  FAR_ENTER,
  FAR_LEAVE,
  firstView,
  LARGE_FLOW,
  OVERVIEW_ENTER,
  OVERVIEW_LEAVE,
  refit,
  reveal,
  type Viewport,
} from '../model/drawing/viewport.ts';
import { useEditor, useSession, useUi } from '../session/session.tsx';
import { type CanvasStore, useCanvasStore } from './canvas-store.ts';
import { flatFlow } from '../model/document/flat.ts';

const GLIDE_MS = 200;

const glide = (): number => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : GLIDE_MS);

/** Keeps `ui.viewport` and the canvas in sync: gestures write it, commands set it. */
export function useViewport(area: RefObject<HTMLElement | null>): {
  /** The first view is set; before, what is visible is not known. */
  isPlaced: boolean;
  onMove(event: unknown, to: Viewport): void;
  onMoveStart(event: unknown): void;
  onMoveEnd(event: unknown): void;
} {
  const { ui, editor } = useSession();
  const canvas = useCanvasStore();
  const flow = useReactFlow();
  const own = useRef<Viewport | undefined>(undefined);

  const onMove = useCallback(
    (_event: unknown, viewport: Viewport) => {
      own.current = viewport;
      ui.setState({ viewport });
      if (area.current) showZoom(area.current, viewport.zoom);
      const large = Object.keys(flatFlow(editor.getState().doc.flow).nodes).length >= LARGE_FLOW;
      const before = canvas.getState();
      const overview = large && viewport.zoom < (before.overview ? OVERVIEW_LEAVE : OVERVIEW_ENTER);
      const far = large && viewport.zoom < (before.far ? FAR_LEAVE : FAR_ENTER);
      if (overview !== before.overview || far !== before.far)
        canvas.setState({ overview, far, hoveredNode: undefined });
    },
    [ui, editor, canvas, area],
  );

  useEffect(
    () =>
      ui.subscribe(({ viewport }) => {
        if (viewport === own.current) return;
        own.current = viewport;
        void flow.setViewport(viewport, { duration: glide() });
      }),
    [ui, flow],
  );

  useEffect(() => {
    const element = area.current;
    if (!element) return;
    let isFirst = true;
    const observer = new ResizeObserver(() => {
      const now = { width: element.clientWidth, height: element.clientHeight };
      const { canvas: before, viewport } = ui.getState();
      const { doc, catalog } = editor.getState();
      const next = isFirst ? undefined : refit(doc, catalog, { viewport, before, canvas: now });
      isFirst = false;
      ui.setState({ canvas: now, ...(next && { viewport: next }) });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [area, ui, editor]);

  const panning = useMemo(() => panningOf(canvas), [canvas]);
  const isPlaced = useFirstView(area, flow.setViewport);
  useReveal(area);
  return { isPlaced, onMove, ...panning };
}

/** How long the map stays after the view has come to rest. */
const REST_MS = 900;

/** Notes whether a person moves the view; moves by commands have no event. */
function panningOf(canvas: CanvasStore) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    onMoveStart(event: unknown) {
      if (!event) return;
      clearTimeout(timer);
      canvas.setState({ panning: true });
    },
    onMoveEnd() {
      clearTimeout(timer);
      timer = setTimeout(() => canvas.setState({ panning: false }), REST_MS);
    },
  };
}

/** Sets what cards show at a zoom, for all of them at once (`canvas.css`), and only when it changes. */
function showZoom(area: HTMLElement, zoom: number): void {
  const { level, grow } = detailAt(zoom);
  if (area.dataset['zoom'] !== level) area.dataset['zoom'] = level;
  if (area.style.getPropertyValue('--grow') !== String(grow)) area.style.setProperty('--grow', String(grow));
}

/** Shows the whole flow when it is opened, or its saved view; tells whether it has. */
function useFirstView(
  area: RefObject<HTMLElement | null>,
  setViewport: (viewport: Viewport) => Promise<boolean>,
): boolean {
  const { editor } = useSession();
  const flowId = useEditor((s) => s.doc.flow.id);
  const isKnown = useEditor((s) => Object.keys(s.catalog.operators).length > 0);
  const [shown, setShown] = useState<string>();
  useEffect(() => {
    const element = area.current;
    if (!element || !isKnown || shown === flowId) return;
    setShown(flowId);
    const { doc, catalog } = editor.getState();
    const size = { width: element.clientWidth, height: element.clientHeight };
    void setViewport(firstView(doc, catalog, size));
  }, [area, editor, flowId, isKnown, shown, setViewport]);
  return shown !== undefined;
}

/** Moves the view only as far as necessary to show these nodes and notes. */
export function showKeys({ editor, ui }: Pick<Session, 'editor' | 'ui'>, keys: readonly string[]): void {
  const { doc, catalog } = editor.getState();
  const bounds = boundsOfKeys(doc, catalog, keys);
  const state = ui.getState();
  const viewport = bounds && reveal(bounds, state.viewport, state.canvas);
  if (viewport && viewport !== state.viewport) ui.setState({ viewport });
}

/** Handles `ui.reveal`: brings nodes into view and focuses the first one if the canvas has the focus. */
function useReveal(area: RefObject<HTMLElement | null>): void {
  const { editor, ui } = useSession();
  const canvas = useCanvasStore();
  const request = useUi((s) => s.reveal);
  useEffect(() => {
    if (!request) return;
    showKeys({ editor, ui }, request.nodes);
    const { notes = [] } = editor.getState().doc.layout;
    const note = notes.find((n) => request.nodes.some((key) => noteOfKey(key) === n.id));
    if (note?.text === '') {
      canvas.setState({ editingNote: note.id });
      return;
    }
    const element = area.current;
    const focused = document.activeElement;
    if (focused !== document.body && !element?.contains(focused)) return;
    const timer = setTimeout(() => {
      if (document.activeElement !== focused) return;
      const first = CSS.escape(request.nodes[0] ?? '');
      element
        ?.querySelector<HTMLElement>(`.react-flow__node[data-id="${first}"]`)
        ?.focus({ preventScroll: true });
    }, glide() + 50);
    return () => clearTimeout(timer);
  }, [request, area, canvas, editor, ui]);
}
