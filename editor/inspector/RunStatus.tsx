import { elapsedText, statusLooks } from '../canvas/node-status.ts';
import type { NodeRun, NodeStatus } from '../state/run-store.ts';
import { Badge } from '../ui/Badge.tsx';
import { countText, durationText } from '../ui/format.ts';
import { toneText } from '../ui/styles.ts';
import { useNow } from '../ui/use-now.ts';

/** The status of the node in the run on the canvas, as a mark on a tab. */
export function RunDot({ status }: { status: NodeStatus }) {
  const { word, tone, icon: Icon } = statusLooks[status];
  return <Icon aria-label={word} className={`size-3.5 ${toneText[tone]}`} />;
}

/** Status, attempts and time in one line. */
export function RunLine({ run }: { run: NodeRun }) {
  const { word, tone, icon } = statusLooks[run.status];
  const now = useNow(run.status === 'running');
  const elapsed = run.ms === undefined ? elapsedText(run, now) : durationText(run.ms);
  return (
    <div className="flex flex-wrap items-center gap-2 text-xs text-text-2">
      <Badge tone={tone} icon={icon} spin={run.status === 'running'}>
        {word}
      </Badge>
      {elapsed && <span className="tabular-nums">{elapsed}</span>}
      {run.attempt > 1 && <span>{countText(run.attempt, 'attempt')}</span>}
      {run.handled === 'route' && <span>continued at its error output</span>}
      {run.handled === 'continue' && <span>continued with its fallback</span>}
    </div>
  );
}
