import { useReactFlow } from '@xyflow/react';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { centred, mapView, toFlow, type Viewport } from '../model/drawing/viewport.ts';
import { useSession, useUi } from '../session/session.tsx';
import type { EditorState } from '../state/editor-store.ts';
import { cx } from '../ui/cx.ts';
import { useCanvas } from './canvas-store.ts';
import { drawOverview } from './draw-overview.ts';

const SIZE = { width: 200, height: 128 };
const PAN = 120;
/** Shortest time between redraws, in milliseconds: a map need not follow each event of a run. */
const REDRAW_MS = 150;
const REST_MS = 400;
const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [PAN, 0],
  ArrowRight: [-PAN, 0],
  ArrowUp: [0, PAN],
  ArrowDown: [0, -PAN],
};

/**
 * The whole flow, small; press or drag in it, or use the arrow keys, to move the view. It is a separate canvas element,
 * because one element per node would double the cost of every drag and pan of a large flow.
 */
export function CanvasMap() {
  const { ui } = useSession();
  const { setViewport } = useReactFlow();
  const view = useMapView();
  const isDrawing = useCanvas((s) => s.wire !== undefined);
  if (!view) return null;
  const pan = (x: number, y: number) => {
    const { viewport } = ui.getState();
    void setViewport({ ...viewport, x: viewport.x + x, y: viewport.y + y });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const way = WAYS[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    pan(...way);
  };
  const onPointer = (event: PointerEvent<HTMLElement>) => {
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId);
    // A press that began elsewhere, such as at the start of a wire, is not for the map.
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = event.currentTarget.getBoundingClientRect();
    const at = toFlow(view, { x: event.clientX - box.x, y: event.clientY - box.y });
    const { viewport, canvas } = ui.getState();
    void setViewport(centred(at, canvas, viewport.zoom));
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- arrow keys move the view
    <div
      role="group"
      aria-label="Minimap; arrow keys move the view"
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointer}
      onPointerMove={onPointer}
      style={SIZE}
      className={cx(
        'absolute right-3 bottom-3 z-10 touch-none overflow-hidden rounded-lg border border-line bg-surface shadow-sm',
        // A wire may end at what lies behind it.
        isDrawing && 'pointer-events-none opacity-30',
      )}
    >
      <MapDrawing view={view} />
      <ViewFrame view={view} />
    </div>
  );
}

/** How the whole flow fits into the map. It updates with a short delay, and never while somebody types into a setting. */
function useMapView(): Viewport | undefined {
  const { editor } = useSession();
  const [view, setView] = useState(() => viewOf(editor.getState()));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      timer = undefined;
      const next = viewOf(editor.getState());
      setView((shown) => (isSameView(shown, next) ? shown : next));
    };
    look();
    const stop = editor.subscribe((state, before) => {
      const isMoved = state.doc.layout !== before.doc.layout || state.catalog !== before.catalog;
      if (isMoved) timer ??= setTimeout(look, REDRAW_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [editor]);
  return view;
}

function viewOf({ doc, catalog }: EditorState): Viewport | undefined {
  return mapView(doc, catalog, SIZE);
}

function isSameView(a: Viewport | undefined, b: Viewport | undefined): boolean {
  return a?.x === b?.x && a?.y === b?.y && a?.zoom === b?.zoom;
}

function MapDrawing({ view }: { view: Viewport }) {
  const { editor, runs } = useSession();
  const element = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      const { doc, catalog, selectedNodes } = editor.getState();
      const statuses = runs.getState().shown?.nodes ?? {};
      const scene = { doc, catalog, selectedNodes, statuses, viewport: view, canvas: SIZE, isMap: true };
      if (element.current) drawOverview(element.current, scene);
    };
    const ask = () => {
      timer ??= setTimeout(draw, REDRAW_MS);
    };
    draw();
    const theme = new MutationObserver(ask);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    let resting: ReturnType<typeof setTimeout> | undefined;
    // What is typed into a setting seldom changes the map, so it waits for a pause.
    const look = (state: EditorState, before: EditorState): void => {
      const isMoved =
        state.doc.layout !== before.doc.layout ||
        state.catalog !== before.catalog ||
        state.selectedNodes !== before.selectedNodes;
      if (isMoved) ask();
      else if (state.doc.flow !== before.doc.flow) {
        clearTimeout(resting);
        resting = setTimeout(ask, REST_MS);
      }
    };
    const stops = [editor.subscribe(look), runs.subscribe(ask), () => theme.disconnect()];
    return () => {
      clearTimeout(timer);
      clearTimeout(resting);
      for (const stop of stops) stop();
    };
  }, [editor, runs, view]);
  return <canvas ref={element} aria-hidden className="absolute inset-0 h-full w-full" />;
}

/** The visible area, as a frame; the rest of the map is dimmed. */
function ViewFrame({ view }: { view: Viewport }) {
  const viewport = useUi((s) => s.viewport);
  const canvas = useUi((s) => s.canvas);
  const topLeft = toFlow(viewport, { x: 0, y: 0 });
  const scale = view.zoom / viewport.zoom;
  return (
    <span
      aria-hidden
      style={{
        transform: `translate(${topLeft.x * view.zoom + view.x}px, ${topLeft.y * view.zoom + view.y}px)`,
        width: canvas.width * scale,
        height: canvas.height * scale,
      }}
      className="absolute top-0 left-0 rounded-sm shadow-[0_0_0_1000px_color-mix(in_srgb,var(--canvas)_65%,transparent)] ring-2 ring-accent"
    />
  );
}
