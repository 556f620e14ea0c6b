import type { SQLInputValue } from 'node:sqlite';
import type { KnowledgeHit } from '#shared/knowledge.ts';
import { fuse, type Ranked } from '../fuse.ts';
import { depthOf, hitOf } from '../hits.ts';
import type { SearchAsked } from '../store.ts';
import { matchOf, termsOf } from '../words.ts';
import type { Db, Row } from './db.ts';

/** Weights of a chunk's text, its headings and the name of its document. */
const WEIGHTS = '1.0, 2.0, 1.5';

export function createSearch(db: Db): (asked: SearchAsked) => KnowledgeHit[] {
  return (asked) => {
    const depth = depthOf(asked);
    const rankings = { words: byWords(db, asked, depth), meaning: byMeaning(db, asked, depth) };
    const terms = termsOf(asked.query);
    return fuse(rankings, asked.limit).flatMap((found) => {
      const row = hitRow(db, found.id);
      return row === undefined ? [] : [hitOf(row, found, neighboursOf(db, row, asked.neighbours), terms)];
    });
  };
}

function byWords(db: Db, asked: SearchAsked, depth: number): Ranked[] {
  const match = matchOf(asked.query);
  if (match === undefined) return [];
  const { where, values } = limitsOf(db, asked);
  return db.all<Ranked>(
    `SELECT c.id, -bm25(chunk_words, ${WEIGHTS}) AS score FROM chunk_words
     JOIN chunks c ON c.id = chunk_words.rowid JOIN documents d ON d.id = c.document
     WHERE chunk_words MATCH ? AND ${where} ORDER BY score DESC, c.id LIMIT ?`,
    ...[match, ...values, depth],
  );
}

/** How many of the nearest vectors are looked up at once, for each chunk that is wanted: some are of other spaces. */
const AHEAD = 2;
/** Share of all chunks from which on reading the vectors in the order of the file is quicker than looking each up. */
const MOST_OF_THEM = 0.2;

/** Every vector is compared: exact, and quick enough for hundreds of thousands. */
function byMeaning(db: Db, asked: SearchAsked, depth: number): Ranked[] {
  const { meaning } = asked;
  if (meaning === undefined) return [];
  const { model, vector } = meaning;
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  const given = { asked, depth, model, bytes };
  return (isMostOfThem(db, asked) ? inOrderOfTheFile(db, given) : undefined) ?? oneByOne(db, given);
}

interface Compared {
  readonly asked: SearchAsked;
  readonly depth: number;
  readonly model: string;
  readonly bytes: Uint8Array;
}

function isMostOfThem({ project, first }: Db, { spaces }: SearchAsked): boolean {
  const row = first<{ own: number; whole: number }>(
    `SELECT coalesce(sum(chunks) FILTER (WHERE space IN (${marks(spaces)})), 0) AS own,
     coalesce(sum(chunks), 0) AS whole FROM documents WHERE project = ?`,
    ...[...spaces.map(Number), project],
  );
  return row !== undefined && row.own > row.whole * MOST_OF_THEM;
}

/** Undefined if too many of the nearest are not among those that are asked for. */
function inOrderOfTheFile(db: Db, { asked, depth, model, bytes }: Compared): Ranked[] | undefined {
  const near = db.all<{ hash: string; score: number }>(
    `SELECT hash, 1 - vec_distance_cosine(vector, ?) AS score FROM vectors NOT INDEXED
     WHERE project = ? AND model = ? AND length(vector) = ? ORDER BY score DESC LIMIT ?`,
    ...[bytes, db.project, model, bytes.length, depth * AHEAD],
  );
  const scores = new Map(near.map(({ hash, score }) => [hash, score]));
  const { where, values } = limitsOf(db, asked);
  const found = db.all<{ id: number; hash: string }>(
    `SELECT c.id, c.hash FROM chunks c INDEXED BY chunks_hash JOIN documents d ON d.id = c.document
     WHERE c.project = ? AND c.hash IN (${marks(near)}) AND ${where}`,
    ...[db.project, ...scores.keys(), ...values],
  );
  if (found.length < depth && near.length === depth * AHEAD) return undefined;
  return found
    .map(({ id, hash }) => ({ id, score: scores.get(hash) as number }))
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, depth);
}

function oneByOne(db: Db, { asked, depth, model, bytes }: Compared): Ranked[] {
  const { where, values } = limitsOf(db, asked);
  return db.all<Ranked>(
    `SELECT c.id, 1 - vec_distance_cosine(v.vector, ?) AS score FROM chunks c
     JOIN vectors v ON v.project = c.project AND v.model = ? AND v.hash = c.hash
     JOIN documents d ON d.id = c.document
     WHERE length(v.vector) = ? AND ${where} ORDER BY score DESC, c.id LIMIT ?`,
    ...[bytes, model, bytes.length, ...values, depth],
  );
}

function limitsOf({ project }: Db, { spaces, documents, filter }: SearchAsked) {
  const parts = ['c.project = ?', `c.space IN (${marks(spaces)})`];
  const values: SQLInputValue[] = [project, ...spaces.map(Number)];
  if (documents.length > 0) {
    parts.push(`d.name IN (${marks(documents)})`);
    values.push(...documents);
  }
  for (const [field, wanted] of Object.entries(filter)) {
    const list = Array.isArray(wanted) ? wanted : [wanted];
    // As JSON, so that the text "1" is not the number 1.
    parts.push(`(d.metadata -> ?) IN (${marks(list)})`);
    values.push(`$."${field}"`, ...list.map((value) => JSON.stringify(value)));
  }
  return { where: parts.join(' AND '), values };
}

function marks(list: readonly unknown[]): string {
  return list.map(() => '?').join(', ');
}

function hitRow({ project, first }: Db, chunk: number): Row | undefined {
  return first(
    `SELECT c.*, d.name AS document_name, d.url, d.metadata, s.name AS space_name FROM chunks c
     JOIN documents d ON d.id = c.document JOIN spaces s ON s.id = c.space WHERE c.project = ? AND c.id = ?`,
    ...[project, chunk],
  );
}

/** The chunk with those before and after it. */
function neighboursOf({ project, all }: Db, row: Row, neighbours: number): Row[] {
  if (neighbours === 0) return [row];
  const n = row['n'] as number;
  return all(
    'SELECT * FROM chunks WHERE project = ? AND document = ? AND n BETWEEN ? AND ? ORDER BY n',
    ...[project, row['document'] as number, n - neighbours, n + neighbours],
  );
}
