import { NodeToolbar, Position } from '@xyflow/react';
import { pinCommand, runFromCommand, runNodeCommand } from '../commands/part-run.ts';
import { watchCommand } from '../commands/watch.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { holderOf } from '../model/document/flat.ts';
import { useEditor } from '../session/session.tsx';

/** Tools above the one selected node, the same size at any zoom: run it, run from it, pin or watch its output. */
export function NodeTools() {
  const node = useEditor(({ selectedNodes, selectedNotes }) =>
    selectedNodes.size === 1 && selectedNotes.size === 0 ? [...selectedNodes][0] : undefined,
  );
  // In a frame, the rounds stand above the nodes.
  const isInFrame = useEditor(({ doc }) => node !== undefined && holderOf(doc.flow, node) !== undefined);
  if (node === undefined) return null;
  return (
    <NodeToolbar
      nodeId={node}
      isVisible
      position={isInFrame ? Position.Bottom : Position.Top}
      align="start"
      offset={10}
      role="toolbar"
      aria-label="Node"
      className="nodrag nopan flex items-center gap-0.5 rounded-md border border-line bg-surface p-0.5 shadow-sm"
    >
      {[runNodeCommand, runFromCommand, pinCommand, watchCommand].map((command) => (
        <CommandButton key={command.id} command={command} size="sm" side="top" />
      ))}
    </NodeToolbar>
  );
}
