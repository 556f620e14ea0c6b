import { DEFAULT_PROJECT, type Sql } from '../../../storage/database/sql.ts';
import type { Claims } from '../knowledge-rows.ts';
import { createRowStore } from '../row-store.ts';
import type { KnowledgeStore } from '../store.ts';
import { createPostgresIndex } from './postgres-index.ts';
import { hasPgvector, migrateKnowledge } from './tables.ts';

export interface PostgresStore extends KnowledgeStore {
  /** How chunks are compared by meaning: by pgvector, or by sums over arrays, which is slow and so limited. */
  readonly vectors: 'pgvector' | 'arrays';
}

/**
 * The store in a PostgreSQL database, with tables of its own beside others. Vectors are compared by pgvector if the server
 * has it. The database stays open when the store is closed. Throws a `StartError` if the tables are newer than this program.
 */
export async function openPostgresStore(sql: Sql, project: string = DEFAULT_PROJECT): Promise<PostgresStore> {
  await migrateKnowledge(sql);
  const vectors = (await hasPgvector(sql)) ? 'pgvector' : 'arrays';
  const index = createPostgresIndex({ sql, project, vectors });
  const claims = createClaims(sql, project);
  return {
    vectors,
    ...createRowStore({ sql, project, prefix: 'knowledge_', index, claims }),
    close: () => Promise.resolve(),
  };
}

/** Claims on documents: a claim lasts as long as its process renews it, by the clock of the database. */
function createClaims(sql: Sql, project: string): Claims {
  return {
    isFree: `NOT EXISTS (
      SELECT 1 FROM knowledge_claims c WHERE c.project = d.project AND c.document = d.id AND c.until > clock_timestamp()
    )`,
    claim: async (document, holder, ms) =>
      (await sql.run(
        `INSERT INTO knowledge_claims AS c (project, document, holder, until)
         VALUES (?, ?, ?, clock_timestamp() + CAST(? AS DOUBLE PRECISION) * INTERVAL '1 millisecond')
         ON CONFLICT (project, document) DO UPDATE SET holder = excluded.holder, until = excluded.until
         WHERE c.holder = excluded.holder OR c.until <= clock_timestamp()`,
        ...[project, document, holder, ms],
      )) > 0,
    async release(document, holder) {
      await sql.run(
        'DELETE FROM knowledge_claims WHERE project = ? AND document = ? AND holder = ?',
        ...[project, document, holder],
      );
    },
    async drop(tx, condition, ...values) {
      await tx.run(`DELETE FROM knowledge_claims WHERE ${condition}`, ...values);
    },
  };
}
