import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';
import { loadSession } from '../api/session.ts';
import { createServerStore, type ServerStore } from '../state/server-store.ts';
import { createUiStore, type UiStore } from '../state/ui-store.ts';

/** State that lives as long as the page, whichever flow is open. */
export interface App {
  readonly ui: UiStore;
  readonly server: ServerStore;
  readonly queries: QueryClient;
}

/** The browser's storage; undefined if it is forbidden. */
export function localStorageOf(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

export function createApp(): App {
  const server = createServerStore(loadSession);
  const report = (error: unknown): void => void server.getState().report(error);
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: report }),
    mutationCache: new MutationCache({ onError: report }),
    defaultOptions: {
      queries: { staleTime: 5_000, retry: (count, error) => count < 2 && isPassing(error) },
    },
  });
  server.subscribe((state, before) => {
    if (state.status === 'ok' && before.status !== 'loading' && before.status !== 'ok')
      void queries.invalidateQueries();
  });
  return { ui: createUiStore(localStorageOf()), server, queries };
}

/** Refusals are final; a server that is unreachable or overloaded may answer the next time. */
function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500;
}
