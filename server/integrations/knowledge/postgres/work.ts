import { splitDocument } from '#shared/split-document.ts';
import type { Sql, SqlTransaction, SqlValue } from '../../../storage/database/sql.ts';
import type { KnowledgeStore } from '../store.ts';
import { documentOf, hashOf, idOf, type StoredRow } from '../stored-rows.ts';
import { arrayOf, termVector } from './literals.ts';

/** The steps of loading a document. */

const CURRENT = 'project = ? AND id = ? AND version = ?';
/** Not NOT EXISTS, for which PostgreSQL may read the vectors of all documents. */
const WITHOUT_VECTOR = `FROM knowledge_chunks c WHERE c.project = ? AND c.document = ? AND (
  SELECT 1 FROM knowledge_vectors v WHERE v.project = c.project AND v.model = ? AND v.hash = c.hash) IS NULL`;
/** How many rows a statement inserts; few sizes, because each is prepared. */
const ROWS = [100, 10, 1];

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
  | 'addVectors'
  | 'finish'
>;

export function workRows(sql: Sql, project: string): Work {
  return {
    ...embeddingRows(sql, project),
    ...claimRows(sql, project),
    async source(id) {
      const row = await sql.first<StoredRow>(
        `SELECT d.*, o.content, s.model, s.name AS space_name FROM knowledge_documents d
         JOIN knowledge_sources o ON o.project = d.project AND o.document = d.id
         JOIN knowledge_spaces s ON s.id = d.space WHERE d.project = ? AND d.id = ?`,
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
        `UPDATE knowledge_documents SET status = 'reading' WHERE ${CURRENT}`,
        ...[project, Number(id), version],
      )) > 0,
    fetched: (id, version, content, type) =>
      sql.transaction(async (tx) => {
        const changed = await tx.run(
          `UPDATE knowledge_documents SET hash = ?, bytes = ?, type = ? WHERE ${CURRENT}`,
          ...[hashOf(content), content.length, type, project, Number(id), version],
        );
        if (changed > 0) await putSource(tx, { project, document: Number(id), content });
        return changed > 0;
      }),
    replaceChunks: (id, version, read) =>
      sql.transaction((tx) => replaceChunks(tx, { project, id: Number(id), version }, read)),
    async finish(id, version, problem) {
      await sql.run(
        `UPDATE knowledge_documents SET status = ?, problem = ?, updated_at = ? WHERE ${CURRENT}`,
        ...[problem ? 'failed' : 'ready', problem && JSON.stringify(problem), Date.now()],
        ...[project, Number(id), version],
      );
    },
  };
}

/** Whose work a document is, for as long as that process says so. */
function claimRows(sql: Sql, project: string): Pick<Work, 'unfinished' | 'claim' | 'release'> {
  return {
    unfinished: async () =>
      (
        await sql.all<StoredRow>(
          `SELECT d.id FROM knowledge_documents d
           WHERE d.project = ? AND d.status IN ('waiting', 'reading', 'embedding') AND NOT EXISTS (
             SELECT 1 FROM knowledge_claims c WHERE c.project = d.project AND c.document = d.id AND c.until > clock_timestamp()
           ) ORDER BY d.id`,
          project,
        )
      ).map(({ id }) => idOf(id)),
    claim: async (id, holder, ms) =>
      (await sql.run(
        `INSERT INTO knowledge_claims AS c (project, document, holder, until)
         VALUES (?, ?, ?, clock_timestamp() + CAST(? AS DOUBLE PRECISION) * INTERVAL '1 millisecond')
         ON CONFLICT (project, document) DO UPDATE SET holder = excluded.holder, until = excluded.until
         WHERE c.holder = excluded.holder OR c.until <= clock_timestamp()`,
        ...[project, Number(id), holder, ms],
      )) > 0,
    async release(id, holder) {
      await sql.run(
        'DELETE FROM knowledge_claims WHERE project = ? AND document = ? AND holder = ?',
        ...[project, Number(id), holder],
      );
    },
  };
}

