import {
  Ban,
  CircleCheck,
  CircleSlash,
  CircleX,
  Clock,
  LoaderCircle,
  type LucideIcon,
  RotateCw,
} from 'lucide-react';
import type { NodeRun, NodeStatus } from '../state/run-store.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { countText, durationText } from '../ui/format.ts';

const LOOKS: Readonly<Record<NodeStatus, { word: string; tone: Tone; color: string; icon: LucideIcon }>> = {
  waiting: { word: 'Waiting', tone: 'neutral', color: 'text-text-2', icon: Clock },
  running: { word: 'Running', tone: 'busy', color: 'text-busy', icon: LoaderCircle },
  ok: { word: 'OK', tone: 'ok', color: 'text-ok', icon: CircleCheck },
  failed: { word: 'Failed', tone: 'bad', color: 'text-bad', icon: CircleX },
  skipped: { word: 'Skipped', tone: 'neutral', color: 'text-text-2', icon: CircleSlash },
  retrying: { word: 'Retrying', tone: 'warn', color: 'text-warn', icon: RotateCw },
  abandoned: { word: 'Abandoned', tone: 'warn', color: 'text-warn', icon: Ban },
};

/** How the node fared in the run on the canvas, as a mark on a tab. */
export function RunDot({ status }: { status: NodeStatus }) {
  const { word, color, icon: Icon } = LOOKS[status];
  return <Icon aria-label={word} className={`size-3.5 ${color}`} />;
}

/** Status, attempts and time in one line. */
export function RunLine({ run }: { run: NodeRun }) {
  const { word, tone, icon } = LOOKS[run.status];
  return (
    <div className="flex flex-wrap items-center gap-2 text-xs text-text-2">
      <Badge tone={tone} icon={icon} spin={run.status === 'running'}>
        {word}
      </Badge>
      {run.ms !== undefined && <span className="tabular-nums">{durationText(run.ms)}</span>}
      {run.attempt > 1 && <span>{countText(run.attempt, 'attempt')}</span>}
      {run.handled === 'route' && <span>went on at its error output</span>}
      {run.handled === 'continue' && <span>went on with its fallback</span>}
    </div>
  );
}
