import type { RoundCount } from '../state/rounds.ts';
import { countText } from '../ui/format.ts';

/** `40 rounds, 1 failed`. */
export function CounterText({ count, failed }: RoundCount) {
  return (
    <span className="weft-counter shrink-0 text-[11px] whitespace-nowrap text-text-2 tabular-nums">
      {countText(count, 'round')}
      {failed > 0 && <span className="font-medium text-bad">, {failed} failed</span>}
    </span>
  );
}
