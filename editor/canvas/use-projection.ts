import { useState } from 'react';
import {
  type CanvasEdge,
  type CanvasNode,
  type Projection,
  project,
  type View,
} from '../model/drawing/project.ts';
import { useEditor } from '../session/session.tsx';
import type { EditorState } from '../state/editor-store.ts';
import { useCanvas } from './canvas-store.ts';

interface Drawn {
  readonly nodes: CanvasNode[];
  readonly edges: CanvasEdge[];
}

/** The document as React Flow's nodes and edges; unchanged ones keep their identity and are not redrawn. */
export function useProjection(): Drawn {
  const moved = useCanvas((s) => s.moved);
  const sized = useCanvas((s) => s.sized);
  const [projector] = useState(createProjector);
  return useEditor((state) => projector(state, { moved, sized }));
}

/** Remembers the last projection. The same state gives the same result. */
function createProjector(): (state: EditorState, dragged: Pick<View, 'moved' | 'sized'>) => Drawn {
  let previous: Projection | undefined;
  let drawn: Drawn = { nodes: [], edges: [] };
  return ({ doc, catalog, selectedNodes, selectedEdges, selectedNotes }, dragged) => {
    previous = project(doc, catalog, { selectedNodes, selectedEdges, selectedNotes, ...dragged }, previous);
    const { nodes, edges } = previous;
    // React Flow's types want arrays it could write to; it never does.
    if (nodes !== drawn.nodes || edges !== drawn.edges)
      drawn = { nodes: nodes as CanvasNode[], edges: edges as CanvasEdge[] };
    return drawn;
  };
}
