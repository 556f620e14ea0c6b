import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { type CheckWorker, openCheckWorker } from './check-in-worker.ts';
import { flatFlow } from './document/flat.ts';
import type { EditorWorld } from './editor-world.ts';
import { titledProblems } from './titled-problems.ts';

/** Up to this size a check takes a few milliseconds; larger flows are checked in a worker. */
const LARGE = 500;

/** Kept for the next check: it has the catalog already. */
let worker: CheckWorker | undefined;

/** The problems of a flow, in words for who draws it. Rejects if the code of the checks cannot be loaded. */
export async function checkFlow(
  flow: Flow,
  catalog: Catalog,
  world: EditorWorld,
): Promise<readonly Problem[]> {
  return titledProblems(flow, catalog, await problemsOf(flow, catalog, world));
}

async function problemsOf(flow: Flow, catalog: Catalog, world: EditorWorld): Promise<readonly Problem[]> {
  if (Object.keys(flatFlow(flow).nodes).length > LARGE) {
    try {
      worker ??= openCheckWorker();
      return await worker.check({ flow, catalog, world });
    } catch {
      worker?.close();
      worker = undefined;
    }
  }
  const { check } = await import('./check.ts');
  return check(flow, catalog, world);
}
