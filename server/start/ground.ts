import type { Host, Registry } from '#engine';
import { version } from '../access/http/version.ts';
import type { Access } from '../access/security/access.ts';
import type { Context } from '../api/routes/context.ts';
import { type Base, type Outside, openOutside } from '../base/open-base.ts';
import type { Chat } from '../chat/open-chat.ts';
import { RunMarks } from '../execution/runs/run-marks.ts';
import { createTracing, type Tracing } from '../execution/telemetry/tracing.ts';
import type { Models } from '../integrations/models/models.ts';
import { type DataManifest, openManifest } from '../storage/database/manifest.ts';
import { openHeld } from '../storage/file-store/file-service.ts';
import { type FileStores, openFiles } from '../storage/open-stores.ts';
import { openStorage } from './open-storage.ts';
import type { Storage } from './storage-port.ts';

/** Parts that replace those of the settings. */
export interface Given extends Partial<Pick<Context, 'log' | 'redactor' | 'editorFiles'>> {
  /** Its services are replaced. */
  readonly host?: Host;
  readonly registry?: Registry;
  readonly access?: Access;
  readonly models?: Models;
  readonly chat?: Partial<Pick<Chat, 'conversations'>>;
}

/** The parts on which all wings above the storage depend. */
export interface Ground {
  readonly manifest: DataManifest;
  readonly storage: Storage;
  /** With the clock that servers on one database share, for stored times, which must not look old to another server. */
  readonly shared: Host;
  readonly stores: FileStores;
  readonly marks: RunMarks;
  readonly outside: Outside;
  /** Undefined if traces are not sent. */
  readonly tracing: Tracing | undefined;
}

/** Throws a `StartError` for a data folder or a database that cannot be used, and for secrets that cannot be decrypted. */
export async function openGround(base: Base): Promise<Ground> {
  const manifest = openData(base);
  const storage = await openStorage(base);
  const shared = withClockOf(storage, base.clock);
  const stores = openFiles(base, storage, shared.now);
  const { files } = stores;
  const marks = new RunMarks((run, handles) => void files.give(handles, { kind: 'run', id: run }));
  const outside = openOutside(base, {
    secretStorage: storage.secretStorage,
    buckets: storage.buckets,
    untrusted: marks.untrusted,
    openFile: async (...of) => (await openHeld(files, ...of)).content,
  });
  return { manifest, storage, shared, stores, marks, outside, tracing: openTracing(base) };
}

function openData({ config: { data, secrets }, log }: Base): DataManifest {
  const environment = Object.keys(secrets).length > 0;
  const manifest = openManifest(data, { weft: version, environment, now: Date.now });
  for (const { store, message } of manifest.losses) log.error({ store }, message);
  return manifest;
}

function withClockOf({ now, servers }: Storage, host: Host): Host {
  return servers === undefined ? host : { ...host, now: () => host.now() - (Date.now() - now()) };
}

function openTracing({ config, log }: Base): Tracing | undefined {
  const {
    otlpEndpoint: endpoint,
    otelServiceName: service,
    tracesSampler: sampler,
    tracesSamplerArg: ratio,
  } = config;
  return endpoint === undefined ? undefined : createTracing({ endpoint, service, sampler, ratio }, log);
}
