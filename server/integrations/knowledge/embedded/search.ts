import type { KnowledgeHit } from '#shared/knowledge.ts';
import { fuse, type Ranked } from '../fuse.ts';
import { depthOf, hitOf } from '../hits.ts';
import type { SearchAsked } from '../store.ts';
import { matchOf, termsOf } from '../words.ts';
import type { Db, Row } from './db.ts';
import { listedSpace, nearest } from './near.ts';

/** Weights of a chunk's text, its headings and the name of its document. */
const WEIGHTS = '1.0, 2.0, 1.5';

export function createSearch(db: Db): (asked: SearchAsked) => KnowledgeHit[] {
  return (asked) => {
    const depth = depthOf(asked);
    const words = byWords(db, asked, depth);
    // One ranking alone is not fused.
    const meaning = byMeaning(db, asked, words.length === 0 ? asked.limit : depth);
    const rankings = { words, meaning };
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

/** Share of a listed space from which on all of its vectors are read: fewer are quicker to look up. */
const MOST_OF_THEM = 0.1;

/** Every vector is compared: exact, and quick enough for hundreds of thousands. */
function byMeaning(db: Db, asked: SearchAsked, depth: number): Ranked[] {
  const { meaning } = asked;
  if (meaning === undefined) return [];
  const { model, vector } = meaning;
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  const found: Ranked[] = [];
  const small: string[] = [];
  for (const space of asked.spaces) {
    const listed = db.hasNear ? listedSpace(db, Number(space)) : undefined;
    const isListed = listed?.model === model && listed.dimensions === vector.length;
    const limits = { ...asked, spaces: [space] };
    if (listed !== undefined && isListed && isMostOf(db, limits))
      found.push(...nearest(db, listed, { bytes, depth, within: withinOf(db, limits) }));
    else small.push(space);
  }
  if (small.length > 0)
    found.push(...oneByOne(db, { asked: { ...asked, spaces: small }, depth, model, bytes }));
  // A vector of zeros has no cosine.
  const near = found.filter(({ score }) => score !== null);
  return near.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, depth);
}

interface Compared {
  readonly asked: SearchAsked;
  readonly depth: number;
  readonly model: string;
  readonly bytes: Uint8Array;
}

const isLimited = ({ documents, filter }: SearchAsked): boolean =>
  documents.length > 0 || Object.keys(filter).length > 0;

/** Whether the documents that a search of one space is limited to have many of its chunks. */
function isMostOf(db: Db, asked: SearchAsked): boolean {
  if (!isLimited(asked)) return true;
  const { where, values } = limitsOf(db, asked, 'd');
  const row = db.first<{ own: number; whole: number }>(
    `SELECT coalesce(sum(d.chunks) FILTER (WHERE ${where}), 0) AS own, coalesce(sum(d.chunks), 0) AS whole
     FROM documents d WHERE d.project = ? AND d.space = ?`,
    ...[...values, db.project, Number(asked.spaces[0])],
  );
  return row !== undefined && row.own > row.whole * MOST_OF_THEM;
}

function withinOf(db: Db, asked: SearchAsked) {
  if (!isLimited(asked)) return undefined;
  const { where, values } = limitsOf(db, asked);
  return { text: `SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document WHERE ${where}`, values };
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

/** Conditions of chunks (c) and their documents (d), or of documents alone. */
function limitsOf({ project }: Db, { spaces, documents, filter }: SearchAsked, of: 'c' | 'd' = 'c') {
  const parts = [`${of}.project = ?`, `${of}.space IN (${marks(spaces)})`];
  const values: (string | number)[] = [project, ...spaces.map(Number)];
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
