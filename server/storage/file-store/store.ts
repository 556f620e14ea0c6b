import { type FolderEntry, WeftError } from '#engine';
import type { ByteRange } from './blobs.ts';

/** A file read from a store. */
export interface StoredContent {
  /** Read once; stopping early ends it. */
  readonly content: AsyncIterable<Uint8Array>;
  /** The media type, where the store knows it. */
  readonly type?: string | undefined;
}

/** The current state of a file; `version` differs if it was changed. */
export interface StoredPlace {
  readonly bytes: number;
  readonly version: string;
}

/** A file to be written. */
export interface StoreWrite {
  readonly content: AsyncIterable<Uint8Array>;
  readonly bytes: number;
  readonly type: string;
  /** False: an existing file stays, and the write fails. */
  readonly replace: boolean;
}

/** How a folder is listed. */
export interface StoreList {
  /** Include the folders within. */
  readonly recursive: boolean;
  readonly limit: number;
}

/**
 * Files by path, outside of Weft. `store.contract.ts` tests every implementation.
 * FO1. Nothing outside the store is read, written, listed or deleted, whatever the path.
 * FO2. A written file exists as a whole or not at all.
 * FO3. Content passes through piece by piece.
 * FO4. Among concurrent writes that must not replace anything, one succeeds.
 *
 * All methods throw `folder_path_refused`.
 */
export interface FileStore {
  /** Throws `folder_file_not_found`. */
  open(path: string, signal: AbortSignal): Promise<StoredContent>;
  /** The place of a file on this machine, for `openAt` later. Throws `folder_file_not_found`. */
  find?(path: string): Promise<StoredPlace>;
  /** The file, or a part of it, at the given version. Throws `file_changed`, also while it is read. */
  openAt?(path: string, version: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Throws `folder_file_exists`, and the errors of the content. */
  write(path: string, file: StoreWrite, signal: AbortSignal): Promise<void>;
  /** Sorted by path. An empty path is the store itself. Throws `folder_file_not_found`. */
  list(path: string, options: StoreList, signal: AbortSignal): Promise<FolderEntry[]>;
  /** False if there was no such file. */
  remove(path: string, signal: AbortSignal): Promise<boolean>;
}

/** The names of a path; each must match. Throws `folder_path_refused`. */
export function segmentsOf(path: string, each: RegExp): string[] {
  const segments = path.split('/');
  if (path.isWellFormed() && segments.every((segment) => each.test(segment))) return segments;
  throw pathRefused(`${JSON.stringify(path.slice(0, 200))} is no path inside a folder.`);
}

export function pathRefused(message: string): WeftError {
  return new WeftError('folder_path_refused', message);
}

export function fileMissing(path: string): WeftError {
  return new WeftError('folder_file_not_found', `There is nothing at ${JSON.stringify(path.slice(0, 200))}.`);
}

export function fileExists(path: string): WeftError {
  return new WeftError(
    'folder_file_exists',
    `There is already a file at ${JSON.stringify(path.slice(0, 200))}.`,
  );
}
