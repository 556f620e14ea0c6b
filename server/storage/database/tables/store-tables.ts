/** The tables of one store. */
export interface StoreTables {
  /** Each begins its key with `project`. In the types of SQLite; see `Migration`. */
  readonly tables: readonly string[];
  /**
   * The store's tables in 0.1.0, which were created on first use and may be missing. Their rows are brought over to
   * the project `default`.
   */
  readonly older: {
    /** Creates the missing tables, and renames all to free the new names. */
    readonly before: readonly string[];
    /** Copies the rows, and drops the older tables. */
    readonly after: readonly string[];
  };
}
