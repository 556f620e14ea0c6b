import { Ban, CircleCheck, CircleX, Hourglass, LoaderCircle, type LucideIcon } from 'lucide-react';
import type { RunSummary } from '#shared/run-event.ts';
import { Badge, type Tone } from './Badge.tsx';

type Status = RunSummary['status'];

const LOOKS: Readonly<Record<Status, { label: string; tone: Tone; icon: LucideIcon }>> = {
  running: { label: 'running', tone: 'busy', icon: LoaderCircle },
  waiting: { label: 'waiting', tone: 'neutral', icon: Hourglass },
  ok: { label: 'ok', tone: 'ok', icon: CircleCheck },
  failed: { label: 'failed', tone: 'bad', icon: CircleX },
  cancelled: { label: 'cancelled', tone: 'neutral', icon: Ban },
};

/** How a run ended, by icon, word and colour. */
export function RunStatusBadge({ status }: { status: Status }) {
  const { label, tone, icon } = LOOKS[status];
  return (
    <Badge tone={tone} icon={icon} spin={status === 'running'}>
      {label}
    </Badge>
  );
}
