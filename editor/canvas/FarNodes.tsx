import { useEffect, useRef } from 'react';
import type { CanvasEdge, CanvasNode } from '../model/drawing/project.ts';
import { useSession } from '../session/session.tsx';
import { marksOf } from '../state/drawn.ts';
import { drawFar } from './draw-far.ts';

export interface FarNodesProps {
  nodes: readonly CanvasNode[];
  edges: readonly CanvasEdge[];
}

/**
 * The cards and edges of a large flow that is far away, on one canvas element. Their elements stay empty boxes above it, which
 * take the pointer and the keyboard; only the one that has either is filled (`OperatorNode`).
 */
export function FarNodes({ nodes, edges }: FarNodesProps) {
  const { editor, runs, ui } = useSession();
  const element = useRef<HTMLCanvasElement>(null);
  const drawn = useRef({ nodes, edges });
  const ask = useRef<() => void>(undefined);
  useEffect(() => {
    drawn.current = { nodes, edges };
    ask.current?.();
  }, [nodes, edges]);
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      frame = 0;
      const { viewport, canvas } = ui.getState();
      const state = runs.getState();
      const { problems } = editor.getState();
      const scene = {
        ...drawn.current,
        runs: state.shown?.nodes ?? {},
        stale: state.stale,
        marks: marksOf(state),
      };
      if (element.current) drawFar(element.current, { ...scene, problems, viewport, canvas });
    };
    const soon = () => {
      frame ||= requestAnimationFrame(draw);
    };
    ask.current = soon;
    draw();
    void document.fonts.ready.then(soon);
    const theme = new MutationObserver(soon);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const stops = [
      editor.subscribe((state, before) => state.problems !== before.problems && soon()),
      runs.subscribe((state, before) => isOther(state, before) && soon()),
      ui.subscribe(
        (state, before) => (state.viewport !== before.viewport || state.canvas !== before.canvas) && soon(),
      ),
      () => theme.disconnect(),
    ];
    return () => {
      cancelAnimationFrame(frame);
      for (const stop of stops) stop();
    };
  }, [editor, runs, ui]);
  return (
    <canvas
      ref={element}
      aria-hidden
      data-far
      className="pointer-events-none absolute inset-0 -z-1 h-full w-full"
    />
  );
}

type Runs = ReturnType<ReturnType<typeof useSession>['runs']['getState']>;

/** Whether the runs' store changed in what is drawn: a log of its own redraws nothing. */
function isOther(state: Runs, before: Runs): boolean {
  return (
    state.shown?.nodes !== before.shown?.nodes ||
    state.stale !== before.stale ||
    marksOf(state) !== marksOf(before)
  );
}
