import { ChevronsDownUp, ChevronsUpDown } from 'lucide-react';
import { collapseCommand } from '../commands/collapse.ts';
import { isCollapsed } from '../model/document/frames.ts';
import { useEditor, useIsPast, useSession } from '../session/session.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { useCanvas } from './canvas-store.ts';

/** Draws a node with a body as a card, or as a frame again. */
export function FoldButton({ id }: { id: string }) {
  const session = useSession();
  const collapsed = useEditor(({ doc }) => isCollapsed(doc.layout, id));
  const isStop = useCanvas((s) => s.focusedNode === id);
  if (useIsPast()) return null;
  return (
    <IconButton
      size="sm"
      icon={collapsed ? ChevronsUpDown : ChevronsDownUp}
      label={collapsed ? 'Expand' : 'Collapse'}
      keys={collapseCommand.keys}
      tabIndex={isStop ? 0 : -1}
      className="nodrag pointer-events-auto m-2 shrink-0"
      onClick={() => {
        session.editor.getState().select([id]);
        void collapseCommand.run(session);
      }}
    />
  );
}
