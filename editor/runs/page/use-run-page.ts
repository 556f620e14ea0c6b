import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { searchRuns } from '../../api/history.ts';
import { getRun, getRunEvents, getTimeline, listRuns } from '../../api/runs.ts';
import { loadEvents } from '../../state/run-history.ts';
import { isOver } from '../../state/run-status.ts';
import { runSteps } from './run-steps.ts';
import { useRanFlow, useStepTitle } from './use-ran-flow.ts';

/** How often a run in progress is looked at, in milliseconds. */
const LOOK_MS = 1_000;
/** Runs that it started, which are listed. */
const MOST_PARTS = 100;

const api = { listRuns, getRun, getRunEvents };

/** All that is known of a run; kept up to date while it is in progress. */
export function useRunPage(id: string) {
  const summary = useQuery({
    queryKey: ['run', id],
    queryFn: () => getRun(id),
    refetchInterval: ({ state: { data } }) => data !== undefined && !isOver(data.status) && LOOK_MS,
  });
  const { status } = summary.data ?? {};
  const rest = {
    enabled: status !== undefined,
    refetchInterval: status !== undefined && !isOver(status) && LOOK_MS,
    // While the next answer comes, the last one stays.
    placeholderData: <T>(before: T | undefined) => before,
  };
  const events = useQuery({
    queryKey: ['run-events', id, status],
    queryFn: () => loadEvents(api, id, 0),
    ...rest,
  });
  const timeline = useQuery({
    queryKey: ['run-timeline', id, status],
    queryFn: ({ signal }) => getTimeline(id, signal),
    ...rest,
  });
  const parts = useQuery({
    queryKey: ['run-parts', id, status],
    queryFn: () => searchRuns({ parent: id, limit: MOST_PARTS }),
    ...rest,
  });
  const flow = useRanFlow(summary.data);
  const title = useStepTitle(summary.data?.flow, flow);
  const state = useMemo(
    () =>
      summary.data && runSteps(summary.data, events.data?.events ?? [], timeline.data?.spans ?? [], title),
    [summary.data, events.data, timeline.data, title],
  );
  return { summary, state, missing: events.data?.missing, timeline, parts: parts.data, flow, title };
}
