import { checkNotNewer } from '../../../base/errors/start-error.ts';
import type { Sql } from '../../../storage/database/sql.ts';

/** Texts are compared by bytes, whatever the language of the database. */
const TEXT = 'TEXT COLLATE "C"';

interface Format {
  readonly n: number;
  readonly name: string;
  readonly statements: readonly string[];
}

/**
 * The tables, beside those of the server and with a format of their own. Vectors are plain arrays: PostgreSQL compares them with
 * or without pgvector, so that the extension can come and go. Each statement may be repeated.
 */
const formats: readonly Format[] = [
  {
    n: 1,
    name: 'spaces, documents, chunks, vectors',
    statements: [
      `CREATE TABLE IF NOT EXISTS knowledge_spaces (
        project ${TEXT} NOT NULL, id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name ${TEXT} NOT NULL,
        description TEXT NOT NULL, owner TEXT NOT NULL, model ${TEXT}, split TEXT NOT NULL, extra TEXT NOT NULL,
        created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, UNIQUE (project, name)
      )`,
      `CREATE TABLE IF NOT EXISTS knowledge_documents (
        project ${TEXT} NOT NULL, id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, space BIGINT NOT NULL,
        name ${TEXT} NOT NULL, kind TEXT NOT NULL, type TEXT NOT NULL, url TEXT, metadata TEXT NOT NULL,
        split TEXT NOT NULL, hash TEXT NOT NULL, bytes BIGINT NOT NULL, version BIGINT NOT NULL, status TEXT NOT NULL,
        problem TEXT, unread TEXT NOT NULL, pages BIGINT, chunks BIGINT NOT NULL, embedded BIGINT NOT NULL,
        words BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, UNIQUE (project, space, name)
      )`,
      `CREATE INDEX IF NOT EXISTS knowledge_unfinished ON knowledge_documents (project, id)
       WHERE status IN ('waiting', 'reading', 'embedding')`,
      `CREATE TABLE IF NOT EXISTS knowledge_sources (
        project ${TEXT} NOT NULL, document BIGINT NOT NULL, content BYTEA NOT NULL, PRIMARY KEY (project, document)
      )`,
      `CREATE TABLE IF NOT EXISTS knowledge_chunks (
        project ${TEXT} NOT NULL, id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, space BIGINT NOT NULL,
        document BIGINT NOT NULL, n BIGINT NOT NULL, text TEXT NOT NULL, heading TEXT NOT NULL, page BIGINT,
        first BIGINT NOT NULL, last BIGINT NOT NULL, hash ${TEXT} NOT NULL, words BIGINT NOT NULL, terms TSVECTOR NOT NULL,
        UNIQUE (project, document, n)
      )`,
      'CREATE INDEX IF NOT EXISTS knowledge_chunks_space ON knowledge_chunks (project, space)',
      'CREATE INDEX IF NOT EXISTS knowledge_chunks_hash ON knowledge_chunks (project, hash)',
      'CREATE INDEX IF NOT EXISTS knowledge_chunks_terms ON knowledge_chunks USING gin (terms)',
      // Ranking reads the terms of many chunks; unpacking them would be most of its time.
      'ALTER TABLE knowledge_chunks ALTER COLUMN terms SET STORAGE EXTERNAL',
      `CREATE TABLE IF NOT EXISTS knowledge_vectors (
        project ${TEXT} NOT NULL, model ${TEXT} NOT NULL, hash ${TEXT} NOT NULL, vector REAL[] NOT NULL,
        norm DOUBLE PRECISION NOT NULL, PRIMARY KEY (project, model, hash)
      )`,
      'CREATE INDEX IF NOT EXISTS knowledge_vectors_hash ON knowledge_vectors (project, hash)',
      'ALTER TABLE knowledge_vectors ALTER COLUMN vector SET STORAGE EXTERNAL',
    ],
  },
  {
    n: 2,
    name: 'claims of documents that are loaded',
    statements: [
      `CREATE TABLE IF NOT EXISTS knowledge_claims (
        project ${TEXT} NOT NULL, document BIGINT NOT NULL, holder TEXT NOT NULL, until TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (project, document)
      )`,
    ],
  },
  {
    n: 3,
    name: 'lengths of vectors',
    statements: [
      'CREATE INDEX IF NOT EXISTS knowledge_vectors_length ON knowledge_vectors (project, model, cardinality(vector))',
    ],
  },
];

/** The key of an advisory lock, so that two processes do not create the same table at once; any unused number. */
const LOCK = 'SELECT pg_advisory_xact_lock(1463113333)';

/** Brings the tables to the newest format, all or nothing. Throws a `StartError` if they are newer than this program. */
export async function migrateKnowledge(sql: Sql): Promise<void> {
  await sql.transaction(async (tx) => {
    await tx.all(LOCK);
    await tx.run(
      'CREATE TABLE IF NOT EXISTS knowledge_migration (n BIGINT PRIMARY KEY, name TEXT NOT NULL, at BIGINT NOT NULL)',
    );
  });
  await sql.transaction(async (tx) => {
    await tx.all(LOCK);
    const row = await tx.first<{ n: number }>('SELECT coalesce(max(n), 0) AS n FROM knowledge_migration');
    const found = row?.n ?? 0;
    checkNotNewer('The knowledge in the database', found, formats.at(-1)?.n ?? 0);
    for (const { n, name, statements } of formats) {
      if (n <= found) continue;
      for (const text of statements) await tx.run(text);
      // A process that waited for the lock has an old snapshot: it conflicts here, and its next attempt finds nothing to do.
      await tx.run('INSERT INTO knowledge_migration (n, name, at) VALUES (?, ?, ?)', n, name, Date.now());
    }
  });
}

/** Whether pgvector is available. The extension is created if the server has it and the user has the right. */
export async function hasPgvector(sql: Sql): Promise<boolean> {
  const known = "SELECT installed_version AS version FROM pg_available_extensions WHERE name = 'vector'";
  const found = await sql.first<{ version: string | null }>(known);
  if (found === undefined || found.version !== null) return found !== undefined;
  await sql.run('CREATE EXTENSION IF NOT EXISTS vector').catch(() => {});
  return ((await sql.first<{ version: string | null }>(known))?.version ?? null) !== null;
}
