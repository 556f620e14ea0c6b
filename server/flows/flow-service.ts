import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Host, Registry, Tools } from '#engine';
import { Layout } from '#shared/layout.ts';
import type { Config } from '../config.ts';
import type { FlowDocument, FlowService, LiveFlow, TriggerTable, VariableStore } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { sweepLeftovers } from './atomic-file.ts';
import { createDraftStore, draftPath } from './drafts.ts';
import { edited, type Entry, recordOf, servingOf, shadowedRecords, type Stored } from './entry.ts';
import { examineFile } from './examine-file.ts';
import { type Compile, compiledNow, createExaminer, type Examine } from './examine.ts';
import { flowFileAt, layoutPath } from './flow-files.ts';
import { createFlowIndex, type FlowIndex, type Settled } from './flow-index.ts';
import { createFlowWrites } from './flow-writes.ts';
import { createMutationQueue } from './mutation-queue.ts';
import { createTrash } from './trash.ts';
import { createVersionStore, type VersionStore } from './versions.ts';
import { watchFlows } from './watch-flows.ts';

export interface FlowServiceDeps {
  readonly config: Pick<Config, 'flows' | 'data' | 'editor' | 'deploy'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly registry: Registry;
  readonly triggers: TriggerTable;
  readonly variables: Pick<VariableStore, 'snapshot'>;
  readonly compile: Compile;
  readonly tools: Tools;
  readonly host: Pick<Host, 'now'>;
}

/** Flows on disk, served: files in, live flows out. Everything was read once when this resolves. */
export async function createFlowService(deps: FlowServiceDeps): Promise<FlowService> {
  const { config, log, triggers, variables } = deps;
  const home = config.flows[0];
  if (home === undefined) throw new Error('There is no folder for flows.');
  makeFolder(home, log);
  const examine = createExaminer(deps);
  const versions = createVersionStore(join(config.data, 'versions'), (err, message) => log.warn({ err }, message));
  const drafts = createDraftStore(home, deps.host.now);
  const index = createFlowIndex({ roots: config.flows, log, triggers, examine, onFolder: sweepLeftovers });
  const trash = createTrash(join(config.data, 'trash'));
  const { deploy } = config;
  const writes = createFlowWrites({ home, deploy, index, drafts, versions, trash, triggers, examine, now: deps.host.now });
  const queue = createMutationQueue();

  index.load();
  ...
}
