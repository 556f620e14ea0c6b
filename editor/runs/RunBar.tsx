import { CornerUpLeft, Radio, RotateCcw, Square } from 'lucide-react';
import { continueRunCommand } from '../commands/part-run.ts';
import { CommandButton } from '../shell/CommandButton.tsx';
import { useIsPast, useRuns, useSession } from '../shell/session.tsx';
import type { ShownRun } from '../state/run-store.ts';
import { Button } from '../ui/Button.tsx';
import { clockText, countText, durationText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useNow } from '../ui/use-now.ts';
import { missingText } from './run-words.ts';

/** The run on the canvas, in one line: how it stands, for how long, and the way back to live runs. */
export function RunBar() {
  const { runs, actions } = useSession();
  const shown = useRuns((state) => state.shown);
  const follow = useRuns((state) => state.follow);
  // The banner of a past state leads back itself.
  const isPast = useIsPast();
  const opening = useRuns((state) => state.opening !== undefined);
  const lost = useRuns((state) => state.connection === 'lost');
  if (!shown && !opening && !lost) return null;
  return (
    <div className="flex max-w-full min-w-0 items-center gap-2 rounded-lg border border-line bg-surface px-2 py-1 text-xs shadow-(--shadow)">
      {opening && <Spinner label="Opening the run" className="size-3.5" />}
      {shown && <RunLine run={shown} />}
      {lost && (
        <span role="status" className="inline-flex items-center gap-1 text-warn">
          <RotateCcw aria-hidden className="size-3.5 shrink-0" />
          Connection lost, reconnecting
        </span>
      )}
      {shown?.status === 'running' && (
        <IconButton
          size="sm"
          icon={Square}
          tone="bad"
          label="Stop the run"
          keys={['Mod+.']}
          onClick={() => void actions.stopRun()}
        />
      )}
      {shown && <InPart run={shown} />}
      {shown && (shown.status === 'failed' || shown.status === 'cancelled') && (
        <CommandButton command={continueRunCommand} />
      )}
      {!follow && !isPast && (
        <Button size="sm" variant="ghost" icon={Radio} onClick={() => runs.getState().actions.follow()}>
          Back to live
        </Button>
      )}
    </div>
  );
}

function RunLine({ run }: { run: ShownRun }) {
  const { status, startedAt, ms, error, missing } = run;
  const now = useNow(status === 'running');
  const elapsed = status === 'running' ? Math.max(0, now - startedAt) : ms;
  const note = missing === undefined ? undefined : missingText(missing);
  return (
    <span className="flex min-w-0 items-center gap-2">
      <RunStatusBadge status={status} />
      <span className="shrink-0 tabular-nums text-text-2">{clockText(startedAt).slice(0, 8)}</span>
      {elapsed !== undefined && (
        <span className="shrink-0 tabular-nums">
          {status === 'running' ? `${Math.floor(elapsed / 1000)} s` : durationText(elapsed)}
        </span>
      )}
      {error && (
        <span className="min-w-0 truncate text-bad" title={error.message}>
          <ProseText text={error.message} />
        </span>
      )}
      {note && (
        <span className="min-w-0 truncate text-text-2" title={note}>
          {note}
        </span>
      )}
    </span>
  );
}

/** How much of the flow the run carried out, and the way to the run whose outputs it used. */
function InPart({ run: { decisions, reused } }: { run: ShownRun }) {
  const actions = useRuns((state) => state.actions);
  const source = useRuns((state) => state.recent.find((row) => row.run === reused)?.startedAt);
  if (!decisions) return null;
  const all = Object.values(decisions);
  const ran = all.filter(({ does }) => does === 'run').length;
  return (
    <span className="flex shrink-0 items-center gap-1 text-text-2">
      {ran} of {countText(all.length, 'node')} ran
      {reused !== undefined && (
        <Button size="sm" variant="ghost" icon={CornerUpLeft} onClick={() => void actions.open(reused)}>
          From {source === undefined ? 'an earlier run' : `the run at ${clockText(source).slice(0, 8)}`}
        </Button>
      )}
    </span>
  );
}
