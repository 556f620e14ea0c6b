import type { Chunk } from '#shared/split-document.ts';
import type { Sql, SqlValue } from '../../../storage/database/sql.ts';
import type { ChunkIndex } from '../chunk-index.ts';
import { insertChunks, insertRows } from '../chunk-rows.ts';
import type { Ranked } from '../fuse.ts';
import type { SearchAsked } from '../store.ts';
import { arrayOf, termQueries, termVector } from './literals.ts';

/** Words in more chunks are so common that they are not counted further, and find nothing alone. */
const COMMON = 5_000;
/** The usual weight of the length of a chunk in BM25. */
const LENGTH = 0.75;
/** The weight of a word in a text (D), in the name of a document (B), in headings (A). */
const WEIGHTS = '{0.5, 0.5, 0.75, 1}';
/** The most chunks that are ranked; only a question of common words reaches it. */
const MOST_RANKED = 20_000;
/** The most comparisons without pgvector: one of 384 numbers takes a quarter of a millisecond. */
const MOST_WITHOUT_PGVECTOR = 5_000;

interface Place {
  readonly sql: Sql;
  readonly project: string;
  readonly vectors: 'pgvector' | 'arrays';
}

/** Words are in columns of the chunks and weighed by this code; vectors are in arrays, compared by pgvector or by sums. */
export function createPostgresIndex(place: Place): ChunkIndex {
  const { project } = place;
  return {
    ofDocument: { columns: ', words', values: ', 0' },
    async add(tx, to, chunks) {
      let words = 0;
      const more = {
        columns: ', words, terms',
        values: ', ?, CAST(? AS TSVECTOR)',
        of({ text, heading }: Chunk) {
          const terms = termVector(text, heading, to.name);
          words += terms.words;
          return [terms.words, terms.vector];
        },
      };
      const count = await insertChunks(tx, { table: 'knowledge_chunks', project, ...to, more }, chunks);
      await tx.run(
        'UPDATE knowledge_documents SET words = ? WHERE project = ? AND id = ?',
        ...[words, project, to.document],
      );
      return count;
    },
    async addVectors(tx, _, { model, vectors }) {
      await insertRows(
        tx,
        {
          into: 'knowledge_vectors (project, model, hash, vector, norm)',
          values: '(?, ?, ?, CAST(? AS REAL[]), ?)',
          otherwise: ' ON CONFLICT (project, model, hash) DO NOTHING',
        },
        vectors.map(([hash, vector]) => [project, model, hash, arrayOf(vector), Math.hypot(...vector)]),
      );
    },
    lengthOfVector: 'cardinality(v.vector)',
    forgetOtherVectors: () => Promise.resolve(),
    async drop(tx, { space, document }) {
      const [column, of] = document === undefined ? ['space', space] : ['document', document];
      await tx.run(`DELETE FROM knowledge_chunks WHERE project = ? AND ${column} = ?`, project, of);
    },
    changeModel: () => Promise.resolve(),
    async search(asked, depth) {
      const [words, meaning] = await Promise.all([
        byWords(place, asked, depth),
        byMeaning(place, asked, depth),
      ]);
      return { words, meaning };
    },
    withoutMeaning: (spaces) => withoutMeaning(place, spaces),
  };
}

async function withoutMeaning(place: Place, spaces: readonly string[]): Promise<string | null> {
  if (place.vectors === 'pgvector') return null;
  const { chunks } = await sizeOf(place, spaces);
  if (chunks <= MOST_WITHOUT_PGVECTOR) return null;
  return `The database has no pgvector, without which at most ${MOST_WITHOUT_PGVECTOR} chunks are searched by meaning.`;
}

async function sizeOf({ sql, project }: Place, spaces: readonly string[]) {
  const row = await sql.first<{ chunks: number; words: number }>(
    `SELECT CAST(coalesce(sum(chunks), 0) AS BIGINT) AS chunks, CAST(coalesce(sum(words), 0) AS BIGINT) AS words
     FROM knowledge_documents WHERE project = ? AND space = ANY(CAST(? AS BIGINT[]))`,
    ...[project, arrayOf(spaces.map(Number))],
  );
  return row ?? { chunks: 0, words: 0 };
}

/**
 * The ranks of PostgreSQL ignore the rarity of words, which is most of BM25: so each word is weighed by the number of chunks with
 * it. `ts_rank` of one word provides the rest, a count that soon grows slowly.
 */
