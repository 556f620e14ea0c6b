import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '#engine';
import type { Config } from '../../base/config/config.ts';
import type { Files, Holder } from '../../storage/file-store/files.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunLimits } from '../runs/run-limits.ts';
import type { RunHub } from '../runs/run-types.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { SecretStore } from '../../base/secrets/store.ts';
import type { RunLinks } from './run-links.ts';
import type { FastifyBaseLogger } from 'fastify';
import { createDiskBlobs } from '../history/blobs/disk-blobs.ts';
import { createDurableRuns, type Durable } from './create-durable-runs.ts';
import type { WaitStore } from './durable-runs.ts';
import { createOpenWorkflowEngine } from './openworkflow/openworkflow-engine.ts';
import type { DurableEngine } from './port.ts';
import { hasUnfinished } from './openworkflow/run-table.ts';
import type { ReviveFlow } from '../starts/revive-flow.ts';
import { createValues } from './values.ts';

interface DurableSources {
  readonly runs: RunHub;
  readonly log: FastifyBaseLogger;
  readonly secrets: SecretStore;
  readonly redactor: Redactor;
  readonly limits: RunLimits;
  readonly links: RunLinks;
  /** With the clock that servers share. */
  readonly host: Host;
  readonly ahead: () => number;
  readonly data: string;
  /** Opens the engine of servers that share their runs; undefined if they are in this server's data folder. */
  readonly openShared: (() => DurableEngine) | undefined;
  readonly sync: Config['durableSync'];
  readonly revive: ReviveFlow;
  readonly waits: WaitStore;
  readonly files: Files;
  readonly live: (id: string) => LiveFlow | undefined;
  readonly variables: () => Readonly<Record<string, unknown>>;
}

/**
 * The durable runs of a data folder, or of servers that share theirs. For a folder, nothing is opened and no thread is
 * started before the first run.
 */
export function openDurable(of: DurableSources): Durable {
  const { data, openShared, sync, log, secrets, redactor, files } = of;
  const file = join(data, 'durable.db');
  const synced = sync === 'full';
  const blobsOf = (run: string): string => join(data, 'durable-values', run);
  return createDurableRuns({
    ...of,
    hub: of.runs,
    open: openShared ?? (() => createOpenWorkflowEngine({ file, full: synced })),
    // Runs of other servers may appear, and need taking over, at any time.
    exists: () => openShared !== undefined || existsSync(file),
    unfinished: () => openShared !== undefined || hasUnfinished(file),
    values: (run) =>
      createValues({
        redactor,
        sealer: secrets,
        blobs: openShared === undefined ? createDiskBlobs(blobsOf(run), { synced }) : undefined,
      }),
    async shareFiles(run, again) {
      const holder = (id: string): Holder => ({ kind: 'run', id });
      await files.give(await files.of(holder(run)), holder(again));
    },
    forget(runs) {
      for (const run of runs) rmSync(blobsOf(run), { recursive: true, force: true });
      if (runs.length > 0) log.debug({ runs: runs.length }, 'durable runs were removed');
    },
  });
}
