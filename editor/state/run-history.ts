import { ApiError } from '../api/client.ts';
import type { RunEventPage, RunPage } from '#shared/api.ts';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import { mergeRows } from './run-list.ts';
import type { RunStore } from './run-store.ts';

/** Loads past runs from the server. */
export interface RunApi {
  listRuns(flow: string, limit: number, before?: string): Promise<RunPage>;
  getRun(id: string): Promise<RunSummary>;
  getRunEvents(id: string, after: number): Promise<RunEventPage>;
}

/** The events of a run that the server has recorded, in order. */
export interface PastEvents {
  readonly events: readonly RunEvent[];
  /** Why some are missing: `not-recorded`, `over-limit`, `not-readable`; undefined if none are. */
  readonly missing: string | undefined;
}

const LIST_SIZE = 50;

/** All events of a run after a sequence number. Throws `ApiError`. */
export async function loadEvents(api: RunApi, run: string, after: number): Promise<PastEvents> {
  const events: RunEvent[] = [];
  let missing: string | undefined;
  let from = after;
  for (;;) {
    const page = await api.getRunEvents(run, from);
    for (const event of page.events) {
      if (event.kind === 'gap') missing = event.reason;
      else events.push(event);
      from = event.kind === 'gap' ? event.to : event.seq;
    }
    if (!page.more || page.events.length === 0) return { events, missing };
  }
}

/** Replaces events that could not be read; undefined if a later attempt may succeed. */
export function unreadable(error: unknown): PastEvents | undefined {
  const isOffline = error instanceof ApiError && error.code === 'offline';
  return isOffline ? undefined : { events: [], missing: 'not-readable' };
}

/** Loads the newest runs into the list, which also shows a failure. */
export async function loadRecent(api: RunApi, store: RunStore, flow: string): Promise<void> {
  try {
    const { runs, next } = await api.listRuns(flow, LIST_SIZE);
    store.setState((state) => ({
      recent: mergeRows(state.recent, runs),
      list: 'ready',
      // Pages that were loaded before reach further than this one.
      hasOlder: state.recent.length > LIST_SIZE ? state.hasOlder : next !== undefined,
    }));
  } catch {
    store.setState({ list: 'failed' });
  }
}

/** Loads the page of runs before the oldest one in the list. Throws `ApiError`. */
export async function loadOlder(api: RunApi, store: RunStore, flow: string): Promise<void> {
  const { runs, next } = await api.listRuns(flow, LIST_SIZE, store.getState().recent.at(-1)?.run);
  store.setState((state) => ({
    recent: mergeRows(state.recent, runs, state.recent.length + runs.length),
    hasOlder: next !== undefined,
  }));
}