async function byWords(place: Place, asked: SearchAsked, depth: number): Promise<Ranked[]> {
  const { sql, project } = place;
  const queries = termQueries(asked.query);
  if (queries.length === 0) return [];
  const spaces = arrayOf(asked.spaces.map(Number));
  const counting = sql.all<{ query: string; n: number }>(
    `SELECT t.query, (SELECT count(*) FROM (SELECT 1 FROM knowledge_chunks c WHERE c.project = ?
       AND c.space = ANY(CAST(? AS BIGINT[])) AND c.terms @@ CAST(t.query AS TSQUERY) LIMIT ?) found) AS n
     FROM unnest(CAST(? AS TEXT[])) AS t(query)`,
    ...[project, spaces, COMMON, arrayOf(queries)],
  );
  const [size, counted] = await Promise.all([sizeOf(place, asked.spaces), counting]);
  const known = counted.filter(({ n }) => n > 0);
  const rare = known.filter(({ n }) => n < COMMON);
  if (known.length === 0) return [];
  const join = (terms: readonly { query: string }[], sign: string) =>
    terms.map(({ query }) => `(${query})`).join(sign);
  // For common words alone, a chunk should have all of them; if no chunk does, any of them.
  const attempts = rare.length > 0 ? [join(rare, ' | ')] : [join(known, ' & '), join(known, ' | ')];
  const weights = known.map(({ n }) => Math.log(1 + (size.chunks - n + 0.5) / (n + 0.5)));
  const { where, values } = limitsOf(project, asked);
  const ranked = (finding: string) =>
    sql.all<Ranked & object>(
      `WITH asked AS (
       SELECT CAST(t.query AS TSQUERY) AS query, t.weight
       FROM unnest(CAST(? AS TEXT[]), CAST(? AS DOUBLE PRECISION[])) AS t(query, weight)
     ), found AS MATERIALIZED (
       SELECT c.id, c.terms, c.words FROM knowledge_chunks c JOIN knowledge_documents d ON d.id = c.document
       WHERE c.terms @@ CAST(? AS TSQUERY) AND ${where} LIMIT ${MOST_RANKED}
     )
     SELECT f.id, sum(a.weight * ts_rank(CAST(? AS REAL[]), f.terms, a.query))
       / (1 - ${LENGTH} + ${LENGTH} * f.words / CAST(? AS DOUBLE PRECISION)) AS score
     FROM found f JOIN asked a ON f.terms @@ a.query GROUP BY f.id, f.words ORDER BY score DESC, f.id LIMIT ?`,
      ...[arrayOf(known.map(({ query }) => query)), arrayOf(weights.map((weight) => Math.max(weight, 1e-6)))],
      finding,
      ...values,
      ...[WEIGHTS, Math.max(1, size.words / Math.max(1, size.chunks)), depth],
    );
  for (const finding of attempts) {
    const found = await ranked(finding);
    if (found.length > 0) return found;
  }
  return [];
}

/** Compares every vector: exact. */
async function byMeaning(place: Place, asked: SearchAsked, depth: number): Promise<Ranked[]> {
  if (asked.meaning === undefined || (await withoutMeaning(place, asked.spaces)) !== null) return [];
  const { sql, project, vectors } = place;
  const { model, vector } = asked.meaning;
  const norm = Math.hypot(...vector);
  if (!(norm > 0)) return [];
  const { where, values } = limitsOf(project, asked);
  const list = arrayOf(vector);
  const [score, ...given]: [string, ...SqlValue[]] =
    vectors === 'pgvector'
      ? ['1 - (CAST(v.vector AS vector) <=> CAST(CAST(? AS REAL[]) AS vector))', list]
      : [
          `(SELECT sum(CAST(u.a AS DOUBLE PRECISION) * u.b) FROM unnest(v.vector, CAST(? AS REAL[])) AS u(a, b))
           / (v.norm * CAST(? AS DOUBLE PRECISION))`,
          list,
          norm,
        ];
  return sql.all<Ranked & object>(
    `SELECT c.id, ${score} AS score FROM knowledge_chunks c
     JOIN knowledge_vectors v ON v.project = c.project AND v.model = ? AND v.hash = c.hash
     JOIN knowledge_documents d ON d.id = c.document
     WHERE cardinality(v.vector) = ? AND v.norm > 0 AND ${where} ORDER BY score DESC, c.id LIMIT ?`,
    ...[...given, model, vector.length, ...values, depth],
  );
}

function limitsOf(project: string, { spaces, documents, filter }: SearchAsked) {
  const parts = ['c.project = ?', 'c.space = ANY(CAST(? AS BIGINT[]))'];
  const values: SqlValue[] = [project, arrayOf(spaces.map(Number))];
  if (documents.length > 0) {
    parts.push('d.name = ANY(CAST(? AS TEXT[]))');
    values.push(arrayOf(documents));
  }
  for (const [field, wanted] of Object.entries(filter)) {
    const list = Array.isArray(wanted) ? wanted : [wanted];
    // As JSON, so that the text "1" is not the number 1.
    parts.push('CAST((CAST(d.metadata AS JSON) -> CAST(? AS TEXT)) AS TEXT) = ANY(CAST(? AS TEXT[]))');
    values.push(field, arrayOf(list.map((value) => JSON.stringify(value))));
  }
  return { where: parts.join(' AND '), values };
}
