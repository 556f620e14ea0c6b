import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Flow } from '#shared/flow.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { ApiError } from '../../api/client.ts';
import { getFlow, getVersionText } from '../../api/flows.ts';
import { nodeIn } from '../../model/document/flat.ts';
import { titleOf } from '../../model/document/geometry.ts';
import { runSubject, stepName } from '../../model/run-subject.ts';
import { catalogQuery } from '../../session/open-flow.ts';

/** The flow that a run executed, or as it is now if that version is not stored; undefined until it is known, and if there is none. */
export function useRanFlow(run: Pick<RunSummary, 'flow' | 'version'> | undefined): Flow | undefined {
  const { flow = '', version = '' } = run ?? {};
  const { data } = useQuery({
    queryKey: ['ran-flow', flow, version],
    queryFn: () => readFlow(flow, version),
    enabled: run !== undefined && runSubject(flow).kind === 'flow',
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return data ?? undefined;
}

/** Null for a file that cannot be read, since a query must not give undefined. */
async function readFlow(flow: string, version: string): Promise<Flow | null> {
  try {
    return JSON.parse(await getVersionText(flow, version)) as Flow;
  } catch (error) {
    // Drafts are not stored.
    if (!(error instanceof ApiError && error.code === 'version_not_found')) throw error;
    return (await getFlow(flow)).flow ?? null;
  }
}

/** The title of a step of a run, in a body or not; its id if nothing is known of it. `id`: of the flow. */
export function useStepTitle(id = '', flow: Flow | undefined): (node: string) => string {
  const { data: catalog } = useQuery(catalogQuery);
  return useCallback(
    (node) => {
      const found = flow && nodeIn(flow, node);
      return found && catalog ? titleOf(found, catalog) : stepName(id, node);
    },
    [id, flow, catalog],
  );
}
