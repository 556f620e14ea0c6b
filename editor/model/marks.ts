/** What the canvas says of parts of a flow beside how a run fared: how two versions differ, or what no test goes through. */
export type Mark = 'added' | 'removed' | 'changed' | 'untested';

export interface Marks {
  /** By the node's id. */
  readonly nodes: Readonly<Record<string, Mark>>;
  /** By `edgeId`. */
  readonly edges: Readonly<Record<string, Mark>>;
}
