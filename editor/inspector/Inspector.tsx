import { Suspense, useEffect } from 'react';
import { preloadCodeEditor } from '../form/CodeEditor.tsx';
import { preloadRareFields } from '../form/FieldView.tsx';
import { useEditor } from '../session/session.tsx';
import { FlowSettings } from './FlowSettings.tsx';
import { EdgeInspector, NoteInspector, preloadParts, SelectionInspector } from './parts.ts';
import { preloadable } from '../ui/preloadable.tsx';

/** No node is selected at first. */
const NodeInspector = preloadable(async () => (await import('./NodeInspector.tsx')).NodeInspector);

/** The selection, to inspect and edit: a node, an edge, a note, several things, or the flow itself. */
export function Inspector() {
  useEffect(() => {
    preloadCodeEditor();
    preloadRareFields();
    NodeInspector.preload();
    preloadParts();
  }, []);
  return (
    <Suspense fallback={null}>
      <Inspected />
    </Suspense>
  );
}

function Inspected() {
  const nodes = useEditor((state) => state.selectedNodes);
  const edges = useEditor((state) => state.selectedEdges);
  const notes = useEditor((state) => state.selectedNotes);
  const [node] = nodes;
  const [edge] = edges;
  const [note] = notes;
  const count = nodes.size + edges.size + notes.size;
  if (count > 1) return <SelectionInspector />;
  if (node !== undefined) return <NodeInspector key={node} id={node} />;
  if (edge !== undefined) return <EdgeInspector key={edge} id={edge} />;
  if (note !== undefined) return <NoteInspector key={note} id={note} />;
  return <FlowSettings />;
}
