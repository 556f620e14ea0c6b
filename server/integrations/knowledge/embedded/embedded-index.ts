import type { Sql, SqlTransaction, SqlValue } from '../../../storage/database/sql.ts';
import type { ChunkIndex, ChunksOf, NewVectors } from '../chunk-index.ts';
import { insertChunks, insertRows } from '../chunk-rows.ts';
import type { Ranked } from '../fuse.ts';
import type { SearchAsked } from '../store.ts';
import { matchOf } from '../words.ts';
import {
  addDocument,
  addVectors as addNearVectors,
  fillPlaces,
  listedSpaces,
  listLarge,
  nearest,
  unlist,
  unlistOtherLengths,
} from './near.ts';

/** Weights of a chunk's text, its headings and the name of its document. */
const WEIGHTS = '1.0, 2.0, 1.5';
/** The share of a listed space from which all of its vectors are read; a smaller share is quicker to look up. */
const MOST_OF_THEM = 0.1;

interface Place {
  readonly sql: Sql;
  readonly project: string;
  /** Whether the virtual tables of sqlite-vec are available. */
  readonly hasVec: boolean;
}

/** Words are in FTS5; vectors are in rows, and those of large spaces also in packed tables (`near.ts`). */
export function createEmbeddedIndex(place: Place): ChunkIndex {
  const { project, hasVec } = place;
  return {
    ofDocument: { columns: '', values: '' },
    async add(tx, to, chunks) {
      const count = await insertChunks(tx, { table: 'chunks', project, ...to }, chunks);
      await tx.run(
        `INSERT INTO chunk_words (rowid, text, heading, name)
         SELECT id, indexed(text), indexed(heading), indexed(?) FROM chunks WHERE project = ? AND document = ? ORDER BY n`,
        ...[to.name, project, to.document],
      );
      if (hasVec) await addDocument(tx, project, to);
      return count;
    },
    addVectors: (tx, document, vectors) => addVectors(tx, place, document, vectors),
    lengthOfVector: 'length(v.vector) / 4',
    async forgetOtherVectors(tx, model, length) {
      if (hasVec) await unlistOtherLengths(tx, project, model, length);
    },
    async drop(tx, of) {
      const [which, ...values] = chosen(project, of);
      if (hasVec) await unlist(tx, project, of);
      await tx.run(
        `DELETE FROM chunk_words WHERE rowid IN (SELECT id FROM chunks WHERE ${which})`,
        ...values,
      );
      await tx.run(`DELETE FROM chunks WHERE ${which}`, ...values);
      if (hasVec && of.document !== undefined) await fillPlaces(tx, project, of.space);
    },
    async changeModel(tx, space) {
      if (hasVec) await unlist(tx, project, { space });
    },
    async search(asked, depth) {
      const words = await byWords(place, asked, depth);
      // A single ranking is not fused.
      return { words, meaning: await byMeaning(place, asked, words.length === 0 ? asked.limit : depth) };
    },
    withoutMeaning: () => Promise.resolve(null),
  };
}

function chosen(project: string, { space, document }: ChunksOf): [which: string, ...values: SqlValue[]] {
  return document === undefined
    ? ['project = ? AND space = ?', project, space]
    : ['project = ? AND document = ?', project, document];
}

