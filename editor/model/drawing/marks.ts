/** How two versions differ in a node or an edge, or that no test covers it. */
export type Mark = 'added' | 'removed' | 'changed' | 'untested';

/** The marks on the canvas, besides the status of a run; whatever has no entry has no mark. */
export interface Marks {
  /** By the node's id. */
  readonly nodes: Readonly<Record<string, Mark>>;
  /** By `edgeId`. */
  readonly edges: Readonly<Record<string, Mark>>;
}

/** Why the result of a node in a run is out of date, by its id. */
export type Stale = Readonly<Record<string, string>>;

export const NOTHING_STALE: Stale = {};
