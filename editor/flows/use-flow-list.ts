import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { FlowActivity, FlowSummary } from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { getActivity } from '../api/flow-list.ts';
import { listFlows } from '../api/flows.ts';
import { listRuns, listSchedules } from '../api/runs.ts';
import { useAppUi } from '../session/app-context.tsx';
import { afterFirstPicture } from '../ui/first-picture.ts';
import { type FlowFilter, filterFlows, lastRunOf, searchFlows, type Sort, sortFlows } from './flow-list.ts';

const RUNS_LOOKED_AT = 200;
const route = getRouteApi('/');

/** The known facts about the runs of each flow. */
export interface FlowTimes {
  readonly lastRuns: ReadonlyMap<string, RunSummary>;
  /** Undefined until it is loaded. */
  readonly activity: FlowActivity | undefined;
  /** When a flow with a schedule starts next (ISO 8601). */
  readonly nextRuns: ReadonlyMap<string, string>;
}

/** The list of flows as it is narrowed and sorted, and the ways to change that. */
export interface FlowListState {
  readonly flows: UseQueryResult<FlowSummary[]>;
  /** Empty until they are loaded. */
  readonly all: readonly FlowSummary[];
  /** The flows that fit the filter and the search, in order. */
  readonly shown: readonly FlowSummary[];
  readonly times: FlowTimes;
  readonly search: { query: string; setQuery(query: string): void; sort: Sort; setSort(sort: Sort): void };
  /** Part of the address, so that links keep it. */
  readonly filter: FlowFilter;
  setFilter(filter: FlowFilter): void;
}

/** The flows of the server, narrowed by the address and by what is typed. */
export function useFlowList(): FlowListState {
  const flows = useQuery({ queryKey: ['flows'], queryFn: listFlows, refetchInterval: 10_000 });
  const times = useFlowTimes();
  const [query, setQuery] = useState('');
  const [sort, setSort] = useState<Sort>('name');
  const { folder, tag, favourites } = route.useSearch();
  const navigate = route.useNavigate();
  const marked = useAppUi((state) => state.favourites);
  const all = useMemo(() => flows.data ?? [], [flows.data]);
  const filter = useMemo<FlowFilter>(
    () => ({ ...(folder && { folder }), ...(tag && { tag }), ...(favourites && { favourites }) }),
    [folder, tag, favourites],
  );
  const { lastRuns } = times;
  const shown = useMemo(
    () => sortFlows(searchFlows(filterFlows(all, filter, marked), query), sort, lastRuns),
    [all, filter, marked, query, sort, lastRuns],
  );
  return {
    flows,
    all,
    shown,
    times,
    search: { query, setQuery, sort, setSort },
    filter,
    setFilter: (next) => void navigate({ search: next, replace: true }),
  };
}

function useFlowTimes(): FlowTimes {
  const [enabled, setEnabled] = useState(false);
  useEffect(() => {
    let isHere = true;
    void afterFirstPicture().then(() => isHere && setEnabled(true));
    return () => {
      isHere = false;
    };
  }, []);
  const runs = useQuery({
    queryKey: ['runs', 'last'],
    queryFn: () => listRuns(undefined, RUNS_LOOKED_AT),
    refetchInterval: 5_000,
  });
  const activity = useQuery({
    enabled,
    queryKey: ['activity'],
    queryFn: getActivity,
    refetchInterval: 30_000,
  });
  const schedules = useQuery({
    enabled,
    queryKey: ['schedules'],
    queryFn: listSchedules,
    refetchInterval: 30_000,
  });
  return useMemo(() => {
    const nextRuns = new Map<string, string>();
    for (const { flow, next } of schedules.data ?? []) {
      const known = nextRuns.get(flow);
      if (next !== undefined && (known === undefined || next < known)) nextRuns.set(flow, next);
    }
    return { lastRuns: lastRunOf(runs.data?.runs ?? []), activity: activity.data, nextRuns };
  }, [runs.data, activity.data, schedules.data]);
}
