import type { FileValue } from '#shared/file.ts';
import type { Asker, HttpRequest, HttpResponse } from './http-service.ts';

/** From one byte to another, both included and counted from 0. */
export interface FileRange {
  readonly first: number;
  readonly last: number;
}

/** A stored file that is being read. */
export interface OpenFile {
  /** With the name, type and size that the server stored, whatever the value said. */
  readonly file: FileValue;
  /** Read once; stopping early closes it. Throws `file_gone`, or `file_changed` for a file that stayed in its folder. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** A file to be stored. */
export interface NewFile {
  /** Cleaned: one segment without folders and without characters that deceive. */
  readonly name?: string | undefined;
  /** The media type; what the first bytes show counts more. */
  readonly type?: string | undefined;
  /** A stream passes through piece by piece, and is read to its end before the promise resolves. */
  readonly content: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** The most bytes that it may have. */
  readonly maxBytes?: number | undefined;
}

/**
 * Files as values. A file belongs to the run that got or made it, and to the runs within that run. For every other run its
 * value is a plain object, even with the right handle.
 */
export interface FileService {
  /** The file, as the server stored it; undefined for any value that is not a file of this run. */
  find(value: unknown, by: Asker): Promise<FileValue | undefined>;
  /**
   * Throws `bad_input` (no file at all), `file_not_found` (not a file of this run, or deleted), `file_gone` (its bytes are
   * missing).
   */
  open(value: unknown, by: Asker, range?: FileRange): Promise<OpenFile>;
  /**
   * Stores a new file of this run. Throws `file_too_large`, `disk_low`, `storage_failed`, the errors of its content, the reason of
   * `signal`.
   */
  create(file: NewFile, by: Asker, signal: AbortSignal): Promise<FileValue>;
  /**
   * Sends a request, as `http` does, and stores the body of the answer as a file, whatever the status. Throws the errors
   * of both.
   */
  download(
    request: HttpRequest,
    by: Asker,
    signal: AbortSignal,
  ): Promise<Omit<HttpResponse, 'body'> & { readonly file: FileValue }>;
}

/** A file or folder as a folder lists it. */
export interface FolderEntry {
  /** Below the folder, with `/`. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly bytes: number;
  /** ISO 8601; null for a folder where folders are only the beginnings of names (S3). */
  readonly modified: string | null;
}

/**
 * Stores of files by name: folders that the administrator named, and connections that lead to files (S3). A path is relative
 * and stays inside its store, through links too. All methods throw `folder_unknown` and `folder_path_refused`, and where the
 * name is that of a connection `connection_missing` (of another kind), `connection_not_granted`, `secret_draft`,
 * `connection_broken`, `connection_refused`, `connection_failed`.
 */
export interface FolderService {
  /** The content as a file of the run. Throws `folder_file_not_found`, `file_too_large`, `disk_low`, `storage_failed`. */
  read(folder: string, path: string, by: Asker, options: FolderOptions): Promise<FileValue>;
  /**
   * Writes a file of the run, as a whole or not at all; folders on the way are created. Throws `folder_file_exists` (unless
   * `replace`), `storage_failed`, and what opening a file throws.
   */
  write(
    folder: string,
    path: string,
    file: FileValue,
    options: FolderOptions & { readonly by: Asker },
  ): Promise<void>;
  /** Sorted by path, at most `limit`. An empty path is the folder itself. Throws `folder_file_not_found`. */
  list(folder: string, path: string, by: Asker, options: FolderOptions): Promise<FolderEntry[]>;
  /** False if there was no such file. */
  remove(folder: string, path: string, by: Asker, options: FolderOptions): Promise<boolean>;
}

/** Limits and choices of an access to a folder; each call reads those that it knows. */
export interface FolderOptions {
  readonly signal: AbortSignal;
  readonly maxBytes?: number;
  readonly replace?: boolean;
  /** Also what is in the folders within. */
  readonly recursive?: boolean;
  readonly limit?: number;
}
