/** Marks on the canvas, besides the status of a run: how two versions differ, or what no test covers. */
export type Mark = 'added' | 'removed' | 'changed' | 'untested';

export interface Marks {
  /** By the node's id. */
  readonly nodes: Readonly<Record<string, Mark>>;
  /** By `edgeId`. */
  readonly edges: Readonly<Record<string, Mark>>;
}
