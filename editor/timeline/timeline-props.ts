import type { Purpose } from '#shared/catalog.ts';
import type { RunTimeline, TimelineSpan } from '#shared/run-timeline.ts';

export interface TimelineProps {
  timeline: RunTimeline;
  nameOf(span: TimelineSpan): string;
  /** The purpose of its node, if that is known. */
  purposeOf(span: TimelineSpan): Purpose | undefined;
  onChoose(span: TimelineSpan): void;
}
