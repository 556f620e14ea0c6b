import { ChevronLeft, ChevronRight, CircleX, type LucideIcon, Timer } from 'lucide-react';
import { useMemo } from 'react';
import { useRuns, useSession } from '../session/session.tsx';
import {
  countOf,
  pickedOf,
  pickRound,
  type RoundCount,
  type RoundRecord,
  roundsOf,
} from '../state/rounds.ts';
import { costText } from '../timeline/span-labels.ts';
import { countText, durationText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Select } from '../ui/Select.tsx';

/** Which round of a container its nodes show: by number, the first that failed, the slowest. */
export function RoundPicker({ id }: { id: string }) {
  const { runs } = useSession();
  const shown = useRuns((s) => s.shown);
  const rounds = useMemo(() => (shown ? roundsOf(shown, id) : []), [shown, id]);
  const picked = shown && pickedOf(shown, id);
  const count = shown && countOf(shown, id);
  const pick = (round: RoundRecord | undefined) => {
    const { shown: now } = runs.getState();
    if (now && round) runs.setState({ shown: pickRound(now, round) });
  };
  const at = rounds.findIndex(({ place }) => place === picked?.place);
  const failed = nextFailed(rounds, at);
  const slowest = slowestOf(rounds);
  return (
    <div role="group" aria-label="Rounds" className="weft-rounds flex min-w-0 items-center gap-1 px-2">
      {count && <CounterText {...count} />}
      {!count && rounds.length > 0 && <SoFarText rounds={rounds} />}
      {rounds.length > 1 && (
        <>
          <Go icon={ChevronLeft} label="Previous round" to={rounds[at - 1]} onPick={pick} />
          <Select
            size="sm"
            label="Round"
            className="nodrag w-36"
            value={picked?.place}
            onValueChange={(place) => pick(rounds.find((round) => round.place === place))}
            options={rounds.map((round) => ({
              value: round.place,
              label: labelOf(round),
              hint: hintOf(round),
            }))}
          />
          <Go icon={ChevronRight} label="Next round" to={rounds[at + 1]} onPick={pick} />
          {failed && <Go icon={CircleX} label="Failed round" to={failed} onPick={pick} tone="bad" />}
          {slowest && <Go icon={Timer} label="Slowest round" to={slowest} onPick={pick} />}
        </>
      )}
    </div>
  );
}

interface GoProps {
  icon: LucideIcon;
  label: string;
  to: RoundRecord | undefined;
  onPick(round: RoundRecord | undefined): void;
  tone?: 'bad';
}

function Go({ to, onPick, ...look }: GoProps) {
  return (
    <IconButton {...look} size="sm" disabled={!to} className="nodrag shrink-0" onClick={() => onPick(to)} />
  );
}

/** `40 rounds, 1 failed`, and what they cost. What ran once has no count. */
function CounterText({ count, failed, cost }: RoundCount) {
  return (
    <span className="weft-counter shrink-0 text-[11px] whitespace-nowrap text-text-2 tabular-nums">
      {(count > 1 || failed > 0) && countText(count, 'round')}
      {failed > 0 && <span className="font-medium text-bad">, {failed} failed</span>}
      {cost !== undefined && ` ${costText({ cost })}`}
    </span>
  );
}

/** While the container runs: the rounds that it has begun. */
function SoFarText({ rounds }: { rounds: readonly RoundRecord[] }) {
  const failed = rounds.filter(({ status }) => status === 'failed').length;
  return (
    <span className="weft-counter shrink-0 text-[11px] whitespace-nowrap text-text-2 tabular-nums">
      {countText(rounds.length, 'round')} so far
      {failed > 0 && <span className="font-medium text-bad">, {failed} failed</span>}
    </span>
  );
}

/** People count from 1. */
function labelOf({ number, attempt, key, status }: RoundRecord): string {
  const words = [
    `Round ${number + 1}`,
    attempt > 1 && `attempt ${attempt}`,
    key,
    status === 'failed' && 'failed',
  ];
  return words.filter(Boolean).join(' · ');
}

function hintOf({ ms, status }: RoundRecord): string {
  const word = { ok: 'OK', failed: 'Failed', running: 'Running' }[status];
  return ms === undefined ? word : `${word}, ${durationText(ms)}`;
}

/** The next one behind the shown round, then from the first again. */
function nextFailed(rounds: readonly RoundRecord[], at: number): RoundRecord | undefined {
  const inTurn = [...rounds.slice(at + 1), ...rounds.slice(0, at + 1)];
  return inTurn.find(({ status }) => status === 'failed');
}

function slowestOf(rounds: readonly RoundRecord[]): RoundRecord | undefined {
  const timed = rounds.filter(({ ms }) => ms !== undefined);
  return timed.length < 2 ? undefined : timed.reduce((a, b) => ((b.ms ?? 0) > (a.ms ?? 0) ? b : a));
}
