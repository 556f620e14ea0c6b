import { createStore, type StoreApi } from 'zustand/vanilla';
import type { FlowDetail, FlowSummary } from '#shared/api.ts';

/** What the server has of the open flow, beside the document itself. `save.ts` keeps it. */
export interface SyncState {
  /** As the server told it last: live or draft, version, triggers, problems. */
  readonly record: FlowSummary;
  /** `on-save`: a save without errors goes live; `manual`: publishing does. */
  readonly deploy: 'on-save' | 'manual';
  /** The flow was changed or removed elsewhere while it was open here. */
  readonly outside: FlowDetail | 'removed' | undefined;
  /** A save was refused because the server has this instead. */
  readonly conflict: FlowDetail | undefined;
  /** Edits of an earlier visit were put back; when they were made, in Unix milliseconds. */
  readonly restoredFrom: number | undefined;
  /** `saved` of the editor is what its edits were made on; not so for edits put back that were made on an older state. */
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