function embeddingRows(sql: Sql, project: string): Pick<Work, 'toEmbed' | 'addVectors'> {
  return {
    toEmbed: (id, model, limit) =>
      sql.all(
        `SELECT c.hash, min(CASE c.heading WHEN '' THEN c.text ELSE c.heading || chr(10) || c.text END) AS text
         ${WITHOUT_VECTOR} GROUP BY c.hash LIMIT ?`,
        ...[project, Number(id), model, limit],
      ),
    addVectors: (id, model, vectors) =>
      sql.transaction(async (tx) => {
        await insert(
          tx,
          {
            into: 'knowledge_vectors (project, model, hash, vector, norm)',
            values: '(?, ?, ?, CAST(? AS REAL[]), ?)',
            otherwise: ' ON CONFLICT (project, model, hash) DO NOTHING',
          },
          vectors.map(([hash, vector]) => [project, model, hash, arrayOf(vector), Math.hypot(...vector)]),
        );
        const left = await tx.first<{ n: number }>(
          `SELECT count(*) AS n ${WITHOUT_VECTOR}`,
          ...[project, Number(id), model],
        );
        await tx.run(
          'UPDATE knowledge_documents SET embedded = chunks - CAST(? AS BIGINT) WHERE project = ? AND id = ?',
          ...[left?.n ?? 0, project, Number(id)],
        );
      }),
  };
}

interface Version {
  readonly project: string;
  readonly id: number;
  readonly version: number;
}

async function replaceChunks(
  tx: SqlTransaction,
  { project, id, version }: Version,
  { parts, pages, unread }: Parameters<KnowledgeStore['replaceChunks']>[2],
): Promise<boolean> {
  const document = documentOf(
    await tx.first<StoredRow>(
      `SELECT * FROM knowledge_documents WHERE ${CURRENT} FOR UPDATE`,
      ...[project, id, version],
    ),
  );
  if (document === undefined) return false;
  const old = await hashesOf(tx, project, id);
  await tx.run('DELETE FROM knowledge_chunks WHERE project = ? AND document = ?', project, id);
  let [n, words] = [0, 0];
  const rows: SqlValue[][] = [];
  for (const { text, heading, page, start, end } of splitDocument(parts, document.split)) {
    const terms = termVector(text, heading, document.name);
    const hash = hashOf(`${heading}\n${text}`);
    rows.push([project, Number(document.space), id, n++, text, heading, page, start, end, hash, terms.words]);
    rows.at(-1)?.push(terms.vector);
    words += terms.words;
  }
  await insert(
    tx,
    {
      into: `knowledge_chunks (project, space, document, n, text, heading, page, first, last, hash, words, terms)`,
      values: '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TSVECTOR))',
      otherwise: '',
    },
    rows,
  );
  await dropVectors(tx, project, old);
  await tx.run(
    `UPDATE knowledge_documents SET status = 'embedding', chunks = ?, words = ?, embedded = 0, pages = ?, unread = ?,
     updated_at = ? WHERE project = ? AND id = ?`,
    ...[n, words, pages, JSON.stringify(unread), Date.now(), project, id],
  );
  return true;
}

interface Insertion {
  /** The table with its columns. */
  readonly into: string;
  readonly values: string;
  readonly otherwise: string;
}

async function insert(
  tx: SqlTransaction,
  { into, values, otherwise }: Insertion,
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  for (let at = 0; at < rows.length; ) {
    const size = ROWS.find((one) => one <= rows.length - at) ?? 1;
    const places = Array.from({ length: size }, () => values).join(', ');
    await tx.run(`INSERT INTO ${into} VALUES ${places}${otherwise}`, ...rows.slice(at, at + size).flat());
    at += size;
  }
}

interface Source {
  readonly project: string;
  readonly document: number;
  readonly content: Uint8Array;
}

export async function putSource(tx: SqlTransaction, { project, document, content }: Source): Promise<void> {
  await tx.run(
    `INSERT INTO knowledge_sources (project, document, content) VALUES (?, ?, ?)
     ON CONFLICT (project, document) DO UPDATE SET content = excluded.content`,
    ...[project, document, content],
  );
}

/** With the vectors that no other chunk needs. */
export async function dropChunks(tx: SqlTransaction, project: string, document: number): Promise<void> {
  const hashes = await hashesOf(tx, project, document);
  await tx.run('DELETE FROM knowledge_chunks WHERE project = ? AND document = ?', project, document);
  await dropVectors(tx, project, hashes);
}

async function hashesOf(tx: SqlTransaction, project: string, document: number): Promise<string[]> {
  const rows = await tx.all<{ hash: string }>(
    'SELECT DISTINCT hash FROM knowledge_chunks WHERE project = ? AND document = ?',
    ...[project, document],
  );
  return rows.map(({ hash }) => hash);
}

async function dropVectors(tx: SqlTransaction, project: string, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await tx.run(
    `DELETE FROM knowledge_vectors v WHERE v.project = ? AND v.hash = ANY(CAST(? AS TEXT[]))
     AND NOT EXISTS (SELECT 1 FROM knowledge_chunks c WHERE c.project = v.project AND c.hash = v.hash)`,
    ...[project, arrayOf(hashes)],
  );
}
