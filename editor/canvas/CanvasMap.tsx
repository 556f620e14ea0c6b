import { MiniMap } from '@xyflow/react';
import type { KeyboardEvent } from 'react';
import type { CanvasNode } from '../model/project.ts';
import { useEditor, useSession } from '../shell/session.tsx';

const PAN = 120;
const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [PAN, 0],
  ArrowRight: [-PAN, 0],
  ArrowUp: [0, PAN],
  ArrowDown: [0, -PAN],
};

const classOf = (node: CanvasNode): string => (node.type === 'note' ? 'is-note' : '');

/** The whole flow, small; drag in it or use the arrow keys to move the view. */
export function CanvasMap() {
  const { ui } = useSession();
  const isEmpty = useEditor((s) => Object.keys(s.doc.flow.nodes).length === 0);
  if (isEmpty) return null;
  const onKeyDown = (event: KeyboardEvent) => {
    const way = WAYS[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    const { viewport } = ui.getState();
    ui.setState({ viewport: { ...viewport, x: viewport.x + way[0], y: viewport.y + way[1] } });
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- arrow keys move the view
    <div
      role="group"
      aria-label="Minimap; arrow keys move the view"
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="absolute right-3 bottom-3 z-10 h-32 w-50 rounded-lg border border-line shadow-sm max-sm:hidden"
    >
      <MiniMap<CanvasNode>
        pannable
        zoomable
        ariaLabel="Minimap of the flow"
        nodeClassName={classOf}
        nodeBorderRadius={8}
        className="relative!"
        style={{ width: 198, height: 126 }}
      />
    </div>
  );
}
