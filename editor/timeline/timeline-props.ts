import type { Purpose } from '#shared/catalog.ts';
import type { RunTimeline, TimelineSpan } from '#shared/run-timeline.ts';

/** The props of a timeline and of both its views: rows (`SpanGrid`) and bars (`Flame`). */
export interface TimelineProps {
  timeline: RunTimeline;
  nameOf(span: TimelineSpan): string;
  /** The purpose of its node, if that is known. */
  purposeOf(span: TimelineSpan): Purpose | undefined;
  onChoose(span: TimelineSpan): void;
}
