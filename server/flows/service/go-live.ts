import type { Actor } from '#shared/audit.ts';
import type { TriggerTable } from './trigger-table.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { preparePatterns } from '../../base/requests/ajv.ts';
import type { Entry } from './entry.ts';
import type { Examined } from './examine.ts';
import type { FlowIndex } from './flow-index.ts';
import type { FlowStore } from './flow-store.ts';
import { discardSave, type StagedSave } from './staged-save.ts';
import { routesOf } from './trigger-routes.ts';
import type { Origin, VersionKeeper } from './version-keeper.ts';

export interface GoLiveDeps {
  readonly store: FlowStore;
  readonly index: FlowIndex;
  readonly keeper: VersionKeeper;
  readonly triggers: Pick<TriggerTable, 'conflict'>;
  readonly now: () => number;
  /** Names of the servers on the same flows that do not read this format. */
  readonly lackingFormat?: ((wanted: number) => Promise<readonly string[]>) | undefined;
}

export interface GoLiveOptions extends Origin {
  /** Used if it is for the text that goes live. */
  readonly staged?: StagedSave | undefined;
}

/**
 * Writes the file, then serves it, then stores the version. Throws `flow_invalid`, `publish_conflict` or `servers_too_old` before any
 * change, and `revision_conflict` if the file was changed meanwhile.
 */
export async function goLive(
  deps: GoLiveDeps,
  entry: Entry,
  examined: Examined,
  { staged: given, ...origin }: GoLiveOptions,
): Promise<void> {
  const { index, keeper } = deps;
  const staged = given?.text === examined.text ? given : undefined;
  assertFit(deps, entry.id, examined);
  await assertRead(deps, entry.id, examined);
  for (const { node } of examined.triggers)
    await preparePatterns(examined.flow?.nodes[node]?.params?.['request']);
  if (entry.file?.examined.source !== examined.text)
    await writeFlow(deps, entry, examined, { staged, by: origin.actor });
  const { live, gone } = index.settle([entry]);
  await keeper.settled({ live: live.filter((other) => other !== entry), gone });
  if (live.includes(entry) || origin.label !== undefined) await keeper.keep(entry, origin, staged?.version);
}

async function writeFlow(
  { store, index, now }: GoLiveDeps,
  entry: Entry,
  examined: Examined,
  { staged, by }: Pick<GoLiveOptions, 'staged'> & { readonly by: Actor },
): Promise<void> {
  const path = entry.files[0]?.path ?? store.place(entry.id);
  const before = entry.file?.hash;
  const routes = routesOf(examined.triggers);
  const commit = () => store.stage(path, examined.text).commit(before, routes, by);
  if (staged)
    await staged.file.commit(before, routes, by).catch((error: unknown) => afresh(error, staged, commit));
  else await commit();
  const file = store.at(path);
  if (entry.files.length === 0 && file) entry.files = [file];
  // The hash of its canonical text is its version.
  entry.file = { hash: examined.version, modifiedAt: now(), examined };
  index.adopt(entry);
}

/** A text that could not be staged is written again: there may be room without the staged version. */
async function afresh(error: unknown, staged: StagedSave, commit: () => Promise<void>): Promise<void> {
  if (!(error instanceof ServiceError && error.code === 'storage_failed')) throw error;
  await discardSave(staged);
  await commit();
}

function assertFit({ triggers }: GoLiveDeps, id: string, examined: Examined): void {
  const errors = examined.problems.filter((problem) => problem.severity === 'error');
  if (errors.length === 0) return;
  const more = { detail: examined.problems };
  const taken = examined.runnable ? takenRoute(triggers, id, examined) : undefined;
  if (taken) {
    const message = `Flow ${id} cannot go live: ${taken.method} ${taken.path} is served by flow ${taken.flow} already.`;
    throw new ServiceError('publish_conflict', message, more);
  }
  throw new ServiceError(
    'flow_invalid',
    `Flow ${id} has ${errors.length} error(s); it was not put live.`,
    more,
  );
}

/** A server that does not read the format could not serve the flow any more. */
async function assertRead({ lackingFormat }: GoLiveDeps, id: string, { flow }: Examined): Promise<void> {
  const wanted = flow?.format ?? 1;
  const names = wanted === 1 ? [] : ((await lackingFormat?.(wanted)) ?? []);
  if (names.length === 0) return;
  const message = `Flow ${id} has format ${wanted}, which these servers do not read: ${names.join(', ')}. Upgrade them, then publish.`;
  throw new ServiceError('servers_too_old', message, { detail: names });
}

function takenRoute(triggers: GoLiveDeps['triggers'], id: string, examined: Examined) {
  const routes = examined.triggers.flatMap(({ path, methods }) =>
    path && methods ? [{ path, methods }] : [],
  );
  return triggers.conflict(id, routes);
}
