import { createStore, type StoreApi } from 'zustand/vanilla';
import type { FlowDetail, FlowSummary } from '#shared/api.ts';

/** The server's state of the open flow, besides the document itself. `save.ts` updates it. */
export interface SyncState {
  /** From the server's last answer: live or draft, version, triggers, problems. */
  readonly record: FlowSummary;
  /** `on-save`: a save without errors goes live; `manual`: publishing makes it live. */
  readonly deploy: 'on-save' | 'manual';
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

export function createSyncStore(record: FlowSummary, deploy: SyncState['deploy']): SyncStore {
  return createStore<SyncState>()(() => ({
    record,
    deploy,
    outside: undefined,
    conflict: undefined,
    restoredFrom: undefined,
    knowsBase: true,
  }));
}
