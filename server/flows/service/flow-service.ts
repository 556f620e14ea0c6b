import type { FastifyBaseLogger } from 'fastify';
import type { Host } from '#engine';
import type { Actor } from '#shared/audit.ts';
import type { Catalog } from '#shared/catalog.ts';
import type { LoadedCode } from './code-flows.ts';
import { contentHash } from '../../base/files/content-hash.ts';
import { makeFolder } from '../../base/files/data-folder.ts';
import type { Config } from '../../base/config/config.ts';
import type { FlowDocument, FlowService } from './flow-types.ts';
import type { TriggerTable } from './trigger-table.ts';
import type { Bus } from '../../storage/database/bus.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { type CalledFlow, type FindFlow, signatureOf } from './called-flows.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import { createJudgeThread, type JudgeThread } from './apart/judge-thread.ts';
import { type Entry, isLive } from './entry.ts';
import { createExaminations, type Examinations } from './examinations.ts';
import type { Examined, ExamineDeps } from './examine.ts';
import { createFlowFolders } from './flow-folders.ts';
import { createFlowIndex, type FlowIndex } from './flow-index.ts';
import type { FlowStore } from './flow-store.ts';
import type { GoLiveDeps } from './go-live.ts';
import { createFlowReads } from './flow-reads.ts';
import type { FlowWrites } from './flow-writes.ts';
import { LargeJson } from './large-json.ts';
import { loadFlows, takeDrafts } from './load-flows.ts';
import { createMutationQueue } from './mutation-queue.ts';
import { createRelatedChecks, recheckFlows } from './recheck-flows.ts';
import type { Settled } from './flow-index.ts';
import { createVersionKeeper } from './version-keeper.ts';
import type { FlowWatch, Judged } from './watch-flows.ts';

export interface FlowServiceDeps extends Omit<ExamineDeps, 'triggers' | 'called'> {
  readonly config: Pick<Config, 'flows' | 'data' | 'editor' | 'deploy'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly triggers: TriggerTable;
  readonly host: Pick<Host, 'now'>;
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>;
  /** Called when files from outside put other versions live, or removed flows. */
  readonly onOutside?: (changed: Settled) => void;
  /** Where flows are stored, if not in the folders of the settings. */
  readonly store?: FlowStore | undefined;
  /** Wraps the store, to act around its changes. */
  readonly around?: ((store: FlowStore) => FlowStore) | undefined;
  /** Checks large flows; tests replace it to act during a check. */
  readonly thread?: JudgeThread | undefined;
  /** Names of other servers that do not read this format; none by default. */
  readonly lackingFormat?: GoLiveDeps['lackingFormat'];
  /** Flows written in code; none by default. */
  readonly codeFlows?: readonly LoadedCode[];
}

