import { durationText } from '../ui/format.ts';
import { NAME_WIDTH } from './SpanLine.tsx';
import { markStep } from './span-rows.ts';

/** The head of the timeline: time marks, which stay visible. `width` in pixels. */
export function TimeScale({ ms, width }: { ms: number; width: number }) {
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
