import { splitDocument } from '#shared/split-document.ts';
import type { SqlTransaction } from '../../storage/database/sql.ts';
import { dropVectors, hashesOf, type KnowledgeRows, putSource } from './knowledge-rows.ts';
import type { KnowledgeStore, ReadDocument } from './store.ts';
import { contentHash, documentOf, idOf, type StoredRow } from './stored-rows.ts';

/** The steps of loading a document. */

const CURRENT = 'project = ? AND id = ? AND version = ?';

type Work = Pick<
  KnowledgeStore,
  | 'unfinished'
  | 'claim'
  | 'release'
  | 'source'
  | 'begin'
  | 'fetched'
  | 'replaceChunks'
  | 'toEmbed'
  | 'vectorLengths'
  | 'forgetOtherVectors'
  | 'addVectors'
  | 'finish'
>;

export function workRows(rows: KnowledgeRows): Work {
  const { sql, project, prefix, claims } = rows;
  return {
    ...embeddingRows(rows),
    ...lengthRows(rows),
    unfinished: async () => {
      const found = await sql.all<{ id: number }>(
        `SELECT d.id FROM ${prefix}documents d
         WHERE d.project = ? AND d.status IN ('waiting', 'reading', 'embedding') AND ${claims.isFree} ORDER BY d.id`,
        project,
      );
      return found.map(({ id }) => idOf(id));
    },
    claim: (id, holder, ms) => claims.claim(Number(id), holder, ms),
    release: (id, holder) => claims.release(Number(id), holder),
    async source(id) {
      const row = await sql.first<StoredRow>(
        `SELECT d.*, o.content, s.model, s.name AS space_name FROM ${prefix}documents d
         JOIN ${prefix}sources o ON o.project = d.project AND o.document = d.id
         JOIN ${prefix}spaces s ON s.id = d.space WHERE d.project = ? AND d.id = ?`,
        ...[project, Number(id)],
      );
      const document = documentOf(row);
      if (row === undefined || document === undefined) return undefined;
      const content = row['content'] as Uint8Array;
      const [version, space] = [row['version'] as number, row['space_name'] as string];
      return { document, version, space, model: row['model'] as string | null, content };
    },
    begin: async (id, version) =>
      (await sql.run(
        `UPDATE ${prefix}documents SET status = 'reading' WHERE ${CURRENT}`,
        ...[project, Number(id), version],
      )) > 0,
    async fetched(id, version, content, type) {
      const hash = await contentHash(content);
      return sql.transaction(async (tx) => {
        const changed = await tx.run(
          `UPDATE ${prefix}documents SET hash = ?, bytes = ?, type = ? WHERE ${CURRENT}`,
          ...[hash, content.length, type, project, Number(id), version],
        );
        if (changed > 0) await putSource(tx, rows, Number(id), content);
        return changed > 0;
      });
    },
    replaceChunks: (id, version, read) =>
      sql.transaction((tx) => replaceChunks(tx, rows, { id: Number(id), version, read })),
    async finish(id, version, problem) {
      await sql.run(
        `UPDATE ${prefix}documents SET status = ?, problem = ?, updated_at = ? WHERE ${CURRENT}`,
        ...[problem ? 'failed' : 'ready', problem && JSON.stringify(problem), Date.now()],
        ...[project, Number(id), version],
      );
    },
  };
}

function embeddingRows({ sql, project, prefix, index }: KnowledgeRows): Pick<Work, 'toEmbed' | 'addVectors'> {
  // Without NOT EXISTS, for which PostgreSQL may read the vectors of all documents.
  const WITHOUT_VECTOR = `FROM ${prefix}chunks c WHERE c.project = ? AND c.document = ? AND (
    SELECT 1 FROM ${prefix}vectors v WHERE v.project = c.project AND v.model = ? AND v.hash = c.hash) IS NULL`;
  return {
    async toEmbed(id, model, limit) {
      const found = await sql.all<{ hash: string; heading: string; text: string }>(
        `SELECT c.hash, c.heading, c.text ${WITHOUT_VECTOR} ORDER BY c.n LIMIT ?`,
        ...[project, Number(id), model, limit],
      );
      const texts = new Map(
        found.map(({ hash, heading, text }) => [hash, heading === '' ? text : `${heading}\n${text}`]),
      );
      return [...texts].map(([hash, text]) => ({ hash, text }));
    },
    addVectors: (id, model, vectors) =>
      sql.transaction(async (tx) => {
        await index.addVectors(tx, Number(id), { model, vectors });
        const left = await tx.first<{ n: number }>(
          `SELECT count(*) AS n ${WITHOUT_VECTOR}`,
          ...[project, Number(id), model],
        );
        await tx.run(
          `UPDATE ${prefix}documents SET embedded = chunks - CAST(? AS BIGINT) WHERE project = ? AND id = ?`,
          ...[left?.n ?? 0, project, Number(id)],
        );
      }),
  };
}

