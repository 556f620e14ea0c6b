import { createContext } from 'react';
import type { ConnectionGrants } from '#shared/connection.ts';

/** The initial values of a new connection or secret that somebody makes for a node: the name that the node has, and its grants. */
export interface ProposedThing {
  readonly name?: string | undefined;
  readonly grants?: ConnectionGrants | undefined;
  /** The kinds of connections that the node can use; undefined for all. */
  readonly kinds?: readonly string[] | undefined;
}

export const Proposed = createContext<ProposedThing>({});
