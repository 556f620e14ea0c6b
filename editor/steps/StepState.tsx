import { CircleX, type LucideIcon, TriangleAlert } from 'lucide-react';
import { problemsOf } from '../canvas/node-problems.ts';
import { itemsText, standInLook, statusLooks, statusText } from '../canvas/node-status.ts';
import { useEditor, useRuns } from '../session/session.tsx';
import type { NodeRun } from '../state/run-store.ts';
import type { Tone } from '../ui/Badge.tsx';
import { cx } from '../ui/cx.ts';
import { toneText } from '../ui/styles.ts';
import { useNow } from '../ui/use-now.ts';

/** The last lines of a step: its state in the shown run with its error, and its worst problem. */
export function StepState({ id }: { id: string }) {
  const run = useRuns((s) => s.shown?.nodes[id]);
  const found = useEditor((s) => problemsOf(s.problems, id));
  if (!run && !found) return null;
  return (
    <span className="mt-1 flex flex-col gap-0.5 text-xs">
      {run && <RunState id={id} run={run} />}
      {found && (
        <Line icon={found.errors > 0 ? CircleX : TriangleAlert} tone={found.errors > 0 ? 'bad' : 'warn'}>
          {found.first}
        </Line>
      )}
    </span>
  );
}

function RunState({ id, run }: { id: string; run: NodeRun }) {
  const standIn = standInLook(useRuns((s) => s.shown?.decisions?.[id]));
  const isStale = useRuns((s) => s.stale[id] !== undefined);
  const now = useNow(run.status === 'running');
  const { icon, tone } = standIn ?? statusLooks[run.status];
  return (
    <>
      <span data-status={run.status} className="flex flex-wrap items-center gap-x-2">
        <Line icon={icon} tone={isStale ? 'neutral' : tone}>
          {standIn?.word ?? statusText(run, now)}
        </Line>
        <span className="text-text-2 tabular-nums">{itemsText(run)}</span>
        {isStale && <span className="text-warn">Out of date</span>}
      </span>
      {run.error && run.status === 'failed' && (
        <span data-error className="line-clamp-2 text-bad">
          <bdi>{run.error.message}</bdi>
        </span>
      )}
    </>
  );
}

function Line({ icon: Icon, tone, children }: { icon: LucideIcon; tone: Tone; children: string }) {
  return (
    <span className={cx('flex min-w-0 items-start gap-1 font-medium', toneText[tone])}>
      <Icon aria-hidden className="mt-px size-3.5 shrink-0" />
      <span className="line-clamp-2 min-w-0 tabular-nums">{children}</span>
    </span>
  );
}