function lengthRows({
  sql,
  project,
  prefix,
  index,
}: KnowledgeRows): Pick<Work, 'vectorLengths' | 'forgetOtherVectors'> {
  const { lengthOfVector } = index;
  const end = (which: 'min' | 'max') =>
    `(SELECT ${which}(${lengthOfVector}) FROM ${prefix}vectors v WHERE v.project = ? AND v.model = ?) AS ${which}`;
  return {
    async vectorLengths(model) {
      const ends = await sql.first<{ min: number | null; max: number | null }>(
        // Each value is the first or last entry of an index.
        `SELECT ${end('min')}, ${end('max')}`,
        ...[project, model, project, model],
      );
      const { min = null, max = null } = ends ?? {};
      return min === null || max === null ? undefined : { min, max };
    },
    forgetOtherVectors: (model, length, embedding) =>
      sql.transaction(async (tx) => {
        await index.forgetOtherVectors(tx, model, length);
        await tx.run(
          `DELETE FROM ${prefix}vectors AS v WHERE v.project = ? AND v.model = ? AND ${lengthOfVector} <> ?`,
          ...[project, model, length],
        );
        const has = `(SELECT count(*) FROM ${prefix}chunks c JOIN ${prefix}vectors v
          ON v.project = c.project AND v.model = ? AND v.hash = c.hash WHERE c.project = d.project AND c.document = d.id)`;
        await tx.run(
          `UPDATE ${prefix}documents AS d SET embedded = ${has},
           version = version + CASE WHEN d.id = ? THEN 0 ELSE 1 END,
           status = CASE WHEN d.id = ? OR ${has} < d.chunks THEN 'embedding' ELSE d.status END
           WHERE d.project = ? AND d.status IN ('ready', 'embedding')
           AND d.space IN (SELECT id FROM ${prefix}spaces WHERE project = ? AND model = ?)`,
          ...[model, Number(embedding ?? 0), Number(embedding ?? 0), model, project, project, model],
        );
      }),
  };
}

interface Version {
  readonly id: number;
  readonly version: number;
  readonly read: ReadDocument;
}

/** Splits the text while it is stored, so that the event loop is never blocked for long, and a large document is not in memory twice. */
async function replaceChunks(
  tx: SqlTransaction,
  { project, prefix, index }: KnowledgeRows,
  { id, version, read: { parts, pages, unread } }: Version,
): Promise<boolean> {
  // Statements that do not need the previous answer are sent together.
  const [row, before] = await Promise.all([
    tx.first<StoredRow>(
      `UPDATE ${prefix}documents SET status = 'embedding', chunks = 0, embedded = 0, pages = ?, unread = ?, updated_at = ?
       WHERE ${CURRENT} RETURNING *`,
      ...[pages, JSON.stringify(unread), Date.now(), project, id, version],
    ),
    tx.first<{ hashes: string | null }>(hashesOf(prefix), project, id),
  ]);
  const document = documentOf(row);
  if (document === undefined) return false;
  const of = { space: Number(document.space), document: id };
  const old = before?.hashes ?? '';
  if (old !== '') await index.drop(tx, of);
  const chunks = await index.add(tx, { ...of, name: document.name }, splitDocument(parts, document.split));
  await Promise.all([
    old === '' ? 0 : tx.run(dropVectors(prefix), project, `{"${old.replaceAll(',', '":0,"')}":0}`),
    tx.run(`UPDATE ${prefix}documents SET chunks = ? WHERE project = ? AND id = ?`, chunks, project, id),
  ]);
  return true;
}
