import { Radio, RotateCcw, Square } from 'lucide-react';
import { useIsPast, useRuns, useSession } from '../session/session.tsx';
import { isOver } from '../state/run-status.ts';
import type { ShownRun } from '../state/run-store.ts';
import { Button } from '../ui/Button.tsx';
import { clockText, durationText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useNow } from '../ui/use-now.ts';

/** Above the canvas: a run in progress, one that was opened, a lost connection. The result itself is in the dock. */
export function RunBar() {
  const shown = useRuns((state) => state.shown);
  const opening = useRuns((state) => state.opening !== undefined);
  const lost = useRuns((state) => state.connection === 'lost');
  const follow = useRuns((state) => state.follow);
  // The banner of a past state has its own way back.
  const isPast = useIsPast();
  const isGoing = shown !== undefined && !isOver(shown.status);
  const isOpened = !follow && !isPast;
  if (![isGoing, isOpened, opening, lost].includes(true)) return null;
  return (
    <div className="flex max-w-full min-w-0 items-center gap-2 rounded-lg border border-line bg-surface px-2 py-1 text-xs shadow-(--shadow)">
      {opening && <Spinner label="Opening the run" className="size-3.5" />}
      {(isGoing || isOpened) && <RunLine run={shown} />}
      {lost && <Lost />}
      {isGoing && <StopButton />}
      {isOpened && <BackToLive />}
    </div>
  );
}

function StopButton() {
  const { actions } = useSession();
  return (
    <IconButton
      size="sm"
      icon={Square}
      tone="bad"
      label="Stop the run"
      keys={['Mod+.']}
      onClick={() => void actions.stopRun()}
    />
  );
}

function BackToLive() {
  const { runs } = useSession();
  return (
    <Button size="sm" variant="ghost" icon={Radio} onClick={() => runs.getState().actions.follow()}>
      Back to live
    </Button>
  );
}

function Lost() {
  return (
    <span role="status" className="inline-flex items-center gap-1 text-warn">
      <RotateCcw aria-hidden className="size-3.5 shrink-0" />
      Connection lost, reconnecting
    </span>
  );
}

function RunLine({ run }: { run: ShownRun | undefined }) {
  return run && <Facts run={run} />;
}

function Facts({ run: { status, startedAt, ms } }: { run: ShownRun }) {
  const now = useNow(status === 'running');
  const elapsed = status === 'running' ? Math.floor(Math.max(0, now - startedAt) / 1000) * 1000 || 1 : ms;
  return (
    <span className="flex shrink-0 items-center gap-2 tabular-nums">
      <RunStatusBadge status={status} />
      <span className="text-text-2">{clockText(startedAt).slice(0, 8)}</span>
      {elapsed !== undefined && <span>{durationText(elapsed)}</span>}
    </span>
  );
}
