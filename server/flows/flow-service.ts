import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Host } from '#engine';
import type { Catalog } from '#shared/catalog.ts';
import type { LoadedCode } from './code-flows.ts';
import type { Config } from '../config/config.ts';
import type { FlowDocument, FlowService } from './flow-types.ts';
import type { TriggerTable } from './trigger-table.ts';
import { ServiceError } from '../errors/errors.ts';
import { sweepLeftovers } from '../files/atomic-file.ts';
import { type CalledFlow, type FindFlow, signatureOf } from './called-flows.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import { createJudgeThread } from './apart/judge-thread.ts';
import { createDraftStore } from './drafts.ts';
import { edited, type Entry, revisionOf } from './entry.ts';
import { createExaminations } from './examinations.ts';
import type { ExamineDeps } from './examine.ts';
import { createFlowIndex, type FlowIndex } from './flow-index.ts';
import { createFlowReads } from './flow-reads.ts';
import { createFlowWrites } from './flow-writes.ts';
import { loadFlows } from './load-flows.ts';
import { createMutationQueue } from './mutation-queue.ts';
import { createRelatedChecks, recheckFlows } from './recheck-flows.ts';
import type { Settled } from './flow-index.ts';
import { createTrash } from './trash.ts';
import { createVersionKeeper } from './version-keeper.ts';
import { createVersionStore } from './versions.ts';
import { type FlowWatch, watchFlows } from './watch-flows.ts';

export interface FlowServiceDeps extends Omit<ExamineDeps, 'triggers' | 'called'> {
  readonly config: Pick<Config, 'flows' | 'data' | 'editor' | 'deploy'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly triggers: TriggerTable;
  readonly host: Pick<Host, 'now'>;
  /** Files from outside put other versions live, or took flows away. */
  readonly onOutside?: (changed: Settled) => void;
  /** Flows written in code; none by default. */
  readonly codeFlows?: readonly LoadedCode[];
}

/** Serves the flows on disk: files in, live flows out. Resolves once everything was read. */
export async function createFlowService(deps: FlowServiceDeps): Promise<FlowService> {
  const { config } = deps;
  const parts = makeParts(deps);
  const { index, keeper } = parts;
  const reads = createFlowReads(parts);
  const writes = createFlowWrites(parts);
  await loadFlows(parts);
  const entryOf = (name: string): Entry | undefined => index.entries.get(name) ?? importedAs(index, name);
  parts.called.find = (id) => servedSignature(entryOf(id), deps.registry.catalog);

  const queue = createMutationQueue();
  const { tellFiles, ...news } = createFileNews(index);
  let closed = false;
  const refresh = async (paths = index.changedPaths()) =>
    keeper.settled(told(deps, await index.refresh(paths)));
  const watch = followChanges(deps, (paths) => queue.run(() => refresh(paths)).finally(() => tellFiles()));
  keeper
    .loaded(index, queue, () => closed)
    .catch((err: unknown) =>
      deps.log.error({ err }, 'Some versions found at the start could not be stored.'),
    );

  function change<T>(work: () => Promise<T>): Promise<T> {
    if (config.editor === 'off') return Promise.reject(new ServiceError('read_only'));
    return queue.run(work).finally(() => tellFiles());
  }
  const changed = (work: () => Promise<Entry>): Promise<FlowDocument> =>
    change(async () => reads.document(await work()));

  return {
    list: reads.list,
    schemas: (id) => parts.examinations.schemas(parts.called.find?.(id)),
    get: reads.get,
    save: (id, text, options) => changed(() => writes.save(id, text, options)),
    publish: (id, options) => changed(() => writes.publish(id, options)),
    restore: (id, version, options) => changed(() => writes.restore(id, version, options)),
    labelVersion: (id, version, label) => change(() => writes.label(id, version, label)),
    discardDraft: (id, options) => changed(() => writes.discardDraft(id, options)),
    remove: (id, options) => change(() => writes.remove(id, options)),
    saveLayout: (id, layout) => change(() => writes.saveLayout(id, layout)).then(() => tellFiles(id)),
    check: reads.check,
    checkApart: reads.checkApart,
    versions: reads.versions,
    versionText: reads.versionText,
    live: (id) => entryOf(id)?.serving?.live,
    draft: reads.draft,
    worldChanged: (what) =>
      queue.run(() => recheckFlows(index, what).finally(() => keeper.settled(index.settle([])))),
    watch(listener) {
      parts.listeners.add(listener);
      return () => parts.listeners.delete(listener);
    },
    ...news,
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

function told({ onOutside }: FlowServiceDeps, settled: Settled): Settled {
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
 * The serving version of a flow that was imported with this id; ids of the original are UUIDs, so they never equal
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

type FileListener = (layoutOf?: string) => void;

/** The listeners for changes of files. */
function createFileNews({ entries }: FlowIndex): Pick<FlowService, 'revision' | 'watchFiles'> & {
  readonly tellFiles: FileListener;
} {
  const listeners = new Set<FileListener>();
  return {
    tellFiles(layoutOf) {
      for (const listener of listeners) listener(layoutOf);
    },
    revision(id) {
      const entry = entries.get(id);
      return entry && edited(entry) && revisionOf(entry);
    },
    watchFiles(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function makeParts(deps: FlowServiceDeps) {
  const { config, log, triggers, codeFlows = [] } = deps;
  const { deploy, data } = config;
  const { now } = deps.host;
  const home = config.flows[0];
  if (home === undefined) throw new Error('There is no folder for flows.');
  makeFolder(home, log);
  const called: { find?: FindFlow } = {};
  const listeners = new Set<() => void>();
  const examinations = createExaminations({ ...deps, called }, createJudgeThread(deps.registry.catalog));
  const index = createFlowIndex({
    roots: config.flows,
    log,
    triggers,
    examinations,
    codeFlows,
    onFolder: sweepLeftovers,
    onServed: (ids) => {
      for (const listener of listeners) listener();
      related.served(ids);
    },
  });
  const related = createRelatedChecks(index, (err) =>
    log.error({ err }, 'Flows could not be checked again after others went live.'),
  );
  const versions = createVersionStore(join(data, 'versions'), (err, text) => log.warn({ err }, text));
  const keeper = createVersionKeeper(versions, now);
  const drafts = createDraftStore(home, now);
  const trash = createTrash(join(data, 'trash'));
  const readOnly = config.editor === 'off';
  return {
    home,
    deploy,
    readOnly,
    called,
    listeners,
    examinations,
    index,
    related,
    versions,
    keeper,
    drafts,
    trash,
    triggers,
    now,
  };
}

/** `takeOver` receives the changed paths, or nothing if it has to find them itself. */
function followChanges(
  { config, log }: FlowServiceDeps,
  takeOver: (paths?: string[]) => Promise<void>,
): FlowWatch {
  const failed = (err: unknown): void => log.error({ err }, 'A change of flow files could not be applied.');
  return watchFlows(config.flows, {
    onChanged: (paths) => void takeOver(paths).catch(failed),
    onReady: () => void takeOver().catch(failed),
    onError: (err) => log.error({ err }, 'Flow files cannot be watched; changes from outside may be missed.'),
  });
}

function makeFolder(home: string, log: FlowServiceDeps['log']): void {
  try {
    mkdirSync(home, { recursive: true });
  } catch (err) {
    log.warn({ err }, 'The flows folder does not exist and cannot be created; no flow can be saved.');
  }
}
