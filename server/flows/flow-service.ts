import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Host, Registry, Tools } from '#engine';
import type { SecretInfo } from '#shared/api.ts';
import type { LoadedCode } from './code-flows.ts';
import type { Config } from '../config/config.ts';
import type { FlowDocument, FlowService } from './flow-types.ts';
import type { TriggerTable } from './trigger-table.ts';
import type { VariableStore } from './variable-store.ts';
import { ServiceError } from '../errors/errors.ts';
import { sweepLeftovers } from '../files/atomic-file.ts';
import { type FindFlow, servedSignature } from './called-flows.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import { createExaminedApart } from './apart/examined-apart.ts';
import { createDraftStore } from './drafts.ts';
import { edited, type Entry, revisionOf } from './entry.ts';
import { type Compile, createExaminer } from './examine.ts';
import { createFlowIndex, type FlowIndex } from './flow-index.ts';
import { createFlowReads } from './flow-reads.ts';
import { createFlowWrites } from './flow-writes.ts';
import { loadFlows } from './load-flows.ts';
import { createMutationQueue } from './mutation-queue.ts';
import { recheckFlows } from './recheck-flows.ts';
import { createTrash } from './trash.ts';
import { createVersionKeeper } from './version-keeper.ts';
import { createVersionStore } from './versions.ts';
import { type FlowWatch, watchFlows } from './watch-flows.ts';

export interface FlowServiceDeps {
  readonly config: Pick<Config, 'flows' | 'data' | 'editor' | 'deploy'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly registry: Registry;
  readonly triggers: TriggerTable;
  readonly variables: Pick<VariableStore, 'snapshot'>;
  readonly compile: Compile;
  readonly tools: Tools;
  readonly host: Pick<Host, 'now'>;
  /** Absent where nobody can say which secrets there are. */
  readonly secrets?: () => readonly SecretInfo[];
  /** Flows written in code; none by default. */
  readonly codeFlows?: readonly LoadedCode[];
}

/** Flows on disk, served: files in, live flows out. Everything was read once when this resolves. */
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
  const refresh = async (paths = index.changedPaths()) => keeper.settled(await index.refresh(paths));
  const watch = followChanges(deps, (paths) => queue.run(() => refresh(paths)).finally(() => tellFiles()));
  keeper
    .loaded(index, queue, () => closed)
    .catch((err: unknown) => deps.log.error({ err }, 'The versions found at start could not all be kept.'));

  function change<T>(work: () => Promise<T>): Promise<T> {
    if (config.editor === 'off') return Promise.reject(new ServiceError('read_only'));
    return queue.run(work).finally(() => tellFiles());
  }
  const changed = (work: () => Promise<Entry>): Promise<FlowDocument> =>
    change(async () => reads.document(await work()));

  return {
    list: reads.list,
    schemas: (id) => parts.called.find?.(id)?.schemas,
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
      queue.run(async () => {
        const lacking = await recheckFlows(parts.examine, index.entries.values(), what);
        await keeper.settled(index.settle([]));
        return lacking;
      }),
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
      await parts.apart.close();
    },
  };
}

/** What serves of a flow that was imported with this id, which is none of ours: the original's are UUIDs. */
function importedAs({ entries }: Pick<FlowIndex, 'entries'>, uid: string): Entry | undefined {
  if (uid === '' || ID_PATTERN.test(uid)) return undefined;
  for (const entry of entries.values()) {
    const awel = entry.serving?.live.flow['awel'];
    if (typeof awel === 'object' && awel !== null && (awel as { uid?: unknown }).uid === uid) return entry;
  }
  return undefined;
}

type FileListener = (layoutOf?: string) => void;

/** Who wants to know that files have changed. */
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
  const apart = createExaminedApart(deps.registry.catalog, { ...deps, called });
  const examine = createExaminer({ ...deps, called, apart });
  const index = createFlowIndex({
    roots: config.flows,
    log,
    triggers,
    examine,
    codeFlows,
    onFolder: sweepLeftovers,
    onServed: () => {
      for (const listener of listeners) listener();
    },
  });
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
    examine,
    apart,
    index,
    versions,
    keeper,
    drafts,
    trash,
    triggers,
    now,
  };
}

/** `takeOver` gets the paths that changed, or nothing when it has to look for itself. */
function followChanges(
  { config, log }: FlowServiceDeps,
  takeOver: (paths?: string[]) => Promise<void>,
): FlowWatch {
  const failed = (err: unknown): void =>
    log.error({ err }, 'A change of flow files could not be taken over.');
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
    log.warn({ err }, 'The folder for flows is not there and cannot be made; no flow can be saved.');
  }
}
