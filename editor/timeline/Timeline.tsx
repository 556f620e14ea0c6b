import { ChartGantt, ZoomIn, ZoomOut } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { RunTimeline } from '#shared/run-timeline.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { durationText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { preloadable } from '../ui/preloadable.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import { SpanGrid } from './SpanGrid.tsx';
import { costText, tokensText } from './span-labels.ts';
import type { TimelineProps } from './timeline-props.ts';

const Flame = preloadable(async () => (await import('./Flame.tsx')).Flame);

/** The flame view draws what is in view, so it can go nearer. */
const MAX_ZOOM = { list: 64, flame: 1024 };
const VIEWS = [
  { value: 'list', label: 'List' },
  { value: 'flame', label: 'Flame' },
] as const;
type View = (typeof VIEWS)[number]['value'];

/** How a run spent its time and money. */
export function Timeline(props: TimelineProps) {
  const { timeline } = props;
  const [view, setView] = useState<View>('list');
  const [wanted, setZoom] = useState(1);
  const most = MAX_ZOOM[view];
  const zoom = Math.min(Math.max(wanted, 1), most);
  if (timeline.spans.length === 0) return <NotKept />;
  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      <div className="flex h-8 shrink-0 items-center gap-3 border-b border-line px-3 text-xs text-text-2">
        <Totals timeline={timeline} />
        <span className="ml-auto flex shrink-0 items-center gap-3">
          <SegmentedControl label="View" value={view} options={VIEWS} onValueChange={setView} />
          <Zoom zoom={zoom} most={most} onZoom={setZoom} />
        </span>
      </div>
      {view === 'list' ? (
        <SpanGrid {...props} zoom={zoom} />
      ) : (
        <Suspense fallback={<div className="flex-1" />}>
          <Flame {...props} zoom={zoom} onZoom={setZoom} />
        </Suspense>
      )}
    </div>
  );
}

function Totals({ timeline }: { timeline: RunTimeline }) {
  const { summary, ms, criticalMs, timed, cut } = timeline;
  const facts = [
    durationText(ms),
    tokensText(summary),
    costText(summary),
    timed && criticalMs > 0 && `critical path ${durationText(criticalMs)}`,
    !timed && 'The times of its nodes were not taken.',
    cut && 'It has more parts than are shown.',
  ].filter((fact) => typeof fact === 'string');
  const line = facts.join(' · ');
  return (
    <span className="min-w-0 truncate tabular-nums" title={line}>
      {line}
    </span>
  );
}

function Zoom({ zoom, most, onZoom }: { zoom: number; most: number; onZoom(zoom: number): void }) {
  return (
    <span className="flex shrink-0 items-center">
      <IconButton
        size="sm"
        side="top"
        icon={ZoomOut}
        label="Zoom out"
        disabled={zoom <= 1}
        onClick={() => onZoom(zoom / 2)}
      />
      <span className="w-12 text-center tabular-nums">{zoom}×</span>
      <IconButton
        size="sm"
        side="top"
        icon={ZoomIn}
        label="Zoom in"
        disabled={zoom >= most}
        onClick={() => onZoom(zoom * 2)}
      />
    </span>
  );
}

function NotKept() {
  return (
    <EmptyState icon={ChartGantt} title="Only a summary of this run was recorded">
      Runs that are started in the editor are recorded whole, and of the others one a second and every
      failure. With “Save run data: all” in its settings the flow records all of them.
    </EmptyState>
  );
}
