import { CircleCheck, CircleDashed, CircleDot, CircleX, type LucideIcon } from 'lucide-react';
import type { FlowSummary } from '#shared/api.ts';
import { Badge, type Tone } from './Badge.tsx';

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly explained: string;
}

const LIVE: Look = { word: 'live', tone: 'ok', icon: CircleCheck, explained: 'It serves as it is saved.' };
const BEHIND: Look = {
  word: 'live + draft',
  tone: 'busy',
  icon: CircleDot,
  explained: 'A version of it serves; there is a newer draft, which does not.',
};
const DRAFT: Look = {
  word: 'draft',
  tone: 'neutral',
  icon: CircleDashed,
  explained: 'It does not serve yet.',
};
const BROKEN: Look = {
  word: 'broken',
  tone: 'bad',
  icon: CircleX,
  explained: 'Its file has problems and does not serve.',
};
const FORMER: Look = { ...BROKEN, explained: 'Its file has problems; the last good version of it serves.' };

function lookOf({ state, hasDraft, version }: Pick<FlowSummary, 'state' | 'hasDraft' | 'version'>): Look {
  if (state === 'broken') return version === undefined ? BROKEN : FORMER;
  if (version === undefined) return DRAFT;
  return hasDraft ? BEHIND : LIVE;
}

/** Whether a flow serves, by icon, word and colour. */
export function FlowStateBadge({ flow }: { flow: Pick<FlowSummary, 'state' | 'hasDraft' | 'version'> }) {
  const { word, tone, icon, explained } = lookOf(flow);
  return (
    <Badge tone={tone} icon={icon} title={explained}>
      {word}
    </Badge>
  );
}
