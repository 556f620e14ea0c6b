import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from '@xyflow/react';
import { memo } from 'react';
import type { CanvasEdge } from '../model/drawing/project.ts';
import { useEditor, useIsPast, useRuns } from '../session/session.tsx';
import { marksOf } from '../state/drawn.ts';
import { cx } from '../ui/cx.ts';
import { useCanvas } from './canvas-store.ts';
import { edgeFlow } from './edge-flow.ts';
import { EdgeControls } from './EdgeControls.tsx';

/** An edge. Its pattern shows what it carries; after a run it shows which branch was taken, and how many items. */
export const WireEdge = memo(function WireEdge(props: EdgeProps<CanvasEdge>) {
  const { id, source, sourceHandleId, data, selected } = props;
  const [path, labelX, labelY] = getBezierPath(props);
  const isPast = useIsPast();
  // If many are selected, the controls would cover each other and the nodes.
  const isAlone = useEditor((s) => selected === true && s.selectedEdges.size + s.selectedNodes.size === 1);
  const isOpen = (useCanvas((s) => s.hoveredEdge === id) || isAlone) && !isPast;
  const isDropTarget = useCanvas((s) => s.dropEdge === id);
  const isDrawn = useCanvas((s) => s.far) && !selected && !isOpen && !isDropTarget;
  const mark = useRuns((s) => marksOf(s)?.edges[id]);
  const flow = useRuns((s) => edgeFlow(s.shown?.nodes[source], sourceHandleId ?? ''));
  const items = useRuns((s) => s.shown?.nodes[source]?.counts[sourceHandleId ?? '']);
  return (
    <>
      {!isDrawn && (
        <path
          d={path}
          className={cx('weft-edge', isDropTarget && 'drop-target')}
          data-look={data?.look ?? 'value'}
          data-flow={flow}
          data-mark={mark}
        />
      )}
      <BaseEdge path={path} style={{ stroke: 'transparent', strokeWidth: 0 }} interactionWidth={20} />
      {isOpen && <EdgeControls id={id} at={{ x: labelX, y: labelY }} />}
      {!isOpen && !isDrawn && items !== undefined && (
        <EdgeLabelRenderer>
          <span
            style={{ transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)` }}
            className="absolute rounded bg-surface px-1 text-[11px] text-text-2 tabular-nums ring-1 ring-line"
          >
            {items === 1 ? '1 item' : `${items} items`}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
