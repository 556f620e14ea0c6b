import { type KeyboardEvent, useEffect, useRef } from 'react';
import { revealNodes } from '../commands/view.ts';
import type { Doc, Point } from '../model/document/document.ts';
import { flatDoc } from '../model/document/flat.ts';
import { middleOf } from '../model/drawing/viewport.ts';
import { useSession } from '../session/session.tsx';
import { drawOverview } from './draw-overview.ts';

/** The whole of a large flow on one canvas element, without an element per node. A click (use-gestures.ts) and Enter zoom in. */
export function Overview() {
  const { editor, runs, ui } = useSession();
  const element = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      frame = 0;
      const { doc, catalog, selectedNodes } = editor.getState();
      const { viewport, canvas } = ui.getState();
      const statuses = runs.getState().shown?.nodes ?? {};
      if (element.current)
        drawOverview(element.current, { doc, catalog, selectedNodes, statuses, viewport, canvas });
    };
    const ask = () => {
      frame ||= requestAnimationFrame(draw);
    };
    draw();
    const theme = new MutationObserver(ask);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const stops = [editor.subscribe(ask), runs.subscribe(ask), ui.subscribe(ask), () => theme.disconnect()];
    return () => {
      cancelAnimationFrame(frame);
      for (const stop of stops) stop();
    };
  }, [editor, runs, ui]);
  /** To the selected node, or to the one nearest to the middle. */
  const zoomIn = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    event.stopPropagation();
    const { doc, selectedNodes } = editor.getState();
    const { viewport, canvas } = ui.getState();
    const [selected] = selectedNodes;
    const node = selected ?? nearest(flatDoc(doc), middleOf(viewport, canvas));
    if (node === undefined) return;
    // This element goes; the node takes the focus from the canvas.
    element.current?.closest<HTMLElement>('[data-canvas]')?.focus({ preventScroll: true });
    revealNodes({ ui }, [node]);
  };
  return (
    <canvas
      ref={element}
      role="button"
      tabIndex={0}
      aria-label="Overview of the flow; Enter zooms in to edit"
      onKeyDown={zoomIn}
      className="pointer-events-none absolute inset-0 h-full w-full -outline-offset-2"
    />
  );
}

function nearest({ flow, layout }: Doc, to: Point): string | undefined {
  const distance = (id: string): number => {
    const { x, y } = layout.nodes[id] ?? { x: Infinity, y: Infinity };
    return Math.hypot(x - to.x, y - to.y);
  };
  let found: string | undefined;
  for (const id of Object.keys(flow.nodes)) {
    if (found === undefined || distance(id) < distance(found)) found = id;
  }
  return found;
}
