import type { KnowledgeDocument } from '#shared/knowledge.ts';
import type { SplitSettings } from '#shared/split-document.ts';
import {
  DEFAULT_PROJECT,
  type Sql,
  type SqlTransaction,
  type SqlValue,
} from '../../../storage/database/sql.ts';
import type { KnowledgeStore, NewDocument, NewSpace, PageAsked, StoredSpace } from '../store.ts';
import { chunkOf, documentOf, hashOf, spaceOf, type StoredRow } from '../stored-rows.ts';
import { createSearch } from './search.ts';
import { hasPgvector, migrateKnowledge } from './tables.ts';
import { dropChunks, putSource, workRows } from './work.ts';

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
  return {
    vectors,
    ...spaceRows(sql, project),
    ...documentRows(sql, project),
    ...workRows(sql, project),
    ...createSearch(sql, project, vectors),
    close: () => Promise.resolve(),
  };
}

// --------------------------------------------------------------------------------------------------------- spaces

const SPACE = `SELECT s.*,
  (SELECT count(*) FROM knowledge_documents d WHERE d.project = s.project AND d.space = s.id) AS documents,
  (SELECT CAST(coalesce(sum(d.chunks), 0) AS BIGINT) FROM knowledge_documents d WHERE d.project = s.project AND d.space = s.id) AS chunks
  FROM knowledge_spaces s WHERE s.project = ?`;

type Spaces = Pick<
  KnowledgeStore,
  'spaces' | 'space' | 'spaceNamed' | 'addSpace' | 'changeSpace' | 'removeSpace'
>;

