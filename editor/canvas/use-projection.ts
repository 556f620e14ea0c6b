import { useEffect, useState } from 'react';
import {
  type CanvasEdge,
  type CanvasNode,
  type Projection,
  project,
  type View,
} from '../model/drawing/project.ts';
import { LARGE_FLOW } from '../model/drawing/viewport.ts';
import { useEditor, useSession } from '../session/session.tsx';
import type { EditorState } from '../state/editor-store.ts';
import { useCanvas } from './canvas-store.ts';

interface Drawn {
  readonly nodes: CanvasNode[];
  readonly edges: CanvasEdge[];
}

/** A large flow is drawn anew once somebody has typed nothing into a setting for so long: the letters come first. */
const PAUSE_MS = 150;

/** The document as React Flow's nodes and edges; unchanged ones keep their identity and are not redrawn. */
export function useProjection(): Drawn {
  const moved = useCanvas((s) => s.moved);
  const sized = useCanvas((s) => s.sized);
  const [projector] = useState(createProjector);
  const pauses = usePauses();
  return useEditor((state) => projector(state, { moved, sized }, pauses));
}

/** How often somebody has paused after a change of the flow. */
function usePauses(): number {
  const { editor } = useSession();
  const [pauses, setPauses] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = editor.subscribe((state, before) => {
      if (state.doc.flow === before.doc.flow) return;
      clearTimeout(timer);
      timer = setTimeout(() => setPauses((count) => count + 1), PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [editor]);
  return pauses;
}

type Dragged = Pick<View, 'moved' | 'sized'>;

interface Seen {
  readonly state: EditorState;
  readonly dragged: Dragged;
  readonly pauses: number;
}

/** Remembers the last projection. The same state and pause give the same result. */
export function createProjector(): (state: EditorState, dragged: Dragged, pauses: number) => Drawn {
  let previous: Projection | undefined;
  let drawn: Drawn = { nodes: [], edges: [] };
  let last: Seen | undefined;
  return (state, dragged, pauses) => {
    const seen = { state, dragged, pauses };
    if (last && drawn.nodes.length >= LARGE_FLOW && isTyped(seen, last)) return drawn;
    last = seen;
    const { doc, catalog, selectedNodes, selectedEdges, selectedNotes } = state;
    previous = project(doc, catalog, { selectedNodes, selectedEdges, selectedNotes, ...dragged }, previous);
    const { nodes, edges } = previous;
    // React Flow's types want arrays it could write to; it never does.
    if (nodes !== drawn.nodes || edges !== drawn.edges)
      drawn = { nodes: nodes as CanvasNode[], edges: edges as CanvasEdge[] };
    return drawn;
  };
}

/** Whether all that happened since is that somebody types into a setting, and has not paused. */
function isTyped(now: Seen, last: Seen): boolean {
  const [a, b] = [now.state, last.state];
  return (
    a.doc.flow !== b.doc.flow &&
    a.doc.flow.edges === b.doc.flow.edges &&
    a.doc.layout === b.doc.layout &&
    a.catalog === b.catalog &&
    a.selectedNodes === b.selectedNodes &&
    a.selectedEdges === b.selectedEdges &&
    a.selectedNotes === b.selectedNotes &&
    now.dragged.moved === last.dragged.moved &&
    now.dragged.sized === last.dragged.sized &&
    now.pauses === last.pauses &&
    // Steps of one text as their key are those of typing, and of moving, which changes the layout.
    typeof a.history.past.at(-1)?.mergeKey === 'string'
  );
}
