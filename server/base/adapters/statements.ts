import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Statements of one database, each prepared once, because preparing costs more than running most of them. */
export class Statements {
  private readonly db: DatabaseSync;
  private readonly prepared = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.db = db;
  }

  get(text: string): StatementSync {
    const known = this.prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.db.prepare(text);
    this.prepared.set(text, statement);
    return statement;
  }
}
