import { type Virtualizer, useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { LINE_HEIGHT, NAME_WIDTH, SpanLine } from './SpanLine.tsx';
import { type SpanRow, spanRows, markStep } from './span-rows.ts';
import { SpanFacts } from './SpanFacts.tsx';
import type { TimelineProps } from './timeline-props.ts';
import { useSpanWalk } from './use-span-walk.ts';
import { useWidth } from '../ui/use-width.ts';
import './timeline.css';
import { durationText } from '../ui/format.ts';

interface SpanGridProps extends TimelineProps {
  /** How many times wider than the panel the scale is. */
  zoom: number;
}

/** The spans under a time scale, of which only the visible rows are rendered; the details of one of them below. */
export function SpanGrid({ timeline, zoom, nameOf, purposeOf, onChoose }: SpanGridProps) {
  const { spans } = timeline;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => spanRows(spans, toggled), [spans, toggled]);
  const box = useRef<HTMLDivElement>(null);
  const width = Math.max(100, useWidth(box) - NAME_WIDTH) * zoom;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 8,
    scrollPaddingStart: LINE_HEIGHT,
  });
  const toggle = (id: string): void => setToggled(flipped(toggled, id));
  const { at, setAt, onKeyDown } = useSpanWalk(rows, virtual, toggle);
  const [hovered, setHovered] = useState<number>();
  const told = rows[hovered ?? at];
  const lines = {
    rows,
    virtual,
    nameOf,
    purposeOf,
    onChoose,
    ms: Math.max(1, timeline.ms),
    at,
    toggle,
    onFocus: setAt,
  };
  return (
    <>
      <div
        ref={box}
        role="treegrid"
        aria-label="Timeline of the run"
        aria-rowcount={rows.length + 1}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-auto"
      >
        <div
          style={{ width: NAME_WIDTH + width, height: LINE_HEIGHT + virtual.getTotalSize() }}
          className="relative"
        >
          <TimeScale ms={lines.ms} width={width} />
          <Lines {...lines} onHover={setHovered} />
        </div>
      </div>
      {told && <SpanFacts span={told.span} name={nameOf(told.span)} />}
    </>
  );
}

interface LinesProps extends Pick<TimelineProps, 'nameOf' | 'purposeOf' | 'onChoose'> {
  rows: readonly SpanRow[];
  virtual: Virtualizer<HTMLDivElement, Element>;
  ms: number;
  at: number;
  toggle(id: string): void;
  onFocus(index: number): void;
  onHover(index: number | undefined): void;
}

function Lines({ rows, virtual, nameOf, purposeOf, onChoose, ms, at, toggle, onFocus, onHover }: LinesProps) {
  return virtual.getVirtualItems().map(({ index, start }) => {
    const row = rows[index];
    if (!row) return null;
    return (
      <div
        key={row.span.id}
        role="presentation"
        className="absolute inset-x-0"
        style={{ top: LINE_HEIGHT + start }}
      >
        <SpanLine
          row={row}
          index={index}
          name={nameOf(row.span)}
          purpose={purposeOf(row.span)}
          ms={ms}
          tabbable={index === at}
          onFocus={onFocus}
          onHover={onHover}
          onChoose={({ span }) => onChoose(span)}
          onToggle={toggle}
        />
      </div>
    );
  });
}

function flipped(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** The head of the timeline: time marks, which stay visible. `width` in pixels. */
function TimeScale({ ms, width }: { ms: number; width: number }) {
  const step = markStep(ms, width);
  const marks = Array.from({ length: Math.ceil(ms / step) }, (_, i) => i * step);
  return (
    <div role="row" aria-rowindex={1} className="sticky top-0 z-2 flex h-6 bg-surface-2 text-xs text-text-2">
      <div
        role="columnheader"
        style={{ width: NAME_WIDTH }}
        className="sticky left-0 z-1 flex shrink-0 items-center border-r border-line bg-surface-2 pl-6"
      >
        Node
      </div>
      <div role="columnheader" aria-label="Time" className="relative min-w-0 flex-1 overflow-hidden">
        {marks.map((mark) => (
          <span
            key={mark}
            style={{ left: `${(100 * mark) / ms}%` }}
            className="absolute inset-y-0 flex items-center border-l border-line pl-1 tabular-nums whitespace-nowrap"
          >
            {mark === 0 ? '0' : durationText(mark)}
          </span>
        ))}
      </div>
    </div>
  );
}
