import { EdgeToolbar } from '@xyflow/react';
import { Plus, Trash2, Wrench } from 'lucide-react';
import type { Problem } from '#shared/problem.ts';
import { applyFixTo } from '../commands/fix.ts';
import type { EdgeId, Point } from '../model/document/document.ts';
import { removeEdges } from '../model/document/edit.ts';
import { fixesOf } from '../model/document/fixes.ts';
import { useSession } from '../session/session.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { useCanvasStore } from './canvas-store.ts';
import { WireFacts } from './WireFacts.tsx';

export interface EdgeControlsProps {
  id: string;
  /** The middle of the edge, in flow coordinates. */
  at: Point;
  /** The field of the value that the edge carries; undefined for all of it. */
  pick: string | undefined;
  problem: Problem | undefined;
}

/** Controls on a hovered or selected edge, the same size at any zoom: what it carries, insert a node, delete the edge. */
export function EdgeControls({ id, at, pick, problem }: EdgeControlsProps) {
  const session = useSession();
  const { editor, ui } = session;
  const canvas = useCanvasStore();
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
      <WireFacts from={id.slice(0, id.indexOf('>'))} pick={pick} problem={problem} />
      {problem &&
        fixesOf(problem).map((fix) => (
          <IconButton
            key={fix.title}
            size="sm"
            side="top"
            icon={Wrench}
            label={fix.title.replaceAll('`', '')}
            onClick={() => applyFixTo(session, fix)}
          />
        ))}
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
