import { hostname } from 'node:os';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { type Db, openDb } from './adapters/db.ts';
import type { Config } from './config/config.ts';
import type { DurableEngine } from './durable/port.ts';
import type { Blobs } from './file-store/blobs.ts';
import { createDiskBlobs } from './file-store/disk-blobs.ts';
import type { FlowStore } from './flows/flow-store.ts';
import type { RunHistory } from './history/history.ts';
import { createJournal } from './history/journal/journal.ts';
import { version } from './http/version.ts';
import type { Peers } from './idempotency/sql-idempotency.ts';
import type { SharedPlaces } from './runs/shared-places.ts';
import type { SharedBuckets } from './rates/buckets.ts';
import type { OtherServers } from './peers/other-servers.ts';
import type { Nodes } from './routes/context.ts';
import { openScheduleOwner, type ScheduleOwner, type ScheduleOwnerDeps } from './schedules/schedule-owner.ts';
import type { Redactor } from './secrets/redactor.ts';
import type { StartTokens } from './security/start-tokens.ts';
import type { Shelf } from './secrets/shelf.ts';
import { type Bus, createLocalBus } from './storage/bus.ts';
import type { Sql } from './storage/sql.ts';
import { openWeftSql } from './storage/weft-tables.ts';
import { guardPostgresDriver } from './process/postgres-driver.ts';

/**
 * Where the server keeps what outlives it, opened as the settings say: in the data folder, which is its own, or in a database
 * that it shares with other servers. Nothing else asks which of them it is.
 */
export interface Storage {
  readonly sql: Sql;
  /** The shared database, for parts with tables of their own; undefined: they have files in the data folder. */
  readonly database: Sql | undefined;
  readonly bus: Bus;
  readonly blobs: Blobs;
  /** Where secrets are stored; undefined: in the data folder. */
  readonly shelf: Shelf | undefined;
  /** Where flows are stored; undefined: in the flows folders. */
  readonly flows: FlowStore | undefined;
  readonly documents: Db;
  history(): RunHistory;
  /** Unix milliseconds, for what several servers have to agree on. */
  readonly now: () => number;
  readonly nodes: Nodes;
  /** Addresses that sign in a browser at any of the servers; undefined: each server knows its own. */
  readonly startTokens: StartTokens | undefined;
  /** Those that requests with one idempotency key may reach as well. */
  readonly peers: Peers | undefined;
  /** Opens the durable runs that several servers share; undefined: they are in the data folder. */
  readonly openDurable: (() => DurableEngine) | undefined;
  /** Whether this server has a job that one of them is to do, for ten seconds; undefined: it is the only one. */
  readonly alone: ((job: string) => Promise<boolean>) | undefined;
  /** The other servers of the database, for what only the server of a run can answer. */
  readonly servers: OtherServers | undefined;
  /** The places of flows that limit their runs, where servers share them. */
  readonly places: SharedPlaces | undefined;
  /** Limits on calls that servers count together. */
  readonly buckets: SharedBuckets | undefined;
  /** Other servers reach this one at its port from now on, or at that of this process `alone`. */
  listening(port: number, alone?: number): Promise<void>;
  /** Whether a run that this server does not know may be in progress on another one. */
  mayRunElsewhere(startedAt: number): boolean;
  openScheduleOwner(deps: ScheduleOwnerDeps): ScheduleOwner;
  /** Other servers count on this one from now on; called before it listens. */
  begin(): Promise<void>;
  /** After everything that stores data. */
  close(): Promise<void>;
}

export interface StorageDeps {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly redactor: Redactor;
}

/** Opens it; the data folder must exist. Throws a `StartError` for what cannot be opened. */
export async function openStorage(deps: StorageDeps): Promise<Storage> {
  if (deps.config.databaseUrl === undefined) return openFolder(deps);
  guardPostgresDriver();
  const { openDatabase } = await import('./open-database.ts');
  return openDatabase(deps, deps.config.databaseUrl);
}

async function openFolder({ config, log }: StorageDeps): Promise<Storage> {
  const { data, runsDays: days, runsSize: bytes } = config;
  const sql = openWeftSql(data);
  const bus = createLocalBus((err) => log.error({ err }, 'a notice could not be taken'));
  return {
    sql,
    database: undefined,
    bus,
    blobs: createDiskBlobs(join(data, 'files')),
    shelf: undefined,
    flows: undefined,
    documents: await openDb(join(data, 'db.json')),
    history: () =>
      createJournal({
        folder: join(data, 'runs'),
        blobs: join(data, 'blobs'),
        limits: { days, bytes },
        warn: (message) => log.warn(message),
      }),
    now: Date.now,
    nodes: aloneNode(),
    startTokens: undefined,
    peers: undefined,
    openDurable: undefined,
    alone: undefined,
    servers: undefined,
    places: undefined,
    buckets: undefined,
    listening: async () => {},
    mayRunElsewhere: () => false,
    openScheduleOwner,
    begin: async () => {},
    async close() {
      await bus.close();
      await sql.close();
    },
  };
}

/** A server with a data folder of its own is the only one. */
function aloneNode(): Nodes {
  const startedAt = Date.now();
  const name = `${hostname()}/${process.pid}`;
  return {
    isStale: () => false,
    pending: () => [],
    tellUnserved: () => {},
    leave: async () => {},
    list: async () => [
      {
        id: name,
        name,
        version,
        startedAt,
        seenAt: Date.now(),
        state: 'up',
        role: 'all',
        behind: 0,
        self: true,
      },
    ],
  };
}
