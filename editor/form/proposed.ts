import { createContext } from 'react';
import type { ConnectionGrants } from '#shared/connection.ts';

/** What a new connection or secret begins with where somebody makes it for a node: the name that the node has, and its grants. */
export interface ProposedThing {
  readonly name?: string | undefined;
  readonly grants?: ConnectionGrants | undefined;
  /** The kinds of connections that the node can use; undefined for all. */
  readonly kinds?: readonly string[] | undefined;
}

export const Proposed = createContext<ProposedThing>({});
