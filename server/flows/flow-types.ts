import type { CompiledFlow } from '#engine';
import type { FlowSchemas } from '#shared/flow-schemas.ts';
import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import type { Problem } from '#shared/problem.ts';

/** A version of a flow that can run. */
export interface LiveFlow {
  readonly id: string;
  /** Hash of the canonical text, 16 hex characters. */
  readonly version: string;
  readonly flow: Flow;
  readonly compiled: CompiledFlow;
  /** Of a draft: who wrote it since the last published version (`Caller.owner`). What was published has none. */
  readonly writers?: readonly string[] | undefined;
}

export type FlowState = 'live' | 'draft' | 'broken';

/** What the API says of a flow. */
export interface FlowRecord {
  readonly id: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** Path below the flows folder. */
  readonly file: string;
  /** `live`: the file serves. `draft`: only a draft exists. `broken`: the file has errors (an older version may still serve). */
  readonly state: FlowState;
  /** Version that serves, if any. */
  readonly version: string | undefined;
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
  readonly updatedAt: string;
}

/** A flow with its text: what is edited (the draft if there is one), and its layout. */
export interface FlowDocument extends FlowRecord {
  readonly text: string;
  /** Absent when the text does not parse. */
  readonly flow: Flow | undefined;
  readonly layout: Layout | undefined;
}

export interface FlowVersion {
  readonly version: string;
  readonly at: string;
  readonly author: string;
  readonly label: string | undefined;
  readonly live: boolean;
}

/** Files in, live flows out. All writes are atomic; errors are `ServiceError`s. */
export interface FlowService {
  list(): FlowRecord[];
  /** What the live version takes and gives, by trigger; undefined where none serves. */
  schemas(id: string): Readonly<Record<string, FlowSchemas>> | undefined;
  get(id: string): Promise<FlowDocument>;
  /**
   * `revision` undefined creates; else it must be the current one. Goes live by WEFT_DEPLOY when `check` has no error, else keeps
   * a draft, as always with `draftOnly`. `writer` (`Caller.owner`) is kept with a draft until it is published or discarded.
   */
  save(
    id: string,
    text: string,
    options: { revision: string | undefined; author: string; writer?: string; draftOnly?: boolean },
  ): Promise<FlowDocument>;
  /** Makes the draft the file. */
  publish(id: string, options: { revision: string; author: string; label?: string }): Promise<FlowDocument>;
  discardDraft(id: string, options: { revision: string }): Promise<FlowDocument>;
  remove(id: string, options: { revision: string }): Promise<void>;
  saveLayout(id: string, layout: Layout): Promise<void>;
  check(text: string, id?: string): { flow: Flow | undefined; problems: Problem[] };
  /** The same; a large text in a thread of its own, so that nobody else waits for it. */
  checkApart(text: string, id?: string): Promise<{ flow: Flow | undefined; problems: Problem[] }>;
  versions(id: string): Promise<FlowVersion[]>;
  versionText(id: string, version: string): Promise<string>;
  /** Makes a kept version the file again. */
  restore(id: string, version: string, options: { revision: string; author: string }): Promise<FlowDocument>;
  /** Names a kept version; an empty label takes the name away. */
  labelVersion(id: string, version: string, label: string): Promise<void>;
  /** The version that serves; of an imported flow also by the id that it had in the original. */
  live(id: string): LiveFlow | undefined;
  /** Calls `listener` when other flows or versions serve than before, until the function it gives is called. */
  watch(listener: () => void): () => void;
  /** Changes with every change of file or draft; undefined where there is no such flow. */
  revision(id: string): string | undefined;
  /**
   * Calls `listener` after files, drafts or layouts may have changed, with the id of the flow whose layout was saved, until the
   * function it gives is called.
   */
  watchFiles(listener: (layoutOf?: string) => void): () => void;
  /** The draft (or the file), compiled for a test run; throws `flow_invalid` when it has errors. */
  draft(id: string): Promise<LiveFlow>;
  /**
   * Judges flows that name secrets or variables again, after one was made or deleted: a flow that waited for it goes live. Gives
   * the ids of those that lack it now.
   */
  worldChanged(what: 'secrets' | 'variables'): Promise<string[]>;
  /** All flows were read and compiled once. */
  readonly ready: boolean;
  close(): Promise<void>;
}
