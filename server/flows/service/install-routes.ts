import type { TriggerRoute, TriggerTable } from './trigger-table.ts';
import { ServiceError } from '../../base/errors/errors.ts';

/** A flow that wants to change its routes. */
export interface Candidate {
  readonly id: string;
  readonly current: readonly TriggerRoute[];
  readonly wanted: readonly TriggerRoute[];
}

/**
 * Gives as many candidates as possible the routes that they want, and returns their ids. If two want the same route,
 * the first one wins. Flows that swap their paths, as after a git pull, succeed together. All of it happens within one
 * turn, so no request sees an intermediate state.
 */
export function installRoutes(table: TriggerTable, candidates: readonly Candidate[]): Set<string> {
  const done = new Set<string>();
  let open = [...candidates];
  for (let before = -1; open.length > 0 && open.length !== before; ) {
    before = open.length;
    open = open.filter((candidate) => {
      const fits = tryReplace(table, candidate, candidate.wanted);
      if (fits) done.add(candidate.id);
      return !fits;
    });
  }
  for (const id of installTogether(table, open)) done.add(id);
  return done;
}

/** The largest leading group whose members wait only for routes that other members give up. */
function installTogether(table: TriggerTable, candidates: readonly Candidate[]): string[] {
  // Each candidate was already tried alone, and without a given-up route nothing becomes free.
  let group = candidates.some((c) => c.current.length > 0) ? [...candidates] : [];
  while (group.length > 1) {
    for (const { id } of group) table.replace(id, []);
    const loser = group.find((candidate) => !tryReplace(table, candidate, candidate.wanted));
    if (!loser) return group.map((c) => c.id);
    for (const { id } of group) table.replace(id, []);
    for (const { id, current } of group) table.replace(id, current);
    group = group.filter((c) => c !== loser);
  }
  return [];
}

function tryReplace(table: TriggerTable, { id }: Candidate, routes: readonly TriggerRoute[]): boolean {
  try {
    table.replace(id, routes);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
