import type { Sql, SqlTransaction, SqlValue } from '../../storage/database/sql.ts';
import type { ChunkIndex, ChunksOf } from './chunk-index.ts';

/** The database of a store. */
export interface KnowledgeRows {
  readonly sql: Sql;
  readonly project: string;
  /** What the names of its tables begin with: nothing in a file that has no others. */
  readonly prefix: '' | 'knowledge_';
  readonly index: ChunkIndex;
  readonly claims: Claims;
}

/** Which process has the work on a document; none has it where no others are. */
export interface Claims {
  /** Holds for a document `d` that nobody has. */
  readonly isFree: string;
  claim(document: number, holder: string, ms: number): Promise<boolean>;
  release(document: number, holder: string): Promise<void>;
  /** Forgets those of documents that meet a condition. */
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

/** Drops what a document or a space has, besides their own rows: chunks, their vectors, contents, claims. */
export async function dropContents(tx: SqlTransaction, rows: KnowledgeRows, of: ChunksOf): Promise<void> {
  const { project, prefix, index, claims } = rows;
  const [column, id] =
    of.document === undefined ? (['space', of.space] as const) : (['document', of.document] as const);
  // Before the chunks, which say what they stand for.
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

/** A scalar, for which no database walks through all chunks. */
const neededBy = (prefix: string, more = ''): string =>
  `(SELECT 1 FROM ${prefix}chunks c WHERE c.project = v.project AND c.hash = v.hash${more} LIMIT 1)`;

/** Vectors that only chunks of this document or space need. */
export const dropVectorsOf = (prefix: string, column: 'space' | 'document'): string =>
  `DELETE FROM ${prefix}vectors AS v WHERE v.project = ?
   AND v.hash IN (SELECT hash FROM ${prefix}chunks WHERE project = ? AND ${column} = ?)
   AND ${neededBy(prefix, ` AND c.${column} <> ?`)} IS NULL`;

/** Vectors of a list that no chunk needs. */
export const dropVectors = (prefix: string): string =>
  `DELETE FROM ${prefix}vectors AS v WHERE v.project = ? AND v.hash IN (SELECT "key" FROM json_each(?))
   AND ${neededBy(prefix)} IS NULL`;

/** What the chunks of a document stand for, as one text. Not DISTINCT, for which SQLite would walk through the hashes of all documents. */
export const hashesOf = (prefix: string): string =>
  `SELECT string_agg(hash, ',') AS hashes FROM ${prefix}chunks WHERE project = ? AND document = ?`;
