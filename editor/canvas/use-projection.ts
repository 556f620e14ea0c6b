import { useMemo, useRef } from 'react';
import type { CanvasEdge, CanvasNode, Projection } from '../model/project.ts';
import { project } from '../model/project.ts';
import { useEditor } from '../shell/session.tsx';
import { useCanvas } from './canvas-store.ts';

/** The document as React Flow's nodes and edges; what did not change keeps its identity. */
export function useProjection(): { nodes: CanvasNode[]; edges: CanvasEdge[] } {
  const doc = useEditor((s) => s.doc);
  const catalog = useEditor((s) => s.catalog);
  const selectedNodes = useEditor((s) => s.selectedNodes);
  const selectedEdges = useEditor((s) => s.selectedEdges);
  const selectedNotes = useEditor((s) => s.selectedNotes);
  const moved = useCanvas((s) => s.moved);
  const sized = useCanvas((s) => s.sized);
  const previous = useRef<Projection | undefined>(undefined);
  return useMemo(() => {
    const view = { selectedNodes, selectedEdges, selectedNotes, moved, sized };
    previous.current = project(doc, catalog, view, previous.current);
    const { nodes, edges } = previous.current;
    // React Flow's types want arrays it could write to; it never does.
    return { nodes: nodes as CanvasNode[], edges: edges as CanvasEdge[] };
  }, [doc, catalog, selectedNodes, selectedEdges, selectedNotes, moved, sized]);
}
