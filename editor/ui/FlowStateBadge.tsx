import { CircleCheck, CircleDashed, CircleDot, CircleX, type LucideIcon } from 'lucide-react';
import type { FlowSummary } from '#shared/api.ts';
import { Badge, type Tone } from './Badge.tsx';
import { countText } from './format.ts';

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly explained: string;
}

const EMPTY: Look = {
  word: 'Empty',
  tone: 'neutral',
  icon: CircleDashed,
  explained: 'Nothing is drawn yet.',
};
const NOT_PUBLISHED: Look = {
  word: 'Not published',
  tone: 'neutral',
  icon: CircleDashed,
  explained: 'Only this draft exists; nothing outside can call it.',
};
const LIVE: Look = {
  word: 'Live',
  tone: 'ok',
  icon: CircleCheck,
  explained: 'The draft and what is live are the same.',
};
const BEHIND: Look = {
  word: 'Live',
  tone: 'busy',
  icon: CircleDot,
  explained: 'The draft has changes that are not live. Publish shows them.',
};
const BROKEN: Look = {
  word: 'Broken',
  tone: 'bad',
  icon: CircleX,
  explained: 'Its file has problems, so it is not live.',
};
const FORMER: Look = { ...BROKEN, explained: 'Its file has problems; its last good version is live.' };

interface FlowStateBadgeProps {
  flow: Pick<FlowSummary, 'state' | 'hasDraft' | 'version'>;
  /** Nothing is drawn in it. */
  isEmpty?: boolean;
  /** The number of the live version, once it is known. */
  live?: number | undefined;
  /** How many changes the draft has, once they are counted. */
  changes?: number | undefined;
  /** Where a phone has no room for the word. */
  onlyIconOnPhone?: boolean;
}

function lookOf({ flow, isEmpty = false, live, changes }: FlowStateBadgeProps): Look {
  const { state, hasDraft, version } = flow;
  if (state === 'broken') return version === undefined ? BROKEN : FORMER;
  if (isEmpty && (version === undefined || !hasDraft)) return EMPTY;
  if (version === undefined) return NOT_PUBLISHED;
  const word = live === undefined ? LIVE.word : `${LIVE.word} v${live}`;
  if (!hasDraft || changes === 0) return { ...LIVE, word };
  return { ...BEHIND, word: `${word}, ${changes === undefined ? 'changes' : countText(changes, 'change')}` };
}

/** Where a flow stands, by icon, word and colour: `Not published`, `Live`, or with what is known besides, `Live v7, 2 changes`. */
export function FlowStateBadge(props: FlowStateBadgeProps) {
  const { word, tone, icon, explained } = lookOf(props);
  return (
    <Badge tone={tone} icon={icon} title={explained}>
      <span className={props.onlyIconOnPhone ? 'max-sm:sr-only' : undefined}>{word}</span>
    </Badge>
  );
}
