import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import { listAllApps } from '../api/apps.ts';
import { listFlows } from '../api/flows.ts';
import { runSubject, subjectName } from '../model/run-subject.ts';

/** The names of flows by their ids; a flow without a name, or that is gone, has its id. */
export function useFlowNames(): (flow: string) => string {
  const { data = [] } = useQuery({ queryKey: ['flows'], queryFn: listFlows });
  const names = useMemo(() => new Map(data.map(({ id, name }) => [id, name])), [data]);
  return (flow) => withoutDirectionMarks(names.get(flow) || flow);
}

/** The names of the subjects of runs, flows or not. `shown`: the flows of these runs, as the runs name them. */
export function useRunNames(shown: readonly string[]): (flow: string) => string {
  const flowName = useFlowNames();
  const { data: apps } = useQuery({
    queryKey: ['app-names'],
    queryFn: listAllApps,
    enabled: shown.some((flow) => runSubject(flow).kind === 'app'),
  });
  return (flow) =>
    subjectName(flow, ({ kind, of }) => {
      if (kind === 'flow') return flowName(of);
      return kind === 'app' ? apps?.find((app) => app.app_code === of)?.app_name : undefined;
    });
}
