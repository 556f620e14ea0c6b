import { CircleCheck, CircleDashed, CircleDot, CircleX, type LucideIcon } from 'lucide-react';
import type { FlowSummary } from '#shared/api.ts';
import { Badge, type Tone } from './Badge.tsx';

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly explained: string;
}

const LIVE: Look = { word: 'live', tone: 'ok', icon: CircleCheck, explained: 'The saved flow is live.' };
const BEHIND: Look = {
  word: 'live + draft',
  tone: 'busy',
  icon: CircleDot,
  explained: 'A version of it is live; there is a newer draft, which is not.',
};
const DRAFT: Look = {
  word: 'draft',
  tone: 'neutral',
  icon: CircleDashed,
  explained: 'It is not live yet.',
};
const BROKEN: Look = {
  word: 'broken',
  tone: 'bad',
  icon: CircleX,
  explained: 'Its file has problems, so it is not live.',
};
const FORMER: Look = { ...BROKEN, explained: 'Its file has problems; its last good version is live.' };

function lookOf({ state, hasDraft, version }: Pick<FlowSummary, 'state' | 'hasDraft' | 'version'>): Look {
  if (state === 'broken') return version === undefined ? BROKEN : FORMER;
  if (version === undefined) return DRAFT;
  return hasDraft ? BEHIND : LIVE;
}

interface FlowStateBadgeProps {
  flow: Pick<FlowSummary, 'state' | 'hasDraft' | 'version'>;
  /** Where a phone has no room for the word. */
  onlyIconOnPhone?: boolean;
}

/** Whether a flow is live, by icon, word and colour. */
export function FlowStateBadge({ flow, onlyIconOnPhone = false }: FlowStateBadgeProps) {
  const { word, tone, icon, explained } = lookOf(flow);
  return (
    <Badge tone={tone} icon={icon} title={explained}>
      <span className={onlyIconOnPhone ? 'max-sm:sr-only' : undefined}>{word}</span>
    </Badge>
  );
}
