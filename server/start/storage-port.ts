import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../base/adapters/db.ts';
import type { Config } from '../base/config/config.ts';
import type { DurableEngine } from '../execution/durable/port.ts';
import type { Blobs } from '../storage/file-store/blobs.ts';
import type { FlowStore } from '../flows/service/flow-store.ts';
import type { FolderProcess } from '../api/processes/folder-process.ts';
import type { RunHistory } from '../execution/history/history.ts';
import type { Journal } from '../execution/history/journal/journal.ts';
import type { Peers } from '../storage/idempotency/sql-idempotency.ts';
import type { SharedPlaces } from '../execution/runs/shared-places.ts';
import type { SharedBuckets } from '../base/rates/buckets.ts';
import type { OtherServers } from '../access/peers/other-servers.ts';
import type { Nodes } from '../api/routes/context.ts';
import type { Redactor } from '../base/secrets/redactor.ts';
import type { StartTokens } from '../access/security/start-tokens.ts';
import type { SecretStorage } from '../base/secrets/secret-storage.ts';
import type { Sql } from '../storage/database/sql.ts';
import type { Bus } from '../storage/database/bus.ts';
import type { ScheduleOwner, ScheduleOwnerDeps } from '../execution/schedules/schedule-owner.ts';

/**
 * The storage of a server, opened according to the settings: in the data folder, which is its own, or in a database
 * that it shares with other servers. No other code distinguishes the two.
 */
export interface Storage {
  readonly sql: Sql;
  /** The shared database, for parts with tables of their own; undefined: they have files in the data folder. */
  readonly database: Sql | undefined;
  readonly bus: Bus;
  readonly blobs: Blobs;
  /** Where secrets are stored; undefined: in the data folder. */
  readonly secretStorage: SecretStorage | undefined;
  /** Where flows are stored; undefined: in the flows folders. */
  readonly flows: FlowStore | undefined;
  readonly documents: Db;
  history(): RunHistory;
  /** Unix milliseconds, for times that several servers have to agree on. */
  readonly now: () => number;
  readonly nodes: Nodes;
  /** Addresses that sign in a browser at any of the servers; undefined: each server knows its own. */
  readonly startTokens: StartTokens | undefined;
  /** The servers that requests with one idempotency key may also reach. */
  readonly peers: Peers | undefined;
  /** Opens the durable runs that several servers share; undefined: they are in the data folder. */
  readonly openDurable: (() => DurableEngine) | undefined;
  /** Whether this server has a job that only one of them may do, for ten seconds; undefined: it is the only one. */
  readonly alone: ((job: string) => Promise<boolean>) | undefined;
  /** The other servers of the database, for questions that only the server of a run can answer. */
  readonly servers: OtherServers | undefined;
  /** The places of flows that limit their runs, where servers share them. */
  readonly places: SharedPlaces | undefined;
  /** This process among those of one data folder; undefined: it has the folder, or the database, to itself. */
  readonly processes: FolderProcess | undefined;
  /** Limits on calls that servers count together. */
  readonly buckets: SharedBuckets | undefined;
  /** Other servers reach this one at its port from now on, or at that of this process `alone`. */
  listening(port: number, alone?: number): Promise<void>;
  /** Whether a run that this server does not know may be in progress on another one. */
  mayRunElsewhere(startedAt: number): boolean;
  openScheduleOwner(deps: ScheduleOwnerDeps): ScheduleOwner;
  /** Other servers count on this one from now on; called before it listens. */
  begin(): Promise<void>;
  /** Call it after everything that stores data. */
  close(): Promise<void>;
}

/** The storage of a data folder. */
export interface FolderStorage extends Storage {
  history(): Journal;
}

export interface StorageDeps {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly redactor: Redactor;
}
