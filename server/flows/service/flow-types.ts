import type { CompiledFlow } from '#engine';
import type { FlowSchemas } from '#shared/flow-schemas.ts';
import type { Actor } from '#shared/audit.ts';
import type { DeletedFlow, SaveMode } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import type { PulledFlows } from '#shared/flow-pull.ts';
import type { NodeFlows } from '#shared/node.ts';
import type { Layout } from '#shared/layout.ts';
import type { Problem } from '#shared/problem.ts';

/** A version of a flow that can run. */
export interface LiveFlow {
  readonly id: string;
  /** Hash of the canonical text, 16 hex characters. */
  readonly version: string;
  readonly flow: Flow;
  /** Compiled on first read. */
  readonly compiled: CompiledFlow;
  /** For a large flow that is not compiled yet: compiles it in turns with requests, so that no request waits for it. Never throws; `compiled` does. */
  readonly toCompile?: (() => Promise<void>) | undefined;
  /**
   * For a draft: everyone who wrote it since the last published version (`Caller.owner`). A published version has none.
   */
  readonly writers?: readonly string[] | undefined;
}

export type FlowState = 'live' | 'draft' | 'broken';

/** A flow as the API describes it. */
export interface FlowRecord {
  readonly id: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** The folder that the flow names, or the one of its file below the flows folder. */
  readonly folder: string | undefined;
  readonly tags: readonly string[] | undefined;
  /** Path below the flows folder. */
  readonly file: string;
  /** `live`: the file serves. `draft`: only a draft exists. `broken`: the file has errors (an older version may still serve). */
  readonly state: FlowState;
  /** Version that serves, if any. */
  readonly version: string | undefined;
  /** The same, beside `draft`. */
  readonly live: string | undefined;
  /** Version of the draft, if there is one. */
  readonly draft: string | undefined;
  /** The version of the file that the draft contains; another one than that of the file after the file was changed elsewhere. */
  readonly base: string | undefined;
  /** Changes with every write of file or draft; a save names the one it was based on. */
  readonly revision: string;
  readonly hasDraft: boolean;
  readonly readOnly: boolean;
  readonly problems: readonly Problem[];
  readonly triggers: readonly {
    node: string;
    operator: string;
    path?: string;
    methods?: readonly string[];
    auth?: string;
  }[];
  /** Ids of the flows that it calls. */
  readonly calls: readonly string[];
  /** Names of the connections that it uses; undefined if it uses none. */
  readonly connections?: readonly string[];
  readonly updatedAt: string;
}

/** A flow with its edited text (the draft, if there is one) and its layout. */
export interface FlowDocument extends FlowRecord {
  readonly text: string;
  /** Undefined if the text does not parse. */
  readonly flow: Flow | undefined;
  readonly layout: Layout | undefined;
  /** There is a layout that cannot be read. */
  readonly layoutBroken?: boolean;
}

export interface FlowVersion {
  readonly version: string;
  /** From 1, in the order in which the versions went live. */
  readonly number?: number | undefined;
  readonly at: string;
  /** The actor's name. */
  readonly author: string;
  /** Undefined for a version of an earlier release. */
  readonly actor: Actor | undefined;
  readonly label: string | undefined;
  readonly live: boolean;
}

/** The routes that the draft of a flow would serve. */
export interface DraftRoutes {
  readonly flow: string;
  readonly routes: readonly {
    readonly node: string;
    readonly path: string;
    readonly methods: readonly string[];
  }[];
}

export interface SaveOptions {
  readonly revision: string | undefined;
  readonly actor: Actor;
  /**
   * `draft`: what is live stays as it is. `publish`: the text goes live, or is refused with its errors; a draft with
   * another text stays. Without it WEFT_DEPLOY decides, and a text with errors becomes the draft.
   */
  readonly mode?: SaveMode | undefined;
  /** The version of the file that the text contains, if that was changed after the draft was begun. */
  readonly base?: string | undefined;
}

/** Files in, live flows out. All writes are atomic; errors are `ServiceError`s. */
export interface FlowService {
  list(): FlowRecord[];
  /** The input and output schemas of the live version, by trigger; undefined if none serves. */
  schemas(id: string): Promise<Readonly<Record<string, FlowSchemas>> | undefined>;
  get(id: string): Promise<FlowDocument>;
  /**
   * `revision` undefined creates a flow; otherwise it must be the current one. The actor's id (`Caller.owner`) is
   * stored with a draft until it is published or discarded.
   */
  save(id: string, text: string, options: SaveOptions): Promise<FlowDocument>;
  /** Makes the draft the file. Throws `conflict` if the file was changed after the draft was begun. */
  publish(id: string, options: { revision: string; actor: Actor; label?: string }): Promise<FlowDocument>;
  discardDraft(id: string, options: { revision: string }): Promise<FlowDocument>;
  remove(id: string, options: { revision: string; actor?: Actor }): Promise<void>;
  /** Deleted flows that can be restored, the newest first. */
  deleted(): Promise<readonly DeletedFlow[]>;
  /** Makes one a draft again. Throws `flow_not_found` if it is not there, and `conflict` if there is a flow of this id. */
  undelete(which: DeletedFlow, options: { actor: Actor }): Promise<FlowDocument>;
  /** Deletes one for good. Throws `flow_not_found` if it is not there. */
  dropDeleted(which: DeletedFlow): Promise<void>;
  saveLayout(id: string, layout: Layout): Promise<void>;
  check(text: string, id?: string): { flow: Flow | undefined; problems: Problem[] };
  /** The same, with large texts in a separate thread, so that they delay no other request. */
  checkApart(text: string, id?: string): Promise<{ flow: Flow | undefined; problems: Problem[] }>;
  versions(id: string): Promise<FlowVersion[]>;
  versionText(id: string, version: string): Promise<string>;
  /** Makes a stored version the file again. */
  restore(id: string, version: string, options: { revision: string; actor: Actor }): Promise<FlowDocument>;
  /** Labels a stored version; an empty label removes the label. */
  labelVersion(id: string, version: string, wish: { label: string; actor: Actor }): Promise<void>;
  /** The serving version; an imported flow is also found by its id in DB-GPT. */
  live(id: string): LiveFlow | undefined;
  /** Calls `listener` when the serving flows or versions change. Returns a function that unsubscribes. */
  watch(listener: () => void): () => void;
  /** Changes with every change of file or draft; undefined if there is no such flow. */
  revision(id: string): string | undefined;
  /** Where the flows come from. */
  source(): NodeFlows;
  /** Imports the new commits of the git repository. Rejects with `flows_not_from_git` if there is none, or a `git_…` code. */
  pull(options?: { readonly force?: boolean }): Promise<PulledFlows>;
  /**
   * Calls `listener` after files, drafts or layouts may have changed, with the id of the flow if its layout was saved.
   * Returns a function that unsubscribes.
   */
  watchFiles(listener: (layoutOf?: string) => void): () => void;
  /** The draft (or the file), compiled for a test run; throws `flow_invalid` if it has errors. */
  draft(id: string): Promise<LiveFlow>;
  /** The routes that drafts have and nobody but their editors can call, by flow. */
  draftRoutes(): readonly DraftRoutes[];
  /**
   * Checks flows that name secrets, variables or connections again after one was created or deleted: a flow that waited for it goes
   * live. Returns the ids of flows that lack it now.
   */
  worldChanged(what: 'secrets' | 'variables' | 'connections' | 'services'): Promise<string[]>;
  /** Whether all flows were read and compiled once. */
  readonly ready: boolean;
  close(): Promise<void>;
}
