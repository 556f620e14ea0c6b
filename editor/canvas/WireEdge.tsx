import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from '@xyflow/react';
import { CircleX, TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import type { Problem } from '#shared/problem.ts';
import type { EdgeId, Point } from '../model/document/document.ts';
import { picked } from '../model/document/pick.ts';
import { edgeProblems } from '../model/drawing/edge-problems.ts';
import type { CanvasEdge, PortLook } from '../model/drawing/project.ts';
import { listLength } from '../model/value-head.ts';
import { Beside } from '../session/Part.tsx';
import { useEditor, useIsPast, useRuns } from '../session/session.tsx';
import { marksOf } from '../state/drawn.ts';
import type { RunState } from '../state/run-store.ts';
import { cx } from '../ui/cx.ts';
import { EdgeControls } from './parts.tsx';
import { countText } from '../ui/format.ts';
import { useCanvas } from './canvas-store.ts';
import { edgeFlow } from './edge-flow.ts';

/** An edge. While `FarNodes` draws it, it only takes the pointer and the keyboard. */
export const WireEdge = memo(function WireEdge(props: EdgeProps<CanvasEdge>) {
  const { id, source, sourceHandleId, target, targetX, targetY, data, selected = false } = props;
  const [path, labelX, labelY] = getBezierPath(props);
  const isOpen = useIsOpen(id, selected);
  const isDrawn = useCanvas((s) => s.far && s.dropEdge !== id) && !selected && !isOpen;
  const problem = useEditor((s) => edgeProblems(s.problems, s.checked).get(id as EdgeId));
  const { look = 'value', pick } = data ?? {};
  const output = { node: source, port: sourceHandleId ?? '', pick };
  const at = { x: labelX, y: labelY };
  return (
    <>
      <BaseEdge path={path} style={{ stroke: 'transparent', strokeWidth: 0 }} interactionWidth={20} />
      {!isDrawn && (
        <>
          <Wire id={id} path={path} look={look} ends={{ output, target }} problem={problem} />
          {problem && <ProblemMark problem={problem} at={{ x: targetX, y: targetY }} />}
          {!isOpen && <WireLabel output={output} at={at} />}
        </>
      )}
      {isOpen && (
        <Beside>
          <EdgeControls id={id} at={at} pick={pick} problem={problem} />
        </Beside>
      )}
    </>
  );
});

/** Whether the controls of an edge are shown. If many are selected, they would cover each other and the nodes. */
function useIsOpen(id: string, selected: boolean): boolean {
  const isPast = useIsPast();
  const isAlone = useEditor((s) => selected && s.selectedEdges.size + s.selectedNodes.size === 1);
  const isHovered = useCanvas((s) => s.hoveredEdge === id);
  return (isHovered || isAlone) && !isPast;
}

interface Output {
  readonly node: string;
  readonly port: string;
  /** The field of its value that the wire carries. */
  readonly pick: string | undefined;
}

interface WireProps {
  id: string;
  path: string;
  look: PortLook;
  ends: { readonly output: Output; readonly target: string };
  problem: Problem | undefined;
}

/** Its pattern shows what it carries; after a run it shows which branch was taken. It moves while the node behind it runs. */
function Wire({ id, path, look, ends: { output, target }, problem }: WireProps) {
  const isDropTarget = useCanvas((s) => s.dropEdge === id);
  const mark = useRuns((s) => marksOf(s)?.edges[id]);
  const flow = useRuns((s) => edgeFlow(s.shown?.nodes[output.node], output.port));
  const isRunning = useRuns((s) => s.shown?.nodes[target]?.status === 'running');
  return (
    <path
      d={path}
      className={cx('weft-edge', isDropTarget && 'drop-target')}
      data-look={look}
      data-flow={flow}
      data-mark={mark}
      data-problem={problem?.severity}
      data-running={isRunning || undefined}
    />
  );
}

/** The field that a wire carries, and how many items went over it. */
function WireLabel({ output, at }: { output: Output; at: Point }) {
  const items = useRuns((s) => itemsOf(s, output));
  const words = [output.pick, items !== undefined && countText(items, 'item')].filter(Boolean);
  if (words.length === 0) return null;
  return (
    <EdgeLabelRenderer>
      <span
        style={{ transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)` }}
        className="absolute rounded bg-surface px-1 text-[11px] text-text-2 tabular-nums ring-1 ring-line"
      >
        {words.join(' · ')}
      </span>
    </EdgeLabelRenderer>
  );
}

/** At the port that gets what it cannot take; the reason is its tip, and stands at the wire while the pointer is there. */
function ProblemMark({ problem: { severity, message }, at }: { problem: Problem; at: Point }) {
  const isError = severity === 'error';
  const Icon = isError ? CircleX : TriangleAlert;
  return (
    <EdgeLabelRenderer>
      <span
        title={message}
        style={{ transform: `translate(-100%, -50%) translate(${at.x - 8}px, ${at.y}px)` }}
        className={cx('absolute rounded-full bg-canvas', isError ? 'text-bad' : 'text-warn')}
      >
        <Icon aria-hidden className="size-4" />
        <span className="sr-only">{message}</span>
      </span>
    </EdgeLabelRenderer>
  );
}

/** How many items went over the wire: those of a stream, or of the list that was given. */
function itemsOf({ shown }: RunState, { node, port, pick }: Output): number | undefined {
  const run = shown?.nodes[node];
  return run?.counts[port] ?? listLength(picked(run?.outputs[port], pick));
}
