import { StartError } from './start-error.ts';

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
