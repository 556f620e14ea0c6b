import type { Sql, SqlTransaction, SqlValue } from '../../storage/database/sql.ts';
import type { ChunkIndex, ChunksOf } from './chunk-index.ts';

/** The database of a store. */
export interface KnowledgeRows {
  readonly sql: Sql;
  readonly project: string;
  /** The prefix of the names of its tables; empty in a file without other tables. */
  readonly prefix: '' | 'knowledge_';
  readonly index: ChunkIndex;
  readonly claims: Claims;
}

/** The claims of processes on documents; a store without other processes has none. */
export interface Claims {
  /** A condition for a document `d` without a claim. */
  readonly isFree: string;
  claim(document: number, holder: string, ms: number): Promise<boolean>;
  release(document: number, holder: string): Promise<void>;
  /** Deletes the claims on documents that meet a condition. */
  drop(tx: SqlTransaction, condition: string, ...values: SqlValue[]): Promise<void>;
}

type Place = Pick<KnowledgeRows, 'project' | 'prefix'>;

export async function putSource(
  tx: SqlTransaction,
  { project, prefix }: Place,
  document: number,
  content: Uint8Array,
): Promise<void> {
  await tx.run(
    `INSERT INTO ${prefix}sources (project, document, content) VALUES (?, ?, ?)
     ON CONFLICT (project, document) DO UPDATE SET content = excluded.content`,
    ...[project, document, content],
  );
}

/** Deletes the data of a document or a space besides their own rows: chunks, their vectors, contents, claims. */
export async function dropContents(tx: SqlTransaction, rows: KnowledgeRows, of: ChunksOf): Promise<void> {
  const { project, prefix, index, claims } = rows;
  const [column, id] =
    of.document === undefined ? (['space', of.space] as const) : (['document', of.document] as const);
  // Before the chunks, which refer to the vectors.
  await tx.run(dropVectorsOf(prefix, column), ...[project, project, id, id]);
  await index.drop(tx, of);
  const [which, ...values] =
    column === 'document'
      ? (['?', id] as const)
      : ([`SELECT id FROM ${prefix}documents WHERE project = ? AND space = ?`, project, id] as const);
  const condition = `project = ? AND document IN (${which})`;
  await tx.run(`DELETE FROM ${prefix}sources WHERE ${condition}`, project, ...values);
  await claims.drop(tx, condition, project, ...values);
}

/** A scalar subquery, for which no database reads all chunks. */
const neededBy = (prefix: string, more = ''): string =>
  `(SELECT 1 FROM ${prefix}chunks c WHERE c.project = v.project AND c.hash = v.hash${more} LIMIT 1)`;

/** Deletes vectors that only chunks of this document or space need. */
export const dropVectorsOf = (prefix: string, column: 'space' | 'document'): string =>
  `DELETE FROM ${prefix}vectors AS v WHERE v.project = ?
   AND v.hash IN (SELECT hash FROM ${prefix}chunks WHERE project = ? AND ${column} = ?)
   AND ${neededBy(prefix, ` AND c.${column} <> ?`)} IS NULL`;

/** Deletes vectors of a list that no chunk needs. */
export const dropVectors = (prefix: string): string =>
  `DELETE FROM ${prefix}vectors AS v WHERE v.project = ? AND v.hash IN (SELECT "key" FROM json_each(?))
   AND ${neededBy(prefix)} IS NULL`;

/** The hashes of the chunks of a document, as one text. Without DISTINCT, for which SQLite would read the hashes of all documents. */
export const hashesOf = (prefix: string): string =>
  `SELECT string_agg(hash, ',') AS hashes FROM ${prefix}chunks WHERE project = ? AND document = ?`;