async function addVectors(
  tx: SqlTransaction,
  { project, hasVec }: Place,
  document: number,
  { model, vectors }: NewVectors,
): Promise<void> {
  const rows = vectors.map(([hash, vector]) => [project, model, hash, bytesOf(vector)]);
  const stored = await insertRows<{ hash: string }>(
    tx,
    {
      into: 'vectors (project, model, hash, vector)',
      values: '(?, ?, ?, ?)',
      otherwise: ' ON CONFLICT (project, model, hash) DO NOTHING RETURNING hash',
    },
    rows,
  );
  if (!hasVec) return;
  if (stored.length > 0)
    await addNearVectors(
      tx,
      project,
      model,
      stored.map(({ hash }) => hash),
    );
  const of = await tx.first<{ space: number }>(
    `SELECT d.space FROM documents d JOIN spaces s ON s.id = d.space
     WHERE d.project = ? AND d.id = ? AND s.model = ?`,
    ...[project, document, model],
  );
  if (of !== undefined) await listLarge(tx, project, of.space, model);
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

// --------------------------------------------------------------------------------------------------------- search

async function byWords({ sql, project }: Place, asked: SearchAsked, depth: number): Promise<Ranked[]> {
  const match = matchOf(asked.query);
  if (match === undefined) return [];
  const { where, values } = limitsOf(project, asked);
  return sql.all<Ranked>(
    `SELECT c.id, -bm25(chunk_words, ${WEIGHTS}) AS score FROM chunk_words
     JOIN chunks c ON c.id = chunk_words.rowid JOIN documents d ON d.id = c.document
     WHERE chunk_words MATCH ? AND ${where} ORDER BY score DESC, c.id LIMIT ?`,
    ...[match, ...values, depth],
  );
}

/** Compares every vector: exact, and quick enough for hundreds of thousands. */
async function byMeaning(place: Place, asked: SearchAsked, depth: number): Promise<Ranked[]> {
  const { meaning } = asked;
  if (meaning === undefined) return [];
  const { sql, project, hasVec } = place;
  const { model, vector } = meaning;
  const bytes = bytesOf(vector);
  const listed = new Map(
    (hasVec ? await listedSpaces(sql, asked.spaces.map(Number)) : [])
      .filter((one) => one.model === model && one.dimensions === vector.length)
      .map((one) => [`${one.space}`, one]),
  );
  const within = (space: string) => ({ ...asked, spaces: [space] });
  const isSide = await Promise.all(
    asked.spaces.map(async (space) => listed.has(space) && (await isMostOf(place, within(space)))),
  );
  const small = asked.spaces.filter((_, at) => !isSide[at]);
  const rankings = asked.spaces.flatMap((space, at) => {
    const side = listed.get(space);
    if (side === undefined || !isSide[at]) return [];
    return [nearest(sql, side, { bytes, depth, within: withinOf(project, within(space)) })];
  });
  if (small.length > 0)
    rankings.push(oneByOne(place, { asked: { ...asked, spaces: small }, depth, model, bytes }));
  const found = (await Promise.all(rankings)).flat();
  // A vector of zeros has no cosine.
  const near = found.filter(({ score }) => score !== null);
  return near.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, depth);
}

const isLimited = ({ documents, filter }: SearchAsked): boolean =>
  documents.length > 0 || Object.keys(filter).length > 0;

/** Whether a search that is limited to some documents of a space covers many of its chunks. */
async function isMostOf({ sql, project }: Place, asked: SearchAsked): Promise<boolean> {
  if (!isLimited(asked)) return true;
  const { where, values } = limitsOf(project, asked, 'd');
  const row = await sql.first<{ own: number; whole: number }>(
    `SELECT coalesce(sum(d.chunks) FILTER (WHERE ${where}), 0) AS own, coalesce(sum(d.chunks), 0) AS whole
     FROM documents d WHERE d.project = ? AND d.space = ?`,
    ...[...values, project, Number(asked.spaces[0])],
  );
  return row !== undefined && row.own > row.whole * MOST_OF_THEM;
}

function withinOf(project: string, asked: SearchAsked) {
  if (!isLimited(asked)) return undefined;
  const { where, values } = limitsOf(project, asked);
  return { text: `SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document WHERE ${where}`, values };
}

interface Compared {
  readonly asked: SearchAsked;
  readonly depth: number;
  readonly model: string;
  readonly bytes: Uint8Array;
}

function oneByOne({ sql, project }: Place, { asked, depth, model, bytes }: Compared): Promise<Ranked[]> {
  const { where, values } = limitsOf(project, asked);
  return sql.all<Ranked>(
    `SELECT c.id, 1 - vec_distance_cosine(v.vector, ?) AS score FROM chunks c
     JOIN vectors v ON v.project = c.project AND v.model = ? AND v.hash = c.hash
     JOIN documents d ON d.id = c.document
     WHERE length(v.vector) = ? AND ${where} ORDER BY score DESC, c.id LIMIT ?`,
    ...[bytes, model, bytes.length, ...values, depth],
  );
}

/** Conditions of chunks (c) and their documents (d), or of documents alone. */
function limitsOf(project: string, { spaces, documents, filter }: SearchAsked, of: 'c' | 'd' = 'c') {
  const parts = [`${of}.project = ?`];
  const values: SqlValue[] = [project];
  const limit = (column: string, list: readonly (string | number)[]): void => {
    const [one] = list;
    const isOne = list.length === 1 && one !== undefined;
    parts.push(isOne ? `${column} = ?` : `${column} IN (SELECT value FROM json_each(?))`);
    // One value, so that few statements are prepared.
    values.push(isOne ? one : JSON.stringify(list));
  };
  limit(`${of}.space`, spaces.map(Number));
  if (documents.length > 0) limit('d.name', documents);
  for (const [field, wanted] of Object.entries(filter)) {
    const list = Array.isArray(wanted) ? wanted : [wanted];
    values.push(`$."${field}"`);
    // As JSON, so that the text "1" is not the number 1.
    limit(
      '(d.metadata -> ?)',
      list.map((value) => JSON.stringify(value)),
    );
  }
  return { where: parts.join(' AND '), values };
}
