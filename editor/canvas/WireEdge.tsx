import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from '@xyflow/react';
import { memo } from 'react';
import type { Point } from '../model/document/document.ts';
import type { CanvasEdge, PortLook } from '../model/drawing/project.ts';
import { useEditor, useIsPast, useRuns } from '../session/session.tsx';
import { marksOf } from '../state/drawn.ts';
import { cx } from '../ui/cx.ts';
import { useCanvas } from './canvas-store.ts';
import { edgeFlow } from './edge-flow.ts';
import { EdgeControls } from './EdgeControls.tsx';

/** An edge. While `FarNodes` draws it, it only takes the pointer and the keyboard. */
export const WireEdge = memo(function WireEdge(props: EdgeProps<CanvasEdge>) {
  const { id, source, sourceHandleId, data, selected } = props;
  const [path, labelX, labelY] = getBezierPath(props);
  const isPast = useIsPast();
  // If many are selected, the controls would cover each other and the nodes.
  const isAlone = useEditor((s) => selected === true && s.selectedEdges.size + s.selectedNodes.size === 1);
  const isOpen = (useCanvas((s) => s.hoveredEdge === id) || isAlone) && !isPast;
  const isDrawn = useCanvas((s) => s.far && s.dropEdge !== id) && !selected && !isOpen;
  const output = { node: source, port: sourceHandleId ?? '' };
  const at = { x: labelX, y: labelY };
  return (
    <>
      {!isDrawn && <Wire id={id} path={path} look={data?.look ?? 'value'} output={output} />}
      <BaseEdge path={path} style={{ stroke: 'transparent', strokeWidth: 0 }} interactionWidth={20} />
      {isOpen && <EdgeControls id={id} at={at} />}
      {!isOpen && !isDrawn && <Items output={output} at={at} />}
    </>
  );
});

interface Output {
  readonly node: string;
  readonly port: string;
}

interface WireProps {
  id: string;
  path: string;
  look: PortLook;
  output: Output;
}

/** Its pattern shows what it carries; after a run it shows which branch was taken. */
function Wire({ id, path, look, output: { node, port } }: WireProps) {
  const isDropTarget = useCanvas((s) => s.dropEdge === id);
  const mark = useRuns((s) => marksOf(s)?.edges[id]);
  const flow = useRuns((s) => edgeFlow(s.shown?.nodes[node], port));
  return (
    <path
      d={path}
      className={cx('weft-edge', isDropTarget && 'drop-target')}
      data-look={look}
      data-flow={flow}
      data-mark={mark}
    />
  );
}

/** How many items a stream carried. */
function Items({ output: { node, port }, at }: { output: Output; at: Point }) {
  const items = useRuns((s) => s.shown?.nodes[node]?.counts[port]);
  if (items === undefined) return null;
  return (
    <EdgeLabelRenderer>
      <span
        style={{ transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)` }}
        className="absolute rounded bg-surface px-1 text-[11px] text-text-2 tabular-nums ring-1 ring-line"
      >
        {items === 1 ? '1 item' : `${items} items`}
      </span>
    </EdgeLabelRenderer>
  );
}
