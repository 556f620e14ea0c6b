/** Marks on the canvas, besides the status of a run: how two versions differ, or what no test covers. */
export type Mark = 'added' | 'removed' | 'changed' | 'untested';

export interface Marks {
  /** By the node's id. */
  readonly nodes: Readonly<Record<string, Mark>>;
  /** By `edgeId`. */
  readonly edges: Readonly<Record<string, Mark>>;
}

/** Why the result of a node in a run is out of date, by its id. */
export type Stale = Readonly<Record<string, string>>;

export const NOTHING_STALE: Stale = {};
