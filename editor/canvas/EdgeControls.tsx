import { EdgeToolbar } from '@xyflow/react';
import { Plus, Trash2 } from 'lucide-react';
import type { EdgeId, Point } from '../model/document/document.ts';
import { removeEdges } from '../model/document/edit.ts';
import { useSession } from '../session/session.tsx';
import { usePortTypes } from '../session/use-port-types.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { useCanvasStore } from './canvas-store.ts';

/** Controls on a hovered or selected edge, the same size at any zoom: what it carries, insert a node, delete the edge. */
export function EdgeControls({ id, at }: { id: string; at: Point }) {
  const { editor, ui } = useSession();
  const canvas = useCanvasStore();
  const types = usePortTypes(id.slice(0, id.indexOf('>')), 'output');
  return (
    <EdgeToolbar
      edgeId={id}
      x={at.x}
      y={at.y}
      isVisible
      data-edge={id}
      className="nopan nodrag relative flex gap-0.5 rounded-md border border-line bg-surface p-0.5 shadow-sm"
      onPointerEnter={() => canvas.setState({ hoveredEdge: id, onControls: true })}
      onPointerLeave={() => canvas.setState({ hoveredEdge: undefined, onControls: false })}
    >
      {types?.carries && (
        // Above the edge, where it covers neither end of a short one.
        <code className="pointer-events-none absolute bottom-full left-1/2 mb-1 max-w-60 -translate-x-1/2 truncate rounded-md border border-line bg-surface px-1 font-mono text-[11px] text-text-2 shadow-sm">
          {types.carries}
        </code>
      )}
      <IconButton
        size="sm"
        side="top"
        icon={Plus}
        label="Insert a node"
        onClick={() => ui.setState({ overlay: { kind: 'picker', at, edge: id } })}
      />
      <IconButton
        size="sm"
        side="top"
        tone="bad"
        icon={Trash2}
        label="Delete this edge"
        onClick={() => {
          canvas.setState({ hoveredEdge: undefined, onControls: false });
          editor.getState().commit('Delete edge', (draft) => removeEdges(draft, [id as EdgeId]));
        }}
      />
    </EdgeToolbar>
  );
}
