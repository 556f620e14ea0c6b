import { createStore, type StoreApi } from 'zustand/vanilla';
import type { FlowDetail, FlowSummary } from '#shared/api.ts';

/** The server's state of the open flow, besides the document itself. `save.ts` updates it. */
export interface SyncState {
  /** From the server's last answer: live or draft, version, triggers, problems. */
  readonly record: FlowSummary;
  /** The live version that the edits here contain, if it went live after the draft was begun; until the next save. */
  readonly base: string | undefined;
  /** The flow was changed or deleted elsewhere while it was open here. */
  readonly outside: FlowDetail | 'removed' | undefined;
  /** A save was refused because the server has this state instead. */
  readonly conflict: FlowDetail | undefined;
  /** Edits of an earlier visit were restored; when they were made, in Unix milliseconds. */
  readonly restoredFrom: number | undefined;
  /** Whether the edits are based on `saved` of the editor; false for restored edits that were made on an older state. */
  readonly knowsBase: boolean;
}

export type SyncStore = StoreApi<SyncState>;

export function createSyncStore(record: FlowSummary): SyncStore {
  return createStore<SyncState>()(() => ({
    record,
    base: undefined,
    outside: undefined,
    conflict: undefined,
    restoredFrom: undefined,
    knowsBase: true,
  }));
}