/** Serves the flows on disk: files in, live flows out. Resolves once everything was read. */
export async function createFlowService(deps: FlowServiceDeps): Promise<FlowService> {
  const { config } = deps;
  const parts = makeParts(deps);
  const { index, keeper } = parts;
  const { document, ...reads } = createFlowReads(parts);
  const withWrites = lazyWrites(parts);
  await loadFlows(parts);
  warnOfBroken(parts);
  const entryOf = (name: string): Entry | undefined => index.entries.get(name) ?? importedAs(index, name);
  parts.called.find = (id) => servedSignature(entryOf(id), deps.registry.catalog);

  const queue = createMutationQueue();
  const notifyFiles = (layoutOf?: string): void => deps.bus.publish('flow-files', layoutOf);
  let closed = false;
  const refresh = async (paths = index.changedPaths(), by?: Actor) =>
    keeper.settled(reportOutside(deps, await index.refresh(paths)), by);
  const watch = followChanges(parts, {
    readAgain: (paths, by) => queue.run(() => refresh(paths, by)).finally(() => notifyFiles()),
    readFromOthers: (paths) =>
      queue.run(() => takeDrafts(parts, paths).then(() => index.refresh(paths))).then(() => notifyFiles()),
  });
  const unstored = 'Some versions found at the start could not be stored.';
  keeper.loaded(index, queue, () => closed).catch((err: unknown) => deps.log.error({ err }, unstored));
  async function change<T>(work: (writes: FlowWrites) => Promise<T>): Promise<T> {
    const refused = refusalOf(parts.store, config);
    if (refused !== undefined) throw new ServiceError(refused);
    return parts.store.alone(() => queue.run(() => withWrites(work))).finally(() => notifyFiles());
  }
  const changed = (work: (writes: FlowWrites) => Promise<Entry>): Promise<FlowDocument> =>
    change(async (writes) => document(await work(writes)));

  return {
    ...reads,
    schemas: (id) => parts.examinations.schemas(parts.called.find?.(id)),
    save: (id, text, options) => changed((writes) => writes.save(id, text, options)),
    publish: (id, options) => changed((writes) => writes.publish(id, options)),
    restore: (id, version, options) => changed((writes) => writes.restore(id, version, options)),
    labelVersion: (id, version, wish) => change((writes) => writes.label(id, version, wish)),
    discardDraft: (id, options) => changed((writes) => writes.discardDraft(id, options)),
    remove: (id, options) => change((writes) => writes.remove(id, options)),
    ...trashOf(parts.store, { change, changed }),
    saveLayout: (id, layout) => change((writes) => writes.saveLayout(id, layout)).then(() => notifyFiles(id)),
    live: (id) => entryOf(id)?.serving?.live,
    worldChanged: (what) =>
      queue.run(async () => {
        if (what === 'services') await parts.examinations.forget();
        return recheckFlows(index, what).finally(() => keeper.settled(index.settle([])));
      }),
    watch: (listener) => deps.bus.subscribe('flows-served', listener),
    ...sourceOf(parts.store, index),
    watchFiles: (listener) =>
      deps.bus.subscribe('flow-files', (layoutOf) => listener(layoutOf === '' ? undefined : layoutOf)),
    ready: true,
    async close() {
      closed = true;
      await watch.close();
      await queue.idle();
      await parts.related.close();
      await parts.examinations.close();
    },
  };
}

interface Changing {
  change<T>(work: (writes: FlowWrites) => Promise<T>): Promise<T>;
  changed(work: (writes: FlowWrites) => Promise<Entry>): Promise<FlowDocument>;
}

function trashOf(
  { deleted }: FlowStore,
  { change, changed }: Changing,
): Pick<FlowService, 'deleted' | 'undelete' | 'dropDeleted'> {
  return {
    deleted: async () => (await deleted?.list()) ?? [],
    undelete: (which, options) => changed((writes) => writes.undelete(which, options)),
    dropDeleted: (which) => change((writes) => writes.dropDeleted(which)),
  };
}

/** Loads the code that changes flows with the first change: most servers only serve. */
function lazyWrites(parts: ReturnType<typeof makeParts>) {
  let writes: FlowWrites | undefined;
  return async <T>(work: (writes: FlowWrites) => Promise<T>): Promise<T> => {
    writes ??= (await import('./flow-writes.ts')).createFlowWrites(parts);
    return work(writes);
  };
}

/** Why flows must not be changed; undefined if they may. */
function refusalOf(
  { isReadOnly }: FlowStore,
  { editor }: Pick<Config, 'editor'>,
): 'read_only' | 'flows_read_only' | undefined {
  if (editor === 'off') return 'read_only';
  return isReadOnly === true ? 'flows_read_only' : undefined;
}

/** Where the flows come from. Servers with folders of their own compare a hash of all files. */
function sourceOf(
  { isReadOnly, repository }: FlowStore,
  { entries }: Pick<FlowIndex, 'entries'>,
): Pick<FlowService, 'source' | 'pull'> {
  const contents = (): string =>
    contentHash(
      [...entries.values()]
        .map(({ id, file }) => `${id} ${file?.hash ?? ''}`)
        .sort()
        .join(),
    );
  return {
    source() {
      if (repository !== undefined) return { from: 'git', ...repository.state() };
      return isReadOnly === true ? { from: 'folders', contents: contents() } : { from: 'database' };
    },
    async pull(options) {
      if (repository === undefined) throw new ServiceError('flows_not_from_git');
      return repository.pull(options);
    },
  };
}

/** A file that was damaged while the server was down would otherwise go unnoticed, since its last version serves. */
function warnOfBroken({ index, log }: Pick<ReturnType<typeof makeParts>, 'index' | 'log'>): void {
  for (const entry of index.entries.values()) {
    const { id, file, files, serving } = entry;
    if (file === undefined || isLive(entry)) continue;
    const problem = file.examined.problems.find(({ severity }) => severity === 'error')?.message;
    const what = serving ? 'the version that served last goes on' : 'the flow is not served';
    log.warn({ flow: id, file: files[0]?.shown, problem }, `a flow file cannot serve: ${what}`);
  }
}

