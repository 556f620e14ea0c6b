import { DatabaseSync } from 'node:sqlite';
import type { Migration } from '../migration.ts';
import type { Sql, SqlTransaction } from '../sql.ts';
import { openSqlite } from '../sqlite/open-sqlite.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The statements of `work` that read a whole table or all rows of a project. Throws if `work` ran no statements. */
export async function wholeScans(
  migrations: readonly Migration[],
  work: (sql: Sql) => Promise<void>,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-sql-'));
  const file = join(folder, 'scans.db');
  const sql = openSqlite(file, migrations);
  const db = new DatabaseSync(file);
  try {
    const texts = new Set<string>();
    await work(noting(sql, texts));
    if (texts.size === 0) throw new Error('it made no statement');
    return [...texts].filter((text) => {
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
      return steps.some(({ detail }) => /^SCAN \w+$|\(project=\?\)$/.test(String(detail)));
    });
  } finally {
    db.close();
    await sql.close();
    rmSync(folder, { recursive: true });
  }
}

function noting(sql: Sql, texts: Set<string>): Sql {
  const statements = (to: SqlTransaction): SqlTransaction => ({
    all: (text, ...values) => to.all(texts.add(text) && text, ...values),
    first: (text, ...values) => to.first(texts.add(text) && text, ...values),
    run: (text, ...values) => to.run(texts.add(text) && text, ...values),
  });
  return {
    ...statements(sql),
    batch(asked, options) {
      for (const [text] of asked) texts.add(text);
      return sql.batch(asked, options);
    },
    transaction: (make, options) => sql.transaction((tx) => make(statements(tx)), options),
    close: () => sql.close(),
  };
}
