import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { load } from 'sqlite-vec';

/** What several statements share. */

export type Row = Record<string, SQLInputValue>;

export interface Db {
  readonly project: string;
  /** Whether the virtual tables of sqlite-vec are there. */
  readonly hasNear: boolean;
  all<T = Row>(text: string, ...values: SQLInputValue[]): T[];
  first<T = Row>(text: string, ...values: SQLInputValue[]): T | undefined;
  run(text: string, ...values: SQLInputValue[]): number;
}

export type Whole = <T>(work: () => T) => T;

export function statementsOf(db: DatabaseSync, project: string, hasNear: boolean): Db {
  const prepared = new Map<string, StatementSync>();
  const statement = (text: string): StatementSync => {
    const known = prepared.get(text) ?? db.prepare(text);
    // Those with lists of varying length are not kept.
    if (prepared.size < 200) prepared.set(text, known);
    return known;
  };
  return {
    project,
    hasNear,
    all: <T>(text: string, ...values: SQLInputValue[]) => statement(text).all(...values) as T[],
    first: <T>(text: string, ...values: SQLInputValue[]) => statement(text).get(...values) as T | undefined,
    run: (text, ...values) => Number(statement(text).run(...values).changes),
  };
}

export const DOCUMENT = 'SELECT * FROM documents WHERE project = ?';

export function putSource(db: Db, document: number, content: Uint8Array): void {
  db.run(
    `INSERT INTO sources (project, document, content) VALUES (?, ?, ?)
     ON CONFLICT (project, document) DO UPDATE SET content = excluded.content`,
    ...[db.project, document, content],
  );
}

/** With the vectors that no other chunk needs, unless they are kept for the chunks that come next. */
export function dropChunks(db: Db, document: number, { keepVectors = false } = {}): void {
  const { project } = db;
  const which = 'project = ? AND document = ?';
  db.run(`DELETE FROM chunk_words WHERE rowid IN (SELECT id FROM chunks WHERE ${which})`, project, document);
  const hashes = keepVectors ? [] : hashesOf(db, document);
  db.run(`DELETE FROM chunks WHERE ${which}`, project, document);
  for (const hash of hashes) dropVector(db, hash);
}

/** Not DISTINCT, for which SQLite would walk through the hashes of all documents. */
export const HASHES = 'SELECT hash FROM chunks WHERE project = ? AND document = ?';

/** What the chunks of a document stand for, each once. */
export function hashesOf({ project, all }: Db, document: number): Set<string> {
  return new Set(all<{ hash: string }>(HASHES, project, document).map(({ hash }) => hash));
}

export const DROP_VECTOR = `DELETE FROM vectors WHERE project = ? AND hash = ?
  AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.project = vectors.project AND c.hash = vectors.hash)`;

export function dropVector({ project, run }: Db, hash: string): void {
  run(DROP_VECTOR, project, hash);
}

/**
 * `vec_distance_cosine(a, b)` over vectors of 32-bit numbers: of sqlite-vec, or on a platform that it lacks our own, which
 * is slower. Whether it is sqlite-vec's.
 */
export function addDistance(db: DatabaseSync): boolean {
  try {
    load(db);
    return true;
  } catch {
    addOwnDistance(db);
    return false;
  } finally {
    db.enableLoadExtension(false);
  }
}

export function addOwnDistance(db: DatabaseSync): void {
  db.function('vec_distance_cosine', { deterministic: true }, (a, b) => {
    const [left, right] = [numbersOf(a as Uint8Array), numbersOf(b as Uint8Array)];
    let [dot, leftSquares, rightSquares] = [0, 0, 0];
    for (let at = 0; at < left.length; at++) {
      const [x, y] = [left[at] as number, right[at] as number];
      dot += x * y;
      leftSquares += x * x;
      rightSquares += y * y;
    }
    return 1 - dot / Math.sqrt(leftSquares * rightSquares);
  });
}

function numbersOf({ buffer, byteOffset, byteLength }: Uint8Array): Float32Array {
  const isAligned = byteOffset % 4 === 0;
  return new Float32Array(
    isAligned ? buffer : buffer.slice(byteOffset),
    isAligned ? byteOffset : 0,
    byteLength / 4,
  );
}
