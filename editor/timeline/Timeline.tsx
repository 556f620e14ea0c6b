import { ArrowLeft, ChartGantt, RefreshCw, TriangleAlert, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { RunTimeline } from '#shared/run-timeline.ts';
import { useRuns } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { clockText, durationText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { SpanGrid } from './SpanGrid.tsx';
import { costText, tokensText } from './span-labels.ts';
import { getTimeline } from '../api/runs.ts';

const MAX_ZOOM = 64;

/** How the run on the canvas spent its time and money. */
export function Timeline({ onLeave }: { onLeave(): void }) {
  const run = useRuns((state) => state.shown?.id);
  const status = useRuns((state) => state.shown?.status);
  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      {run === undefined || status === undefined ? (
        <>
          <Header onLeave={onLeave} />
          <EmptyState icon={ChartGantt} title="No run is on the canvas">
            Choose one in the list of runs.
          </EmptyState>
        </>
      ) : (
        <Of key={run} run={run} status={status} onLeave={onLeave} />
      )}
    </div>
  );
}

function Of({ run, status, onLeave }: { run: string; status: string; onLeave(): void }) {
  const [state, retry] = useTimeline(run, status);
  const [zoom, setZoom] = useState(1);
  if (state.kind === 'ready') {
    const { timeline } = state;
    return (
      <>
        <Header onLeave={onLeave}>
          <Totals timeline={timeline} />
          <Zoom zoom={zoom} onZoom={setZoom} />
        </Header>
        {timeline.spans.length > 0 ? <SpanGrid timeline={timeline} zoom={zoom} /> : <NotKept />}
      </>
    );
  }
  return (
    <>
      <Header onLeave={onLeave} />
      {state.kind === 'loading' ? (
        <div className="m-auto text-text-2">
          <Spinner label="Loading the timeline" />
        </div>
      ) : (
        <EmptyState
          icon={TriangleAlert}
          title="The timeline could not be loaded"
          action={
            <Button size="sm" icon={RefreshCw} onClick={retry}>
              Try again
            </Button>
          }
        >
          {state.message}
        </EmptyState>
      )}
    </>
  );
}

function Header({ onLeave, children }: { onLeave(): void; children?: React.ReactNode }) {
  return (
    <div className="flex h-8 shrink-0 items-center gap-3 border-b border-line px-2 text-xs text-text-2">
      <Button size="sm" variant="ghost" icon={ArrowLeft} onClick={onLeave}>
        All runs
      </Button>
      {children}
    </div>
  );
}

function Totals({ timeline }: { timeline: RunTimeline }) {
  const { summary, ms, criticalMs, timed, cut } = timeline;
  const facts = [
    tokensText(summary),
    costText(summary),
    timed && criticalMs > 0 && `critical path ${durationText(criticalMs)}`,
    !timed && 'The times of its nodes were not taken.',
    cut && 'It has more parts than are shown.',
  ].filter((fact) => typeof fact === 'string');
  return (
    <span className="min-w-0 truncate tabular-nums">
      Run of {clockText(summary.startedAt).slice(0, 8)}, {durationText(ms)}
      {facts.map((fact) => (
        <span key={fact}> · {fact}</span>
      ))}
    </span>
  );
}

function Zoom({ zoom, onZoom }: { zoom: number; onZoom(zoom: number): void }) {
  return (
    <span className="ml-auto flex shrink-0 items-center">
      <IconButton
        size="sm"
        side="top"
        icon={ZoomOut}
        label="Zoom out"
        disabled={zoom <= 1}
        onClick={() => onZoom(zoom / 2)}
      />
      <span className="w-10 text-center tabular-nums">{zoom}×</span>
      <IconButton
        size="sm"
        side="top"
        icon={ZoomIn}
        label="Zoom in"
        disabled={zoom >= MAX_ZOOM}
        onClick={() => onZoom(zoom * 2)}
      />
    </span>
  );
}

function NotKept() {
  return (
    <EmptyState icon={ChartGantt} title="Only a summary of this run was recorded">
      Runs that are started here are recorded whole, and of the others one a second and every failure. With
      “Record: full” in its settings the flow records all of them.
    </EmptyState>
  );
}

/** How often a run in progress is polled, in milliseconds. */
const LOOK_EVERY = 2000;

type TimelineState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'ready'; readonly timeline: RunTimeline };

/** The timeline of a run; polled while the run is in progress. `status` is the last known status of the run. */
function useTimeline(run: string, status: string): [TimelineState, retry: () => void] {
  const [state, setState] = useState<TimelineState>({ kind: 'loading' });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      try {
        const timeline = await getTimeline(run, abort.signal);
        setState({ kind: 'ready', timeline });
        if (timeline.summary.ms === undefined) timer = setTimeout(() => void look(), LOOK_EVERY);
      } catch (error) {
        if (!abort.signal.aborted) setState({ kind: 'failed', message: (error as Error).message });
      }
    };
    void look();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [run, status, tries]);
  return [state, () => setTries(tries + 1)];
}
