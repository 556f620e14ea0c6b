import { memo } from 'react';
import { useRuns } from '../shell/session.tsx';
import { Badge } from '../ui/Badge.tsx';
import { useNow } from '../ui/use-now.ts';
import { statusDetail, statusLooks, statusText } from './node-status.ts';

/** What the shown run says of a node: the only part of it that a run draws again. */
export const NodeStatus = memo(function NodeStatus({ id }: { id: string }) {
  const run = useRuns((s) => s.shown?.nodes[id]);
  const now = useNow(run?.status === 'running');
  if (!run) return null;
  const { tone, icon, frame } = statusLooks[run.status];
  return (
    <>
      <span
        aria-hidden
        style={{ borderColor: frame }}
        className="pointer-events-none absolute -inset-px rounded-lg border-2"
      />
      <span data-status={run.status} className="absolute -top-3.5 right-2 z-1 rounded bg-surface">
        <Badge tone={tone} icon={icon} spin={run.status === 'running'} title={statusDetail(run)}>
          <span className="tabular-nums">{statusText(run, now)}</span>
        </Badge>
      </span>
    </>
  );
});
