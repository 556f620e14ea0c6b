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
