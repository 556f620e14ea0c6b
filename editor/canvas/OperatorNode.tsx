import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { CircleX, FlaskConicalOff, type LucideIcon, Minus, Pencil, Plus, TriangleAlert } from 'lucide-react';
import type { Problem } from '#shared/problem.ts';
import type { OperatorCanvasNode } from '../model/drawing/project.ts';
import { cx } from '../ui/cx.ts';
import { NodeHeader } from './NodeHeader.tsx';
import { NodePort } from './NodePort.tsx';
import { useEditor, useRuns, useSession } from '../session/session.tsx';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { countText } from '../ui/format.ts';
import { useCanvas } from './canvas-store.ts';
import { useNow } from '../ui/use-now.ts';
import { standInLook, statusDetail, statusLooks, statusText } from './node-status.ts';
import type { Mark } from '../model/drawing/marks.ts';
import { marksOf } from '../state/drawn.ts';

/** A node of the flow. Its size comes from `model/document/geometry.ts`; its status in a run is in `NodeStatus`. */
export const OperatorNode = memo(function OperatorNode(props: NodeProps<OperatorCanvasNode>) {
  const { id, data, selected } = props;
  const { disabled, title, ports } = data;
  return (
    <div
      className={cx(
        'relative h-full w-full rounded-lg border',
        disabled ? 'border-dashed bg-surface-2' : 'bg-surface',
        selected ? 'border-accent ring-2 ring-accent/40' : 'border-line-strong/50 hover:border-line-strong',
      )}
    >
      <NodeProblems id={id} />
      <NodeStatus id={id} />
      <NodeMark id={id} />
      <NodeHeader id={id} data={data} />
      {ports.map((port) => (
        <NodePort key={`${port.side} ${port.name}`} node={id} title={title} port={port} dimmed={disabled} />
      ))}
    </div>
  );
});

/** How many problems a node has; a click shows them in the panel. */
const NodeProblems = memo(function NodeProblems({ id }: { id: string }) {
  const { editor, ui } = useSession();
  const isStop = useCanvas((s) => s.focusedNode === id);
  const found = useEditor((s) => problemsOf(s.problems, id));
  if (!found) return null;
  const { errors, warnings, text } = found;
  const words = [
    errors > 0 && `${errors} ${errors === 1 ? 'error' : 'errors'}`,
    warnings > 0 && `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
  ].filter(Boolean);
  return (
    <button
      type="button"
      tabIndex={isStop ? 0 : -1}
      title={text}
      aria-label={`${countText(errors + warnings, 'problem')} (${words.join(', ')}): show`}
      onClick={() => {
        editor.getState().select([id]);
        ui.setState({ dockOpen: true, dockTab: 'problems' });
      }}
      className="nodrag absolute -top-3.5 left-2 z-1 rounded bg-surface after:absolute after:-inset-0.5"
    >
      <Badge tone={errors > 0 ? 'bad' : 'warn'} icon={errors > 0 ? CircleX : TriangleAlert}>
        {errors + warnings}
      </Badge>
    </button>
  );
});

interface ProblemCounts {
  readonly errors: number;
  readonly warnings: number;
  readonly text: string;
}

const known = new WeakMap<readonly Problem[], ReadonlyMap<string, ProblemCounts>>();

/** Problems by node, computed once per list, since every node on the canvas asks. */
function problemsOf(problems: readonly Problem[], node: string): ProblemCounts | undefined {
  let byNode = known.get(problems);
  if (!byNode) {
    byNode = count(problems);
    known.set(problems, byNode);
  }
  return byNode.get(node);
}

function count(problems: readonly Problem[]): ReadonlyMap<string, ProblemCounts> {
  const byNode = new Map<string, ProblemCounts>();
  for (const { node, severity, message } of problems) {
    if (node === undefined) continue;
    const before = byNode.get(node) ?? { errors: 0, warnings: 0, text: '' };
    byNode.set(node, {
      errors: before.errors + (severity === 'error' ? 1 : 0),
      warnings: before.warnings + (severity === 'warning' ? 1 : 0),
      text: before.text === '' ? message : `${before.text}\n${message}`,
    });
  }
  return byNode;
}

/** The status of a node in the shown run: the only part of the node that a run redraws. */
const NodeStatus = memo(function NodeStatus({ id }: { id: string }) {
  const run = useRuns((s) => s.shown?.nodes[id]);
  const decision = useRuns((s) => s.shown?.decisions?.[id]);
  const now = useNow(run?.status === 'running');
  if (!run) return null;
  const standIn = standInLook(decision);
  const { tone, icon, frame } = standIn ?? statusLooks[run.status];
  const detail = [standIn ? undefined : statusDetail(run), decision?.reason].filter(Boolean).join(' ');
  return (
    <>
      <span
        aria-hidden
        style={{ borderColor: frame }}
        className="pointer-events-none absolute -inset-px rounded-lg border-2"
      />
      <span data-status={run.status} className="absolute -top-3.5 right-2 z-1 rounded bg-surface">
        <Badge tone={tone} icon={icon} spin={run.status === 'running'} title={detail}>
          <span className="tabular-nums">{standIn?.word ?? statusText(run, now)}</span>
        </Badge>
      </span>
    </>
  );
});

const LOOKS: Readonly<Record<Mark, readonly [icon: LucideIcon, tone: Tone, words?: string]>> = {
  added: [Plus, 'ok'],
  removed: [Minus, 'bad'],
  changed: [Pencil, 'warn'],
  untested: [FlaskConicalOff, 'warn', 'not tested'],
};

/** How a node differs from another version, or that no test covers it. */
const NodeMark = memo(function NodeMark({ id }: { id: string }) {
  const mark = useRuns((runs) => marksOf(runs)?.nodes[id]);
  if (!mark) return null;
  const [icon, tone, words = mark] = LOOKS[mark];
  return (
    <>
      <span
        aria-hidden
        style={{ borderColor: `var(--${tone})` }}
        className="pointer-events-none absolute -inset-1 rounded-[11px] border-2 border-dashed"
      />
      <span data-mark={mark} className="absolute right-2 -bottom-3 z-1 rounded bg-surface">
        <Badge tone={tone} icon={icon}>
          {words}
        </Badge>
      </span>
    </>
  );
});
