import { useEffect, useRef } from 'react';
import { useSession } from '../session/session.tsx';
import { drawOverview } from './draw-overview.ts';

/** The whole of a large flow on one canvas element, without an element per node. A click zooms in (use-gestures.ts). */
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
  return (
    <canvas
      ref={element}
      role="img"
      aria-label="Overview of the flow; zoom in to edit"
      className="pointer-events-none absolute inset-0 h-full w-full"
    />
  );
}
