import type { DeletedFlow } from '#shared/api.ts';
import type { Actor } from '#shared/audit.ts';
import type { PulledFlows } from '#shared/flow-pull.ts';
import type { NodeFlows } from '#shared/node.ts';
import type { Layout } from '#shared/layout.ts';
import type { DraftStore } from './drafts.ts';
import type { FileContent, FlowFile } from './flow-files.ts';
import type { RoutePlace } from './trigger-routes.ts';
import type { VersionStore } from './versions.ts';
import type { FlowWatch, WatchHandlers } from './watch-flows.ts';

/**
 * Where flows are stored: their files, drafts, layouts and versions, and deleted ones. The index decides which version
 * serves. A file is named by its path, which only its store understands. `flow-store.contract.ts` tests
 * every implementation.
 *
 * FW1. A write exists as a whole or not at all. One that fails leaves the old state, and rejects with `storage_failed`.
 * FW2. A file is replaced only in the state that the writer knows.
 * FW3. A place that cannot be reached (an unmounted disk) counts as unchanged, not as empty.
 */
export interface FlowStore {
  /** Whether other servers put flows live here, which may use operators that this one lacks. */
  readonly isShared?: boolean;
  /** Nothing here can be changed: the service refuses with `flows_read_only`. */
  readonly isReadOnly?: boolean;
  /** All flow files, each once, in rank order. Called once, at the start: it also removes the leftovers of a killed process. */
  scan(): FlowFile[];
  /** The flow file at a path, whether it exists or not; undefined if no flow can be there. */
  at(path: string): FlowFile | undefined;
  /** The path for the file of a new flow. */
  place(id: string): string;
  /** The file's content, unless it has this hash; undefined if there is no file. */
  read(path: string, known?: string): FileContent | 'same' | undefined;
  /** Whether the file exists, or existed and cannot be reached now. */
  isThere(path: string, wasThere: boolean): boolean;
  /** Paths whose file differs from the last read: finds unreported changes. `known`: those of all files. */
  changed(known: Iterable<string>): string[];
  /** Starts to write a new text beside its file. Commit or discard it. */
  stage(path: string, text: string): StagedText;
  /** The layout of a flow; undefined if it is missing or unreadable. `path` is that of the flow's file. */
  layout(path: string): Promise<Layout | undefined>;
  /** Whether there is a layout that cannot be read; undefined where only this server writes layouts. */
  readonly isLayoutBroken?: (path: string) => Promise<boolean>;
  saveLayout(path: string, layout: Layout): Promise<void>;
  /**
   * Deletes a flow: its file, draft and layout are moved to a place where people find files deleted by mistake. Rejects with
   * `conflict` if one of them was changed meanwhile; that one stays.
   */
  remove(id: string, path: string, at: number, by?: Actor): Promise<void>;
  /** What `remove` has taken; undefined where nothing can be deleted. */
  readonly deleted?: DeletedFlows;
  readonly drafts: DraftStore;
  readonly versions: VersionStore;
  /**
   * Runs a change of flows while no other writer of this store makes one, after applying everything that
   * others reported before. Resolves once all servers of this store have applied it, or after two seconds.
   */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Reports changes made by others. */
  watch(handlers: WatchHandlers): FlowWatch;
  /** The repository that the flows come from, if there is one. */
  readonly repository?: FlowRepository;
}

/** The source of flows that are not made here alone. */
export interface FlowRepository {
  /** Imports the new commits. `force`: even if the history was rewritten, or all flows are gone. */
  pull(options?: { readonly force?: boolean }): Promise<PulledFlows>;
  state(): Pick<NodeFlows, 'at' | 'problem'>;
}

/** Deleted flows, until somebody restores them or deletes them for good. A flow may be there several times. */
export interface DeletedFlows {
  /** The newest first. */
  list(): Promise<readonly DeletedFlow[]>;
  /** The text, that of the draft if there was one, and the layout; undefined if it is not there. */
  read(
    which: DeletedFlow,
  ): Promise<{ readonly text: string; readonly layout: Layout | undefined } | undefined>;
  /** Deletes it for good; false if it was not there. */
  drop(which: DeletedFlow): Promise<boolean>;
}

/** A text beside its file. */
export interface StagedText {
  /**
   * Puts it in place of the file, if that still has the hash `before`, or if none exists where `before` is undefined.
   * Rejects with `revision_conflict` otherwise. `routes` are those of the text: where other servers put flows live as well,
   * it rejects with `publish_conflict` if another flow has one of them. `by` is the actor.
   */
  commit(before: string | undefined, routes?: readonly RoutePlace[], by?: Actor): Promise<void>;
  /** Removes it if it was not put in place. Never throws. */
  discard(): Promise<void>;
}
