import type { FastifyBaseLogger } from 'fastify';
import type { TriggerTable } from './trigger-table.ts';
import { type Entry, isWaiting, type Serving, servingOf } from './entry.ts';
import type { Examinations } from './examinations.ts';
import { installRoutes } from './install-routes.ts';

/** How a flow starts to serve: the serving version and the trigger table change together, within one turn. */
export interface ServeDeps {
  readonly triggers: TriggerTable;
  readonly examinations: Pick<Examinations, 'currentNow' | 'forServing'>;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
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
  for (const { entry, next } of changed) {
    entry.serving = next;
    compileSoon(entry, deps.log);
  }
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

/** A large flow that is being edited is saved again within this time, in milliseconds, and its plans are then useless. */
const COMPILE_AFTER_MS = 1000;

/** Compiles a large flow without calls so far, so that the first caller need not wait for it. */
function compileSoon(entry: Entry, log: ServeDeps['log']): void {
  const live = entry.serving?.live;
  if (live?.toCompile === undefined) return;
  const compile = async (): Promise<void> => {
    if (entry.serving?.live !== live) return;
    await live.toCompile?.();
    try {
      void live.compiled;
    } catch (err) {
      log.error(
        { err, flow: live.id, version: live.version },
        'The flow serves, but cannot be compiled: its runs fail.',
      );
    }
  };
  setTimeout(() => void compile(), COMPILE_AFTER_MS).unref();
}
