import { CornerUpLeft, Radio, RotateCcw, Square } from 'lucide-react';
import type { NodeDecision } from '#shared/run-event.ts';
import { publishCommand } from '../commands/file.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { useIsPast, useRuns, useSession, useSync } from '../session/session.tsx';
import { isOver } from '../state/run-status.ts';
import type { ShownRun } from '../state/run-store.ts';
import { Button } from '../ui/Button.tsx';
import { cx } from '../ui/cx.ts';
import { clockText, durationText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useNow } from '../ui/use-now.ts';
import { GoOn } from './GoOn.tsx';
import { missingText } from './run-labels.ts';

/** The run on the canvas, in one line: its status, duration, actions, and the way back to live runs. */
export function RunBar() {
  const shown = useRuns((state) => state.shown);
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
      {shown && <InPart run={shown} />}
      {shown && <RunActions run={shown} />}
      <BackToLive />
    </div>
  );
}

/** The actions for the run's current status. */
function RunActions({ run: { id, status } }: { run: ShownRun }) {
  const { actions } = useSession();
  if (status === 'ok') return <OfferPublish />;
  if (isOver(status)) return <GoOn run={id} />;
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

/** A flow that works and was never published has one step left. */
function OfferPublish() {
  const isLive = useSync((sync) => sync.record.version !== undefined);
  const isPast = useIsPast();
  return isLive || isPast ? null : (
    <CommandButton command={publishCommand} variant="primary" label="Publish it" />
  );
}

function BackToLive() {
  const { runs } = useSession();
  const follow = useRuns((state) => state.follow);
  // The banner of a past state has its own way back.
  const isPast = useIsPast();
  if (follow || isPast) return null;
  return (
    <Button size="sm" variant="ghost" icon={Radio} onClick={() => runs.getState().actions.follow()}>
      Back to live
    </Button>
  );
}

function RunLine({ run }: { run: ShownRun }) {
  const { status, startedAt, ms, error, missing } = run;
  const now = useNow(status === 'running');
  const elapsed = status === 'running' ? Math.max(0, now - startedAt) : ms;
  const note = missing === undefined ? undefined : missingText(missing);
  return (
    <span className={cx('flex items-center gap-2', error || note ? 'min-w-0' : 'shrink-0')}>
      <RunStatusBadge status={status} />
      <span className="shrink-0 tabular-nums text-text-2">{clockText(startedAt).slice(0, 8)}</span>
      {elapsed !== undefined && (
        <span className="shrink-0 tabular-nums">
          {status === 'running'
            ? durationText(Math.floor(elapsed / 1000) * 1000 || 1)
            : durationText(elapsed)}
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

/** The nodes that were not executed, and a link to the run whose outputs were used. */
function InPart({ run: { decisions, reused } }: { run: ShownRun }) {
  const actions = useRuns((state) => state.actions);
  const source = useRuns((state) => state.recent.find((row) => row.run === reused)?.startedAt);
  if (!decisions) return null;
  const text = standInText(Object.values(decisions));
  const at = source === undefined ? undefined : clockText(source).slice(0, 8);
  return (
    <>
      <span className="min-w-0 truncate text-text-2" title={text}>
        {text}
      </span>
      {reused !== undefined && (
        <Button
          size="sm"
          variant="ghost"
          icon={CornerUpLeft}
          title="Opens the run whose outputs were used"
          onClick={() => void actions.open(reused)}
        >
          From {at ?? 'an earlier run'}
        </Button>
      )}
    </>
  );
}

/** `2 reused, 1 left out`. */
function standInText(decisions: readonly NodeDecision[]): string {
  const counts = Map.groupBy(decisions, ({ does }) => does);
  counts.delete('run');
  return [...counts].map(([does, those]) => `${those.length} ${does.replace('-', ' ')}`).join(', ');
}
