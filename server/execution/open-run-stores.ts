import { join } from 'node:path';
import type { Host, HttpService, OutputService, StateService } from '#engine';
import { createServerKey } from '../access/security/server-key.ts';
import { type Lazy, lazy } from '../base/parts/lazy.ts';
import type { Base, Outside } from '../base/open-base.ts';
import type { Bus } from '../storage/database/bus.ts';
import type { Sql } from '../storage/database/sql.ts';
import { openSqlite } from '../storage/database/sqlite/open-sqlite.ts';
import type { Files } from '../storage/file-store/files.ts';
import { stateWithFiles } from '../storage/file-store/held-values.ts';
import { type CallStores, openCallStores } from './after-runs/open-calls.ts';
import { createRunLinks, type RunLinks } from './durable/run-links.ts';
import type { ResultStore } from './evaluations/result-store.ts';
import type { RunMarks } from './runs/run-marks.ts';
import {
  createSchedulePauses,
  createScheduleStore,
  type SchedulePauses,
  type ScheduleStore,
} from './schedules/schedule-store.ts';
import type { Hooks } from './sources/hooks.ts';
import { createSourceStore, type SourceStore } from './sources/source-store.ts';
import { createSqlState } from './state/sql-state.ts';
import { createUsageStore, type UsageStore } from './usage/usage-store.ts';
import { type OpenedWaits, openWaits } from './waits/open-waits.ts';

/** The stores that runs write to and read from. */
export interface RunStores {
  readonly state: StateService;
  /** Outputs of nodes on disk. */
  readonly outputs: OutputService;
  /** Questions of runs to people, and the decisions. */
  readonly waiting: OpenedWaits;
  /** Addresses at which callers see the status of their runs. */
  readonly links: RunLinks;
  readonly calls: CallStores;
  /** The time up to which each schedule is done. */
  readonly schedules: ScheduleStore;
  readonly schedulePauses: SchedulePauses;
  /** Deliveries of sources, and their cursors. */
  readonly sources: SourceStore;
  /** The registrations of triggers at services. */
  readonly hooks: Lazy<Hooks>;
  /** The usage of models. */
  readonly usage: UsageStore;
  /** The results of evaluations. */
  readonly evaluationResults: () => Promise<ResultStore>;
  close(): Promise<void>;
}

interface RunStoresDeps {
  readonly storage: {
    readonly sql: Sql;
    readonly bus: Bus;
    readonly alone: ((job: string) => Promise<boolean>) | undefined;
  };
  readonly files: Files;
  readonly http: HttpService;
  /** With the clock that servers share. */
  readonly host: Host;
  readonly marks: RunMarks;
}

export function openRunStores(base: Base, outside: Outside, deps: RunStoresDeps): RunStores {
  const { config, log, redactor } = base;
  const { secrets, ownPort: port } = outside;
  const { storage, files, http, host, marks } = deps;
  const { sql } = storage;
  const outputs = openOutputs(base, outside);
  const around = { http, secrets, host, log };
  const waiting = openWaits({ ...around, storage, config, redactor, hidden: marks.hidden, port });
  const schedules = createScheduleStore(sql);
  const calls = openCallStores(storage, { ...around, role: config.role });
  return {
    state: stateWithFiles(createSqlState(sql, host.now), files),
    outputs: outputs.service,
    waiting,
    links: createRunLinks(createServerKey(sql, 'run-links')),
    calls,
    schedules,
    schedulePauses: createSchedulePauses(schedules, host.now),
    sources: createSourceStore(sql, host.now),
    hooks: lazy(async () => {
      const { openHooks } = await import('./sources/hooks.ts');
      return openHooks(sql, { secrets, redactor, config, host });
    }),
    usage: createUsageStore(sql),
    evaluationResults: async () => (await import('./evaluations/result-store.ts')).createResultStore(sql),
    async close() {
      waiting.close();
      calls.deliveries.close();
      await outputs.close();
    },
  };
}

/** The file is opened when the first output is stored. */
function openOutputs(
  { config: { data, cacheSize: maxBytes }, log }: Base,
  { secrets: sealer }: Outside,
): { readonly service: OutputService; close(): Promise<void> } {
  const opened = lazy(async () => {
    const { createKeptOutputs, outputMigrations } = await import('./state/kept-outputs.ts');
    const sql = openSqlite(join(data, 'outputs.db'), outputMigrations);
    const warn = (message: string): void => log.warn(message);
    return { sql, service: createKeptOutputs({ sql, sealer, now: Date.now, maxBytes, warn }) };
  });
  // A cache that cannot be opened fails no run.
  const service: OutputService = {
    get: (...about) =>
      opened().then(
        (store) => store.service.get(...about),
        () => undefined,
      ),
    set: (...about) =>
      opened().then(
        (store) => store.service.set(...about),
        () => false,
      ),
  };
  return { service, close: async () => (await opened.loading?.catch(() => undefined))?.sql.close() };
}
