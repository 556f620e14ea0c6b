import { ChartGantt, ZoomIn, ZoomOut } from 'lucide-react';
import { useState } from 'react';
import type { Purpose } from '#shared/catalog.ts';
import type { RunTimeline, TimelineSpan } from '#shared/run-timeline.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { durationText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { SpanGrid } from './SpanGrid.tsx';
import { costText, tokensText } from './span-labels.ts';

const MAX_ZOOM = 64;

export interface TimelineProps {
  timeline: RunTimeline;
  nameOf(span: TimelineSpan): string;
  /** What its node is for, if that is known. */
  purposeOf(span: TimelineSpan): Purpose | undefined;
  onChoose(span: TimelineSpan): void;
}

/** How a run spent its time and money. */
export function Timeline(props: TimelineProps) {
  const { timeline } = props;
  const [zoom, setZoom] = useState(1);
  if (timeline.spans.length === 0) return <NotKept />;
  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      <div className="flex h-8 shrink-0 items-center gap-3 border-b border-line px-3 text-xs text-text-2">
        <Totals timeline={timeline} />
        <Zoom zoom={zoom} onZoom={setZoom} />
      </div>
      <SpanGrid {...props} zoom={zoom} />
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
  return <span className="min-w-0 truncate tabular-nums">{facts.join(' · ')}</span>;
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
      Runs that are started in the editor are recorded whole, and of the others one a second and every
      failure. With “Save run data: all” in its settings the flow records all of them.
    </EmptyState>
  );
}
