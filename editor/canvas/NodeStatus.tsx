import { memo } from 'react';
import { useRuns } from '../session/session.tsx';
import { Badge } from '../ui/Badge.tsx';
import { useNow } from '../ui/use-now.ts';
import { standInLook, statusDetail, statusLooks, statusText } from './node-status.ts';

/** The status of a node in the shown run: the only part of the node that a run redraws. */
export const NodeStatus = memo(function NodeStatus({ id }: { id: string }) {
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
