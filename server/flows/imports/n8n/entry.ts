import type { Context } from './context.ts';
import type { Given } from './job.ts';
import type { Step } from './workflow.ts';

/** The counterpart of one type of n8n. The table of all is data, from which docs/reference/import-n8n.md is made. */
export interface Entry {
  /** Without the name of the package: `httpRequest`. */
  readonly kind: string;
  /** Versions that are read, in words; all if it is left out. */
  readonly versions?: string;
  /**
   * `equal` and `close` as in reports; `http`: by the documented address of the service, through a connection; `code`: by a node with code.
   */
  readonly word: 'equal' | 'close' | 'http' | 'code';
  /** Its counterpart: operators, or something else. */
  readonly becomes: string;
  /** How it differs, in one sentence. */
  readonly difference?: string;
  /** Most files use it in a way that becomes a placeholder, so that it does not count as covered. */
  readonly isSeldom?: true;
  /** Whether the step needs something that is not there, besides credentials. */
  needs?(step: Step): boolean;
  /** A part of another node, such as the model of an agent, has none. */
  convert?(context: Context): Given;
}

/** Thrown by a conversion that meets a setting it cannot follow: the node becomes a placeholder. */
export class NotHere extends Error {
  readonly offers: readonly string[];
  constructor(message: string, offers: readonly string[] = []) {
    super(message);
    this.offers = offers;
  }
}
