import type { TimelineSpan } from '#shared/run-timeline.ts';
import { cx } from '../ui/cx.ts';

interface SpanBarProps {
  span: TimelineSpan;
  /** Duration of the whole run, in milliseconds. */
  ms: number;
}

const FILLS: Readonly<Record<TimelineSpan['status'], string>> = {
  ok: 'bg-ok-soft border-ok',
  running: 'bg-busy-soft border-busy',
  failed: 'bg-bad-soft border-bad',
  cancelled: 'bg-surface-3 border-line-strong',
  abandoned: 'bg-warn-soft border-warn',
};

/** A span on the scale: its duration, its waits within it, and a line below if it is on the critical path. */
export function SpanBar({ span, ms }: SpanBarProps) {
  const place = (start: number, length: number) => ({
    // A span that starts at the very end of the run stays visible.
    left: `min(${(100 * start) / ms}%, 100% - 4px)`,
    width: `${(100 * length) / ms}%`,
  });
  return (
    <span aria-hidden className="absolute inset-0">
      <span
        style={place(span.start, span.ms)}
        className={cx(
          'absolute top-1.5 h-3 min-w-0.5 rounded-xs border',
          span.kind === 'run' && 'border-dashed',
          FILLS[span.status],
        )}
      />
      {span.waits.map(({ start, ms: length }) => (
        <span key={start} style={place(start, length)} className="timeline-wait absolute top-2.5 h-1" />
      ))}
      {span.critical && (
        <span style={place(span.start, span.ms)} className="absolute top-5 h-0.5 min-w-0.5 bg-accent" />
      )}
    </span>
  );
}