function spaceRows(sql: Sql, project: string): Spaces {
  const space = async (tx: SqlTransaction, id: string) =>
    spaceOf(await tx.first<StoredRow>(`${SPACE} AND s.id = ?`, project, Number(id)));
  const named = async (tx: SqlTransaction, name: string) =>
    spaceOf(await tx.first<StoredRow>(`${SPACE} AND s.name = ?`, project, name));
  return {
    spaces: async () =>
      (await sql.all<StoredRow>(`${SPACE} ORDER BY s.id`, project)).map((row) => spaceOf(row) as StoredSpace),
    space: (id) => space(sql, id),
    spaceNamed: (name) => named(sql, name),
    addSpace: (made) =>
      sql.transaction(async (tx) => {
        if (await named(tx, made.name)) return undefined;
        const now = Date.now();
        await tx.run(
          `INSERT INTO knowledge_spaces (project, name, description, owner, model, split, extra, created_at, updated_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          ...[project, ...spaceValues(made), now, now],
        );
        return named(tx, made.name);
      }),
    changeSpace: (id, change) =>
      sql.transaction(async (tx) => {
        const before = await space(tx, id);
        if (before === undefined) return undefined;
        const next = { ...before, ...change };
        if (next.name !== before.name && (await named(tx, next.name))) return 'taken' as const;
        await tx.run(
          `UPDATE knowledge_spaces SET name = ?, description = ?, owner = ?, model = ?, split = ?, extra = ?,
           updated_at = ? WHERE project = ? AND id = ?`,
          ...[...spaceValues(next), Date.now(), project, Number(id)],
        );
        if (next.model !== before.model)
          await embedAgain(tx, project, { space: Number(id), model: next.model });
        return space(tx, id);
      }),
    removeSpace: (id) =>
      sql.transaction(async (tx) => {
        const documents = await tx.all<{ id: number }>(
          'SELECT id FROM knowledge_documents WHERE project = ? AND space = ?',
          ...[project, Number(id)],
        );
        for (const document of documents) await dropDocument(tx, project, document.id);
        const which = 'project = ? AND id = ?';
        return (await tx.run(`DELETE FROM knowledge_spaces WHERE ${which}`, project, Number(id))) > 0;
      }),
  };
}

function spaceValues({ name, description, owner, model, split, extra }: NewSpace): SqlValue[] {
  return [name, description, owner, model, JSON.stringify(split), JSON.stringify(extra)];
}

/** Documents whose chunks have to be embedded with another model; without a model they are ready. */
async function embedAgain(
  tx: SqlTransaction,
  project: string,
  { space, model }: { readonly space: number; readonly model: string | null },
): Promise<void> {
  await tx.run(
    `UPDATE knowledge_documents SET status = ?, embedded = 0, version = version + 1
     WHERE project = ? AND space = ? AND status IN ('ready', 'embedding')`,
    ...[model === null ? 'ready' : 'embedding', project, space],
  );
}

// ------------------------------------------------------------------------------------------------------ documents

const DOCUMENT = 'SELECT * FROM knowledge_documents WHERE project = ?';

type Documents = Pick<
  KnowledgeStore,
  | 'documents'
  | 'document'
  | 'documentNamed'
  | 'putDocument'
  | 'restart'
  | 'changeDocument'
  | 'removeDocument'
  | 'chunks'
>;

function documentRows(sql: Sql, project: string): Documents {
  const changed = async (text: string, ...values: SqlValue[]) =>
    sql.transaction(async (tx) =>
      documentOf(await tx.first<StoredRow>(`UPDATE knowledge_documents SET ${text} RETURNING *`, ...values)),
    );
  return {
    document: async (id) =>
      documentOf(await sql.first<StoredRow>(`${DOCUMENT} AND id = ?`, project, Number(id))),
    documentNamed: async (space, name) =>
      documentOf(
        await sql.first<StoredRow>(`${DOCUMENT} AND space = ? AND name = ?`, project, Number(space), name),
      ),
    async documents(space, { offset, limit }) {
      const which = 'project = ? AND (CAST(? AS BIGINT) IS NULL OR space = ?)';
      const id = space === undefined ? null : Number(space);
      const rows = await sql.all<StoredRow>(
        `SELECT * FROM knowledge_documents WHERE ${which} ORDER BY id LIMIT ? OFFSET ?`,
        ...[project, id, id, limit, offset],
      );
      const count = await sql.first<{ n: number }>(
        `SELECT count(*) AS n FROM knowledge_documents WHERE ${which}`,
        ...[project, id, id],
      );
      return { items: rows.map((row) => documentOf(row) as KnowledgeDocument), total: count?.n ?? 0 };
    },
    putDocument: (made) => sql.transaction((tx) => putDocument(tx, project, made)),
    restart: (id: string, split?: SplitSettings) =>
      changed(
        `status = 'waiting', problem = NULL, version = version + 1, updated_at = ?,
         split = coalesce(CAST(? AS TEXT), split) WHERE project = ? AND id = ?`,
        ...[Date.now(), split === undefined ? null : JSON.stringify(split), project, Number(id)],
      ),
    changeDocument: (id, metadata) =>
      changed(
        'metadata = ?, updated_at = ? WHERE project = ? AND id = ?',
        ...[JSON.stringify(metadata), Date.now(), project, Number(id)],
      ),
    removeDocument: (id) => sql.transaction((tx) => dropDocument(tx, project, Number(id))),
    async chunks(id: string, { offset, limit }: PageAsked) {
      const which = 'FROM knowledge_chunks WHERE project = ? AND document = ?';
      const rows = await sql.all<StoredRow>(
        `SELECT * ${which} ORDER BY n LIMIT ? OFFSET ?`,
        ...[project, Number(id), limit, offset],
      );
      const count = await sql.first<{ n: number }>(`SELECT count(*) AS n ${which}`, project, Number(id));
      return { items: rows.map(chunkOf), total: count?.n ?? 0 };
    },
  };
}

async function putDocument(
  tx: SqlTransaction,
  project: string,
  made: NewDocument,
): Promise<KnowledgeDocument> {
  const { name, kind, type, url } = made;
  const before = await tx.first<StoredRow>(
    `${DOCUMENT} AND space = ? AND name = ?`,
    ...[project, Number(made.space), name],
  );
  const hash = hashOf(made.content);
  const [split, metadata] = [JSON.stringify(made.split), JSON.stringify(made.metadata)];
  const now = Date.now();
  const isSame =
    before?.['status'] === 'ready' &&
    kind !== 'url' &&
    before['hash'] === hash &&
    before['split'] === split &&
    before['type'] === type;
  const id = before?.['id'] as number;
  const values = [kind, type, url, metadata, split, hash, made.content.length];
  const row = isSame
    ? await tx.first<StoredRow>(
        'UPDATE knowledge_documents SET metadata = ? WHERE id = ? RETURNING *',
        metadata,
        id,
      )
    : before === undefined
      ? await tx.first<StoredRow>(
          `INSERT INTO knowledge_documents (kind, type, url, metadata, split, hash, bytes, project, space, name, version,
           status, unread, chunks, embedded, words, created_at, updated_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'waiting', '[]', 0, 0, 0, ?, ?) RETURNING *`,
          ...[...values, project, Number(made.space), name, now, now],
        )
      : await tx.first<StoredRow>(
          `UPDATE knowledge_documents SET kind = ?, type = ?, url = ?, metadata = ?, split = ?, hash = ?, bytes = ?,
           version = version + 1, status = 'waiting', problem = NULL, updated_at = ? WHERE id = ? RETURNING *`,
          ...[...values, now, id],
        );
  if (!isSame) await putSource(tx, { project, document: row?.['id'] as number, content: made.content });
  return documentOf(row) as KnowledgeDocument;
}

async function dropDocument(tx: SqlTransaction, project: string, id: number): Promise<boolean> {
  await dropChunks(tx, project, id);
  await tx.run('DELETE FROM knowledge_claims WHERE project = ? AND document = ?', project, id);
  await tx.run('DELETE FROM knowledge_sources WHERE project = ? AND document = ?', project, id);
  return (await tx.run('DELETE FROM knowledge_documents WHERE project = ? AND id = ?', project, id)) > 0;
}
