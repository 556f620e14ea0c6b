import type { ErrorCode } from '#shared/errors.ts';

/** A reason not to start that the person at the terminal can fix; shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** One that begins with a code of the error table. */
export function codedStartError(code: ErrorCode, text: string): StartError {
  return new StartError(`${code}: ${text}`);
}

/** Throws a `StartError` if the data were written by a version that knows more formats than this one. */
export function checkNotNewer(where: string, found: number, known: number): void {
  if (found <= known) return;
  throw new StartError(
    `${where} was written by a newer Weft (format ${found}; this version knows formats up to ${known}). ` +
      'Start that version, or restore a backup that this version made.',
  );
}

/** The folder, beside a file, for its copy from before a change of its format. */
export const COPIES_FOLDER = 'before-migration';