function reportOutside({ onOutside }: FlowServiceDeps, settled: Settled): Settled {
  onOutside?.(settled);
  return settled;
}

/** The signature of the serving version of a flow. */
function servedSignature(entry: Entry | undefined, catalog: Catalog): CalledFlow | undefined {
  if (!entry?.serving) return undefined;
  const { live, triggers, calls } = entry.serving;
  return signatureOf(entry.id, { flow: live.flow, version: live.version, triggers, calls }, catalog);
}

/**
 * The serving version of a flow that was imported with this id; ids of DB-GPT are UUIDs, so they never equal
 * ours.
 */
function importedAs({ entries }: Pick<FlowIndex, 'entries'>, uid: string): Entry | undefined {
  if (uid === '' || ID_PATTERN.test(uid)) return undefined;
  for (const entry of entries.values()) {
    const awel = entry.serving?.live.flow['awel'];
    if (typeof awel === 'object' && awel !== null && (awel as { uid?: unknown }).uid === uid) return entry;
  }
  return undefined;
}

function makeParts(deps: FlowServiceDeps) {
  const { config, log, triggers, bus, codeFlows = [] } = deps;
  const { deploy } = config;
  const { now } = deps.host;
  const store = deps.around?.(openStore(deps)) ?? openStore(deps);
  const called: { find?: FindFlow } = {};
  const thread = deps.thread ?? createJudgeThread(deps.registry.catalog);
  const examinations = createExaminations({ ...deps, called }, thread);
  const index = createFlowIndex({
    store,
    log,
    triggers,
    examinations,
    codeFlows,
    onServed: (ids) => {
      bus.publish('flows-served');
      related.served(ids);
    },
  });
  const related = createRelatedChecks(index, (err) =>
    log.error({ err }, 'Flows could not be checked again after others went live.'),
  );
  const keeper = createVersionKeeper(store.versions, now);
  const readOnly = refusalOf(store, config) !== undefined;
  return {
    log,
    store,
    deploy,
    readOnly,
    called,
    examinations,
    index,
    related,
    keeper,
    largeJson: new LargeJson(),
    triggers,
    now,
    lackingFormat: deps.lackingFormat,
  };
}

interface Followed {
  /** Receives the changed paths, or undefined if it has to find them itself. */
  readonly readAgain: (paths?: string[], by?: Actor) => Promise<void>;
  readonly readFromOthers: (paths: string[]) => Promise<void>;
}

function followChanges(
  {
    log,
    store,
    examinations,
  }: Pick<FlowServiceDeps, 'log'> & {
    readonly store: FlowStore;
    readonly examinations: Examinations;
  },
  { readAgain, readFromOthers }: Followed,
): FlowWatch {
  const failed = (err: unknown): void => log.error({ err }, 'A change of flow files could not be applied.');
  return store.watch({
    onOthers: readFromOthers,
    judge: async (id, text) => judged(await examinations.examine(id, text)),
    onChanged: (paths, by) => readAgain(paths, by).catch(failed),
    onReady: () => void readAgain().catch(failed),
    onError: (err) => log.error({ err }, 'Flow files cannot be watched; changes from outside may be missed.'),
  });
}

function judged({ runnable, problems }: Examined): Judged {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const works = runnable || (errors.length > 0 && errors.every(({ code }) => code === 'unknown-operator'));
  return { works, problem: errors[0] };
}

function openStore({ config, log, host, store }: FlowServiceDeps): FlowStore {
  if (store !== undefined) return store;
  const [home, ...others] = config.flows;
  if (home === undefined) throw new Error('There is no folder for flows.');
  makeHome(home, log);
  const warn = (err: unknown, text: string): void => log.warn({ err }, text);
  return createFlowFolders({ roots: [home, ...others], data: config.data, now: host.now, warn });
}

function makeHome(home: string, log: FlowServiceDeps['log']): void {
  try {
    makeFolder(home);
  } catch (err) {
    log.warn({ err }, 'The flows folder does not exist and cannot be created; no flow can be saved.');
  }
}
