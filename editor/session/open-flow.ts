import { queryOptions } from '@tanstack/react-query';
import type { FlowDetail } from '#shared/api.ts';
import {
  getFlow,
  listConnections,
  listFlowsWithSchemas,
  listSecrets,
  listVariables,
  loadCatalog,
} from '../api/flows.ts';
import { type LocalDraft, readDraft } from '../state/drafts.ts';
import { localStorageOf } from './app.ts';
import { isTabOpen, tabId } from './tab.ts';
import { worldOf } from './world.ts';

export interface OpenFlow {
  readonly detail: FlowDetail;
  /** Unsaved edits of an earlier visit. */
  readonly draft: LocalDraft | undefined;
  /** Another open tab has unsaved edits of this flow. */
  readonly openElsewhere: boolean;
}

/** The flow as it is when it is opened, once; later changes come through the session. */
export const openFlowQuery = (id: string) =>
  queryOptions({
    queryKey: ['open-flow', id],
    queryFn: async (): Promise<OpenFlow> => {
      const detail = await getFlow(id);
      const draft = readDraft(localStorageOf(), id);
      const openElsewhere = draft !== undefined && draft.tab !== tabId && (await isTabOpen(draft.tab));
      return { detail, draft: openElsewhere ? undefined : draft, openElsewhere };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
  });

export const catalogQuery = queryOptions({
  queryKey: ['catalog'],
  queryFn: loadCatalog,
  staleTime: Number.POSITIVE_INFINITY,
});

export const worldQuery = queryOptions({
  queryKey: ['world'],
  queryFn: async () =>
    worldOf(
      ...(await Promise.all([listFlowsWithSchemas(), listVariables(), listSecrets(), listConnections()])),
    ),
  staleTime: 30_000,
});
