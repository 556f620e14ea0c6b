import type { TriggerTable } from './trigger-table.ts';
import { type Entry, isWaiting, type Serving, servingOf } from './entry.ts';
import type { Examinations } from './examinations.ts';
import { installRoutes } from './install-routes.ts';

/** How a flow starts to serve: the serving version and the trigger table change together, within one turn. */
export interface ServeDeps {
  readonly triggers: TriggerTable;
  readonly examinations: Pick<Examinations, 'currentNow' | 'forServing'>;
}

/**
 * Changes the serving version of a flow, or stops serving it. False, without any change, if another flow holds one of
 * its paths.
 */
export function serve(triggers: TriggerTable, entry: Entry, next: Serving | undefined): boolean {
  const current = entry.serving?.routes ?? [];
  const won = installRoutes(triggers, [{ id: entry.id, current, wanted: next?.routes ?? [] }]);
  if (won.size > 0) entry.serving = next;
  return won.size > 0;
}

/**
 * Serves the files that could serve but do not: those that changed, and those that waited for a path that may be free
 * now. Returns the flows that now serve.
 */
export function serveWaiting(deps: ServeDeps, entries: Iterable<Entry>): Entry[] {
  const wishes = [...entries].filter(isWaiting).flatMap((entry) => wishOf(deps, entry));
  const won = installRoutes(deps.triggers, wishes);
  const changed = wishes.filter(({ id }) => won.has(id));
  for (const { entry, next } of changed) entry.serving = next;
  // The owners of paths have changed, and with them the problems of files that want one.
  for (const { entry } of wishes) {
    if (!entry.file) continue;
    entry.file = { ...entry.file, examined: deps.examinations.currentNow(entry.id, entry.file.examined) };
  }
  return changed.map(({ entry }) => entry);
}

function wishOf({ examinations }: ServeDeps, entry: Entry) {
  if (!entry.file) return [];
  entry.file = { ...entry.file, examined: examinations.forServing(entry.file.examined) };
  const next = isWaiting(entry) ? servingOf(entry.id, entry.file.examined) : undefined;
  if (!next) return [];
  return [{ id: entry.id, entry, next, current: entry.serving?.routes ?? [], wanted: next.routes }];
}
