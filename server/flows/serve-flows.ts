import type { TriggerTable } from './trigger-table.ts';
import { type Entry, isWaiting, type Serving, servingOf, type Stored } from './entry.ts';
import { compiledNow, type Examine } from './examine.ts';
import { installRoutes } from './install-routes.ts';

/** How a flow comes to serve: what serves and the trigger table change together, within one turn. */
export interface ServeDeps {
  readonly triggers: TriggerTable;
  readonly examine: Examine;
}

/** Serves something else of a flow, or nothing. False, and all as before, when another flow holds one of its paths. */
export function serve(triggers: TriggerTable, entry: Entry, next: Serving | undefined): boolean {
  const current = entry.serving?.routes ?? [];
  const won = installRoutes(triggers, [{ id: entry.id, current, wanted: next?.routes ?? [] }]);
  if (won.size > 0) entry.serving = next;
  return won.size > 0;
}

/**
 * Serves the files that could serve and do not: those that changed, and those that have waited for a path that may be free
 * now. Gives the flows for which that worked.
 */
export function serveWaiting(deps: ServeDeps, entries: Iterable<Entry>): Entry[] {
  const wishes = [...entries].filter(isWaiting).flatMap(wishOf);
  const won = installRoutes(deps.triggers, wishes);
  const changed = wishes.filter(({ id }) => won.has(id));
  for (const { entry, next } of changed) entry.serving = next;
  // Who holds which path has changed, and with it what is wrong with the files that want one.
  for (const { entry } of wishes) if (entry.file) entry.file = recheck(deps.examine, entry.id, entry.file);
  return changed.map(({ entry }) => entry);
}

function wishOf(entry: Entry) {
  if (!entry.file) return [];
  entry.file = { ...entry.file, examined: compiledNow(entry.file.examined) };
  const next = isWaiting(entry) ? servingOf(entry.id, entry.file.examined) : undefined;
  if (!next) return [];
  return [{ id: entry.id, entry, next, current: entry.serving?.routes ?? [], wanted: next.routes }];
}

/** Judges a content again, after what surrounds it has changed. */
export function recheck(examine: Examine, id: string, stored: Stored): Stored {
  // Bytes that are no text cannot be judged again from what is shown of them.
  if (!stored.examined.flow) return stored;
  return { ...stored, examined: examine(id, stored.examined.source) };
}
