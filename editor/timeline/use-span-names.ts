import { useQuery } from '@tanstack/react-query';
import { purposeOf } from '#shared/purpose.ts';
import type { RunSummary } from '#shared/run-event.ts';
import type { TimelineSpan } from '#shared/run-timeline.ts';
import { stepName } from '../model/run-subject.ts';
import { catalogQuery } from '../session/open-flow.ts';
import { useRunNames } from '../session/use-flow-names.ts';

/** The names of nodes and spans, from what the timeline and the catalog know. */
export function useSpanNames(
  { run, flow }: Pick<RunSummary, 'run' | 'flow'>,
  spans: readonly TimelineSpan[],
  /** For nodes of the run that have no span. */
  title: (node: string) => string = (node) => stepName(flow, node),
) {
  const catalog = useQuery(catalogQuery).data;
  const flowName = useRunNames(spans.map((span) => span.flow));
  const infoOf = (span: TimelineSpan | undefined) => catalog?.operators[span?.operator ?? ''];
  const nameOfNode = (node: string): string => {
    const span = spans.find((one) => one.run === run && one.node === node);
    return span?.name ?? infoOf(span)?.title ?? title(node);
  };
  return {
    nameOfNode,
    nameOf: (span: TimelineSpan): string => {
      if (span.kind === 'round') return roundName(span);
      if (span.node === undefined) return flowName(span.flow);
      return span.name ?? infoOf(span)?.title ?? stepName(span.flow, span.node);
    },
    purposeOf: (span: TimelineSpan) => {
      const info = infoOf(span);
      return info && purposeOf(info);
    },
  };
}

/** `Round 4, A-17`, and `Round 4, attempt 2`. */
function roundName({ round = '', key }: TimelineSpan): string {
  const [, number = '0', attempt] = /#(\d+)(?:@(\d+))?$/.exec(round) ?? [];
  const parts = [`Round ${Number(number) + 1}`, key, attempt && `attempt ${attempt}`];
  return parts.filter(Boolean).join(', ');
}
