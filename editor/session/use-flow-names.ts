import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import { listFlows } from '../api/flows.ts';

/** The names of flows by their ids; a flow without a name, or that is gone, has its id. */
export function useFlowNames(): (flow: string) => string {
  const { data = [] } = useQuery({ queryKey: ['flows'], queryFn: listFlows });
  const names = useMemo(() => new Map(data.map(({ id, name }) => [id, name])), [data]);
  return (flow) => withoutDirectionMarks(names.get(flow) ?? flow);
}
