import { useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { boundsOf } from '../model/geometry.ts';
import { noteBox, noteOfKey } from '../model/notes.ts';
import {
  firstView,
  LARGE_FLOW,
  OVERVIEW_ENTER,
  OVERVIEW_LEAVE,
  reveal,
  type Viewport,
} from '../model/viewport.ts';
import { useEditor, useSession, useUi } from '../shell/session.tsx';
import { useCanvasStore } from './canvas-store.ts';

const GLIDE_MS = 200;

const glide = (): number => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : GLIDE_MS);

/** Keeps `ui.viewport` and the canvas the same: gestures write it, commands set it. */
export function useViewport(area: RefObject<HTMLElement | null>): {
  onMove(event: unknown, to: Viewport): void;
} {
  const { ui, editor } = useSession();
  const canvas = useCanvasStore();
  const flow = useReactFlow();
  const own = useRef<Viewport | undefined>(undefined);

  const onMove = useCallback(
    (_event: unknown, viewport: Viewport) => {
      own.current = viewport;
      ui.setState({ viewport });
      const large = Object.keys(editor.getState().doc.flow.nodes).length >= LARGE_FLOW;
      const { overview } = canvas.getState();
      const next = large && viewport.zoom < (overview ? OVERVIEW_LEAVE : OVERVIEW_ENTER);
      if (next !== overview) canvas.setState({ overview: next });
    },
    [ui, editor, canvas],
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
    const observer = new ResizeObserver(() => {
      ui.setState({ canvas: { width: element.clientWidth, height: element.clientHeight } });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [area, ui]);

  useFirstView(area, flow.setViewport);
  useReveal(area);
  return { onMove };
}

/** Shows the whole flow when it is opened, or what was saved with it. */
function useFirstView(
  area: RefObject<HTMLElement | null>,
  setViewport: (viewport: Viewport) => Promise<boolean>,
): void {
  const { editor } = useSession();
  const flowId = useEditor((s) => s.doc.flow.id);
  const isKnown = useEditor((s) => Object.keys(s.catalog.operators).length > 0);
  const shown = useRef<string | undefined>(undefined);
  useEffect(() => {
    const element = area.current;
    if (!element || !isKnown || shown.current === flowId) return;
    shown.current = flowId;
    const { doc, catalog } = editor.getState();
    const size = { width: element.clientWidth, height: element.clientHeight };
    void setViewport(firstView(doc, catalog, size));
  }, [area, editor, flowId, isKnown, setViewport]);
}

/** Does what `ui.reveal` asks for: brings nodes into view and gives the first one the focus if the canvas has it. */
function useReveal(area: RefObject<HTMLElement | null>): void {
  const { editor, ui } = useSession();
  const canvas = useCanvasStore();
  const request = useUi((s) => s.reveal);
  useEffect(() => {
    if (!request) return;
    const { doc, catalog } = editor.getState();
    const note = doc.layout.notes?.find((n) => request.nodes.some((key) => noteOfKey(key) === n.id));
    const bounds = note ? { x: note.x, y: note.y, ...noteBox(note) } : boundsOf(doc, catalog, request.nodes);
    if (!bounds) return;
    const state = ui.getState();
    const viewport = reveal(bounds, state.viewport, state.canvas);
    if (viewport !== state.viewport) ui.setState({ viewport });
    if (note?.text === '') {
      canvas.setState({ editingNote: note.id });
      return;
    }
    const element = area.current;
    const hasFocus = document.activeElement === document.body || element?.contains(document.activeElement);
    if (!hasFocus) return;
    const timer = setTimeout(() => {
      const first = CSS.escape(request.nodes[0] ?? '');
      element
        ?.querySelector<HTMLElement>(`.react-flow__node[data-id="${first}"]`)
        ?.focus({ preventScroll: true });
    }, glide() + 50);
    return () => clearTimeout(timer);
  }, [request, area, canvas, editor, ui]);
}
