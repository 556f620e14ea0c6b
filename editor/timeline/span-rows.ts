import type { TimelineSpan } from '#shared/run-timeline.ts';

/** A span as a row of the timeline. */
export interface SpanRow {
  readonly span: TimelineSpan;
  /** It has parts, which are shown while it is open. */
  readonly parts: number;
  readonly isOpen: boolean;
  /** The node of the run itself that it belongs to. */
  readonly top: TimelineSpan;
}

/** From this number of spans on, parts are only shown on demand. */
export const MANY_SPANS = 200;

/** The visible rows. `toggled`: ids of spans that differ from their initial state. */
export function spanRows(spans: readonly TimelineSpan[], toggled: ReadonlySet<string>): SpanRow[] {
  const parts = new Map<string, number>();
  for (const { parent } of spans) if (parent !== undefined) parts.set(parent, (parts.get(parent) ?? 0) + 1);
  const openAtFirst = spans.length <= MANY_SPANS;
  const rows: SpanRow[] = [];
  const shown = new Map<string, SpanRow>();
  for (const span of spans) {
    const above = span.parent === undefined ? undefined : shown.get(span.parent);
    if (span.parent !== undefined && above?.isOpen !== true) continue;
    const isOpen = openAtFirst !== toggled.has(span.id);
    const row = { span, parts: parts.get(span.id) ?? 0, isOpen, top: above?.top ?? span };
    shown.set(span.id, row);
    rows.push(row);
  }
  return rows;
}

const STEPS = [1, 2, 5];
/** Distance between two marks of the scale, in pixels. */
const LEAST_GAP = 80;

/** Milliseconds between the marks of a scale of `ms` over `width` pixels: a round number, with room for the labels. */
export function markStep(ms: number, width: number): number {
  const least = (ms * LEAST_GAP) / Math.max(1, width);
  for (let power = 1; ; power *= 10) for (const step of STEPS) if (step * power >= least) return step * power;
}
