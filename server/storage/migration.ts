import { StartError } from '../errors/start-error.ts';

/**
 * A change of the tables, from the format before it to `n`. Numbers begin with 1 and have no gaps; a change that was
 * released is never edited. The text is in the types of SQLite (`TEXT`, `INTEGER` of 64 bits, `REAL`, `BLOB`), and
 * each table of it ends with `) STRICT` or `) STRICT, WITHOUT ROWID`; other databases translate both.
 */
export interface Migration {
  readonly n: number;
  readonly name: string;
  readonly statements: readonly string[];
  /** Only for files of earlier versions: brings rows over, before and after the statements. */
  readonly older?: { readonly before: readonly string[]; readonly after: readonly string[] };
}

/** Throws a `StartError` if the data were written by a version that knows more formats than this one. */
export function checkNotNewer(where: string, found: number, known: number): void {
  if (found <= known) return;
  throw new StartError(
    `${where} was written by a newer Weft (format ${found}; this version knows formats up to ${known}). ` +
      'Start that version, or restore a backup that this version made.',
  );
}
