import type { LiveFlow } from './flow-types.ts';

/** One path and method list of one live flow. */
export interface TriggerRoute {
  readonly flow: LiveFlow;
  /** The trigger node. */
  readonly node: string;
  /** Normalised: one leading slash, no double ones, `:name` for path params. */
  readonly path: string;
  /** Upper case, without the implied HEAD and OPTIONS. */
  readonly methods: readonly string[];
}

/** A live flow that this server cannot serve, since it lacks operators that another server has. */
export interface FlowAside {
  readonly flow: string;
  /** The operators missing here. */
  readonly operators: readonly string[];
  readonly routes: readonly Pick<TriggerRoute, 'path' | 'methods'>[];
}

/** Maps paths to live triggers. Changes take effect between two requests. */
export interface TriggerTable {
  /** Replaces the routes that `flow` serves (an empty list removes it). Throws `publish_conflict`, naming both flows, and then changes nothing. */
  replace(flow: string, routes: readonly TriggerRoute[]): void;
  /** The other flow that owns one of these paths and methods, if any; changes nothing. */
  conflict(
    flow: string,
    routes: readonly Pick<TriggerRoute, 'path' | 'methods'>[],
  ): { flow: string; path: string; method: string } | undefined;
  find(method: string, path: string): { route: TriggerRoute; params: Record<string, string> } | undefined;
  /** Methods served at a path, for `Allow`; empty if nothing serves it. */
  methodsAt(path: string): string[];
  all(): TriggerRoute[];
  /** Records that a flow is not served here, until the next call. */
  setAside(flow: string, aside: FlowAside | undefined): void;
  /** The flows that are not served here. */
  aside(): FlowAside[];
  /** The flow that would serve a path if this server had its operators. */
  asideAt(path: string): FlowAside | undefined;
}
