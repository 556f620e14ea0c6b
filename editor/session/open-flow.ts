import { queryOptions } from '@tanstack/react-query';
import type { FlowDetail, FlowSummary, SecretInfo, Variable } from '#shared/api.ts';
import type { ConnectionInfo } from '#shared/connection.ts';
import { normalisePath } from '#engine/check';
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
import type { EditorWorld } from '../model/editor-world.ts';

/** A flow at the moment when somebody opens it. */
export interface OpenFlow {
  readonly detail: FlowDetail;
  /** Unsaved edits of an earlier visit, unless another open tab has them. */
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

/** The operators of this server, read once while the page is open. */
export const catalogQuery = queryOptions({
  queryKey: ['catalog'],
  queryFn: loadCatalog,
  staleTime: Number.POSITIVE_INFINITY,
});

/** The rest of the server as the checks of a flow see it; kept for half a minute. */
export const worldQuery = queryOptions({
  queryKey: ['world'],
  queryFn: async () =>
    worldOf(
      ...(await Promise.all([listFlowsWithSchemas(), listVariables(), listSecrets(), listConnections()])),
    ),
  staleTime: 30_000,
});

/** The facts about the rest of the server that the checks and previews of a flow need. */
function worldOf(
  flows: readonly FlowSummary[],
  variables: readonly Variable[],
  secrets: readonly SecretInfo[],
  connections: readonly ConnectionInfo[],
): EditorWorld {
  const live = flows.filter((flow) => flow.version !== undefined);
  return {
    routes: live.flatMap((flow) =>
      flow.triggers.flatMap(({ path, methods }) =>
        path === undefined
          ? []
          : [
              {
                flow: flow.id,
                path: normalisePath(path),
                methods: (methods ?? []).map((m) => m.toUpperCase()),
              },
            ],
      ),
    ),
    variables: variables.map(({ name }) => name),
    values: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    secrets: secrets.map(({ name }) => name),
    grants: Object.fromEntries(secrets.map(({ name, grants }) => [name, grants])),
    connections: Object.fromEntries(connections.map(({ name, kind, grants }) => [name, { kind, ...grants }])),
    flows: live.map(({ id, triggers, calls, schemas }) => ({
      id,
      triggers: triggers.map(({ node }) => node),
      calls,
      schemas,
    })),
  };
}
