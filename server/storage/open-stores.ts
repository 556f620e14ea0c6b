import type { FileService, FolderService } from '#engine';
import type { Base } from '../base/open-base.ts';
import { lazyService } from '../base/parts/lazy.ts';
import type { ProviderHttp } from '../base/outbound/client.ts';
import type { Sealer } from '../base/secrets/seal.ts';
import type { Sql } from './database/sql.ts';
import type { Blobs } from './file-store/blobs.ts';
import { createFileService } from './file-store/file-service.ts';
import { createFiles, type Files, type FilesDeps } from './file-store/files.ts';
import type { FolderDeps } from './file-store/folders.ts';
import { createUploads, type Uploads } from './file-store/held-values.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';
import { createSqlIdempotency, type Peers } from './idempotency/sql-idempotency.ts';

/** Files as values, and who holds them. */
export interface FileStores {
  readonly files: Files;
  /** Files that were uploaded before the run that will get them. */
  readonly uploads: Uploads;
}

/** `now`: in Unix milliseconds, by the clock that servers share. */
export function openFiles(
  { config, log }: Base,
  { sql, blobs }: { readonly sql: Sql; readonly blobs: Blobs },
  now: () => number,
): FileStores {
  const warn = (err: unknown): void => log.error({ err }, 'who holds a file could not be stored');
  const linked: FilesDeps['linked'] = async (...of) =>
    (await import('./file-store/folders.ts')).readLink(config.folders, ...of);
  const files = createFiles({ sql, blobs, now, warn, linked });
  return { files, uploads: createUploads(files, now, { guestBytes: config.guestFiles }) };
}

/** Files for operators: those of a run, and those in folders. */
export function fileServices(
  { config }: Base,
  { files }: FileStores,
  { http, ...deps }: Pick<FolderDeps, 'connected' | 'link'> & { readonly http: ProviderHttp },
): { readonly files: FileService; readonly folders: FolderService } {
  const service = createFileService(files, http);
  const load = async () =>
    (await import('./file-store/folders.ts')).createFolders({
      ...deps,
      folders: config.folders,
      files: service,
    });
  return { files: service, folders: lazyService(load, ['read', 'write', 'list', 'remove']) };
}

/** The requests with an `Idempotency-Key` that were executed. */
export function openIdempotency(
  { sql, peers }: { readonly sql: Sql; readonly peers: Peers | undefined },
  now: () => number,
  secrets: Sealer,
): IdempotencyStore {
  return createSqlIdempotency(sql, now, secrets, { peers });
}
