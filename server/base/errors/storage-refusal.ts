/** The system's error names for a refused write. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EROFS',
  'EACCES',
  'EPERM',
  'EIO',
]);
/** SQLite's codes: busy, locked, no memory, read-only, full, cannot open. */
const SQLITE_REFUSALS: ReadonlySet<number> = new Set([5, 6, 7, 8, 13, 14]);
const SQLITE_IO = 10;
/**
 * Input and output errors that concern the file: a read that failed, was short or had wrong bytes, a damaged file
 * system.
 */
const SQLITE_FILE_FAULTS: ReadonlySet<number> = new Set([266, 522, 8202, 8458]);

const SQLITE_READ_ONLY = 8;

/** Whether the error is SQLite's for a file that was opened read-only, or has become read-only. */
export function isReadOnly(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_READ_ONLY;
}

/**
 * Whether an error means that the system refuses to write: no room, no rights, read-only. The content of the file is
 * then unchanged and intact.
 */
export function isRefusedByDisk(error: unknown): boolean {
  const { code, errcode = 0 } = error as { code?: unknown; errcode?: number };
  if (code !== 'ERR_SQLITE_ERROR') return code === 'storage_failed' || REFUSALS.has(code);
  const primary = errcode & 0xff;
  if (primary === SQLITE_IO) return !SQLITE_FILE_FAULTS.has(errcode);
  return SQLITE_REFUSALS.has(primary);
}
