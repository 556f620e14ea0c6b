import { isRefusedByDisk } from '../errors/storage-refusal.ts';
import { StartError } from '../errors/start-error.ts';

const READ_ONLY = /EROFS|readonly/;
const FULL = /ENOSPC|EDQUOT|EFBIG|full|disk I\/O/;

/** Turns an error of the disk at the start into one that names the fix; returns every other error unchanged. */
export function startErrorOf(error: unknown, data: string): unknown {
  if (error instanceof StartError || !isRefusedByDisk(error)) return error;
  const { path } = error as NodeJS.ErrnoException;
  if (path !== undefined && !path.startsWith(data)) return error;
  return refusedStart(data, (error as Error).message);
}

/** `reason` is the system's message. */
export function refusedStart(data: string, reason: string): StartError {
  return new StartError(
    `storage_failed: The data folder ${data} cannot be written (${reason}). ${remedy(reason)}`,
  );
}

function remedy(reason: string): string {
  if (READ_ONLY.test(reason))
    return 'Its disk is read-only: make it writable, or set WEFT_DATA to a folder that this user may write.';
  if (FULL.test(reason)) return 'Free space on its disk and start again: the stored data are unchanged.';
  return 'Set WEFT_DATA to a folder that this user may write.';
}
