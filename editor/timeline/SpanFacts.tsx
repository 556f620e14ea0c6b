import type { TimelineSpan } from '#shared/run-timeline.ts';
import { spanFacts } from './span-labels.ts';

interface SpanFactsProps {
  span: TimelineSpan;
  name: string;
  /** A screen reader says it when it changes: what is drawn has no elements. */
  isSaid?: boolean;
}

/** The details of one span, below all of them. */
export function SpanFacts({ span, name, isSaid = false }: SpanFactsProps) {
  const facts = spanFacts(span).join(' · ');
  return (
    <p
      aria-live={isSaid ? 'polite' : undefined}
      className="flex h-7 shrink-0 items-center gap-2 border-t border-line px-3 text-xs"
    >
      <span className="max-w-56 shrink-0 truncate font-medium" title={name}>
        {name}
      </span>
      <span className="min-w-0 truncate text-text-2 tabular-nums" title={facts}>
        {facts}
      </span>
    </p>
  );
}
