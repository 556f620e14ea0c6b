import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { diffFlows } from '#engine/edit';
import type { FlowChange } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import { getVersionText } from '../api/flows.ts';
import { useEditor, useSync } from '../session/session.tsx';

/** The changes of the saved draft that are not live; pending while the flow is not live. */
export function useNotLive(): UseQueryResult<FlowChange[]> {
  const { id, version } = useSync((sync) => sync.record);
  // As it was saved, so that typing costs no comparison.
  const draft = useEditor((editor) => editor.saved.flow);
  return useQuery({
    queryKey: ['live-text', id, version],
    enabled: version !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    // The server only stores texts that it has parsed as flows.
    queryFn: async () => JSON.parse(await getVersionText(id, version ?? '')) as Flow,
    select: (live) => diffFlows(live, draft),
  });
}
