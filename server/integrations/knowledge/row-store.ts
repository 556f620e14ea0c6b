import type { KnowledgeDocument } from '#shared/knowledge.ts';
import type { SplitSettings } from '#shared/split-document.ts';
import type { SqlTransaction, SqlValue } from '../../storage/database/sql.ts';
import { dropContents, type KnowledgeRows, putSource } from './knowledge-rows.ts';
import { searchRows } from './search.ts';
import type { KnowledgeStore, NewDocument, NewSpace, PageAsked, StoredSpace } from './store.ts';
import { chunkOf, contentHash, documentOf, spaceOf, type StoredRow } from './stored-rows.ts';
import { workRows } from './work.ts';

/**
 * The store in rows, with statements that SQLite and PostgreSQL share; the index searches chunks. The caller closes the database.
 */
export function createRowStore(rows: KnowledgeRows): Omit<KnowledgeStore, 'close'> {
  return { ...spaceRows(rows), ...documentRows(rows), ...workRows(rows), ...searchRows(rows) };
}

// --------------------------------------------------------------------------------------------------------- spaces

type Spaces = Pick<
  KnowledgeStore,
  'spaces' | 'space' | 'spaceNamed' | 'addSpace' | 'changeSpace' | 'removeSpace'
>;

function spaceRows(rows: KnowledgeRows): Spaces {
  const { sql, project, prefix } = rows;
  // Aggregated into one text, so that the documents are read once.
  const SPACE = `SELECT s.*,
    (SELECT count(*) || ' ' || coalesce(sum(d.chunks), 0) || ' ' || coalesce(sum(d.embedded), 0)
     FROM ${prefix}documents d WHERE d.project = s.project AND d.space = s.id) AS counts
    FROM ${prefix}spaces s WHERE s.project = ?`;
  const space = async (tx: Pick<SqlTransaction, 'first'>, id: string) =>
    spaceOf(await tx.first<StoredRow>(`${SPACE} AND s.id = ?`, project, Number(id)));
  const named = async (tx: Pick<SqlTransaction, 'first'>, name: string) =>
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
          `INSERT INTO ${prefix}spaces (project, name, description, owner, model, split, extra, created_at, updated_at)
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
          `UPDATE ${prefix}spaces SET name = ?, description = ?, owner = ?, model = ?, split = ?, extra = ?,
           updated_at = ? WHERE project = ? AND id = ?`,
          ...[...spaceValues(next), Date.now(), project, Number(id)],
        );
        if (next.model !== before.model) await embedAgain(tx, rows, Number(id), next.model);
        return space(tx, id);
      }),
    removeSpace: (id) =>
      sql.transaction(async (tx) => {
        const [which, ...values] = ['project = ? AND id = ?', project, Number(id)] as const;
        if ((await tx.run(`DELETE FROM ${prefix}spaces WHERE ${which}`, ...values)) === 0) return false;
        await dropContents(tx, rows, { space: Number(id) });
        await tx.run(`DELETE FROM ${prefix}documents WHERE project = ? AND space = ?`, ...values);
        return true;
      }),
  };
}

function spaceValues({ name, description, owner, model, split, extra }: NewSpace): SqlValue[] {
  return [name, description, owner, model, JSON.stringify(split), JSON.stringify(extra)];
}

/** Marks documents whose chunks have to be embedded with another model; without a model they are ready. */
async function embedAgain(
  tx: SqlTransaction,
  { project, prefix, index }: KnowledgeRows,
  space: number,
  model: string | null,
): Promise<void> {
  await index.changeModel(tx, space);
  await tx.run(
    `UPDATE ${prefix}documents SET status = ?, embedded = 0, version = version + 1
     WHERE project = ? AND space = ? AND status IN ('ready', 'embedding')`,
    ...[model === null ? 'ready' : 'embedding', project, space],
  );
}

// ------------------------------------------------------------------------------------------------------ documents

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

function documentRows(rows: KnowledgeRows): Documents {
  const { sql, project, prefix } = rows;
  const DOCUMENT = `SELECT * FROM ${prefix}documents WHERE project = ?`;
  const changed = (text: string, ...values: SqlValue[]) =>
    sql.transaction(async (tx) =>
      documentOf(await tx.first<StoredRow>(`UPDATE ${prefix}documents SET ${text} RETURNING *`, ...values)),
    );
  return {
    document: async (id) =>
      documentOf(await sql.first<StoredRow>(`${DOCUMENT} AND id = ?`, project, Number(id))),
    documentNamed: async (space, name) =>
      documentOf(
        await sql.first<StoredRow>(`${DOCUMENT} AND space = ? AND name = ?`, project, Number(space), name),
      ),
    async documents(space, page) {
      const which = `FROM ${prefix}documents WHERE project = ? AND (CAST(? AS BIGINT) IS NULL OR space = ?)`;
      const id = space === undefined ? null : Number(space);
      const { items, total } = await pageOf(sql, { which, by: 'id', values: [project, id, id] }, page);
      return { items: items.map((row) => documentOf(row) as KnowledgeDocument), total };
    },
    async putDocument(made) {
      const hash = await contentHash(made.content);
      return sql.transaction((tx) => putDocument(tx, rows, made, hash));
    },
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
    removeDocument: (id) =>
      sql.transaction(async (tx) => {
        const gone = await tx.first<{ space: number }>(
          `DELETE FROM ${prefix}documents WHERE project = ? AND id = ? RETURNING space`,
          ...[project, Number(id)],
        );
        if (gone === undefined) return false;
        await dropContents(tx, rows, { space: gone.space, document: Number(id) });
        return true;
      }),
    async chunks(id, page) {
      const which = `FROM ${prefix}chunks WHERE project = ? AND document = ?`;
      const { items, total } = await pageOf(sql, { which, by: 'n', values: [project, Number(id)] }, page);
      return { items: items.map(chunkOf), total };
    },
  };
}

interface Listed {
  /** The table with the condition. */
  readonly which: string;
  readonly by: string;
  readonly values: readonly SqlValue[];
}

async function pageOf(
  sql: KnowledgeRows['sql'],
  { which, by, values }: Listed,
  { offset, limit }: PageAsked,
): Promise<{ items: StoredRow[]; total: number }> {
  const [items, count] = await Promise.all([
    sql.all<StoredRow>(`SELECT * ${which} ORDER BY ${by} LIMIT ? OFFSET ?`, ...values, limit, offset),
    sql.first<{ n: number }>(`SELECT count(*) AS n ${which}`, ...values),
  ]);
  return { items, total: count?.n ?? 0 };
}

async function putDocument(
  tx: SqlTransaction,
  rows: KnowledgeRows,
  made: NewDocument,
  hash: string,
): Promise<KnowledgeDocument> {
  const { project, prefix, index } = rows;
  const { name, kind, type, url } = made;
  const before = await tx.first<StoredRow>(
    `SELECT * FROM ${prefix}documents WHERE project = ? AND space = ? AND name = ?`,
    ...[project, Number(made.space), name],
  );
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
        `UPDATE ${prefix}documents SET metadata = ? WHERE id = ? RETURNING *`,
        metadata,
        id,
      )
    : before === undefined
      ? await tx.first<StoredRow>(
          `INSERT INTO ${prefix}documents (kind, type, url, metadata, split, hash, bytes, project, space, name, version,
           status, unread, chunks, embedded, created_at, updated_at${index.ofDocument.columns})
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'waiting', '[]', 0, 0, ?, ?${index.ofDocument.values}) RETURNING *`,
          ...[...values, project, Number(made.space), name, now, now],
        )
      : await tx.first<StoredRow>(
          `UPDATE ${prefix}documents SET kind = ?, type = ?, url = ?, metadata = ?, split = ?, hash = ?, bytes = ?,
           version = version + 1, status = 'waiting', problem = NULL, updated_at = ? WHERE id = ? RETURNING *`,
          ...[...values, now, id],
        );
  if (!isSame) await putSource(tx, rows, row?.['id'] as number, made.content);
  return documentOf(row) as KnowledgeDocument;
}
