import type { Stats } from 'node:fs';
import { WeftError } from '#engine';
import { errorTable } from '#shared/errors.ts';

/** A file that stays in its place, in a folder of this machine, with the version that was found. */
export interface Link {
  /** A name of WEFT_FOLDERS. */
  readonly folder: string;
  readonly path: string;
  readonly bytes: number;
  /** Differs if the file was changed or replaced. */
  readonly version: string;
}

const PREFIX = 'link:';

/** Stands for the blob of a file that has none. */
export function blobOf({ folder, path, bytes, version }: Link): string {
  return PREFIX + JSON.stringify({ folder, path, bytes, version });
}

/** The link that `blobOf` wrote; undefined for the id of a blob. */
export function linkOf(blob: string): Link | undefined {
  return blob.startsWith(PREFIX) ? (JSON.parse(blob.slice(PREFIX.length)) as Link) : undefined;
}

/** Differs between two contents of a file, as far as its disk shows. */
export function versionOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

export function changed(): WeftError {
  return new WeftError('file_changed', errorTable.file_changed.meaning);
}
