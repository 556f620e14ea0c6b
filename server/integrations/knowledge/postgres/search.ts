import type { Sql, SqlValue } from '../../../storage/database/sql.ts';
import { fuse, type Ranked } from '../fuse.ts';
import { depthOf, hitOf } from '../hits.ts';
import type { KnowledgeStore, SearchAsked } from '../store.ts';
import { idOf, type StoredRow } from '../stored-rows.ts';
import { termsOf } from '../words.ts';
import { arrayOf, termQueries } from './literals.ts';

/** Words that more chunks have tell so little that their number is not counted further, and they find nothing alone. */
const COMMON = 5_000;
/** BM25's usual share of a chunk's length. */
const LENGTH = 0.75;
/** What a word counts in a text (D), in the name of a document (B), in headings (A). */
const WEIGHTS = '{0.5, 0.5, 0.75, 1}';
/** Chunks that are ranked; only a question of nothing but common words reaches it. */
const MOST_RANKED = 20_000;
/** Without pgvector a comparison of 384 numbers takes a quarter of a millisecond. */
const MOST_WITHOUT_PGVECTOR = 5_000;

type Searching = Pick<KnowledgeStore, 'search' | 'withoutMeaning'>;

export function createSearch(sql: Sql, project: string, vectors: 'pgvector' | 'arrays'): Searching {
  const withoutMeaning = async (spaces: readonly string[]): Promise<string | null> => {
    if (vectors === 'pgvector') return null;
    const { chunks } = await sizeOf(sql, project, spaces);
    if (chunks <= MOST_WITHOUT_PGVECTOR) return null;
    return `The database has no pgvector, without which at most ${MOST_WITHOUT_PGVECTOR} chunks are searched by meaning.`;
  };
  return {
    withoutMeaning,
    async search(asked) {
      const depth = depthOf(asked);
      const [words, meaning] = await Promise.all([
        byWords(sql, { project, asked, depth }),
        byMeaning(sql, { project, asked, depth, vectors, withoutMeaning }),
      ]);
      const found = fuse({ words, meaning }, asked.limit);
      const rows = await rowsOf(sql, project, {
        ids: found.map(({ id }) => id),
        neighbours: asked.neighbours,
      });
      const terms = termsOf(asked.query);
      return found.flatMap((one) => {
        const row = rows.hits.get(one.id);
        return row === undefined ? [] : [hitOf(row, one, rows.around(row), terms)];
      });
    },
  };
}

interface Asking {
  readonly project: string;
  readonly asked: SearchAsked;
  readonly depth: number;
}

async function sizeOf(sql: Sql, project: string, spaces: readonly string[]) {
  const row = await sql.first<{ chunks: number; words: number }>(
    `SELECT CAST(coalesce(sum(chunks), 0) AS BIGINT) AS chunks, CAST(coalesce(sum(words), 0) AS BIGINT) AS words
     FROM knowledge_documents WHERE project = ? AND space = ANY(CAST(? AS BIGINT[]))`,
    ...[project, arrayOf(spaces.map(Number))],
  );
  return row ?? { chunks: 0, words: 0 };
}

/**
 * PostgreSQL's own ranks do not know how rare a word is, which is most of BM25: so each word is weighed by the number of
 * chunks that have it. Its `ts_rank` of one word is the rest, a count that soon grows slowly.
 */
async function byWords(sql: Sql, { project, asked, depth }: Asking): Promise<Ranked[]> {
  const queries = termQueries(asked.query);
  if (queries.length === 0) return [];
  const spaces = arrayOf(asked.spaces.map(Number));
  const counting = sql.all<{ query: string; n: number }>(
    `SELECT t.query, (SELECT count(*) FROM (SELECT 1 FROM knowledge_chunks c WHERE c.project = ?
       AND c.space = ANY(CAST(? AS BIGINT[])) AND c.terms @@ CAST(t.query AS TSQUERY) LIMIT ?) found) AS n
     FROM unnest(CAST(? AS TEXT[])) AS t(query)`,
    ...[project, spaces, COMMON, arrayOf(queries)],
  );
  const [size, counted] = await Promise.all([sizeOf(sql, project, asked.spaces), counting]);
  const known = counted.filter(({ n }) => n > 0);
  const rare = known.filter(({ n }) => n < COMMON);
  if (known.length === 0) return [];
  const join = (terms: readonly { query: string }[], sign: string) =>
    terms.map(({ query }) => `(${query})`).join(sign);
  // Of common words alone a chunk should have all; if none does, any.
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

/** Every vector is compared: exact. */
async function byMeaning(
  sql: Sql,
  {
    project,
    asked,
    depth,
    vectors,
    withoutMeaning,
  }: Asking & { readonly vectors: 'pgvector' | 'arrays' } & Pick<Searching, 'withoutMeaning'>,
): Promise<Ranked[]> {
  if (asked.meaning === undefined || (await withoutMeaning(asked.spaces)) !== null) return [];
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

async function rowsOf(
  sql: Sql,
  project: string,
  { ids, neighbours }: { readonly ids: readonly number[]; readonly neighbours: number },
) {
  const list = arrayOf(ids);
  const hits = await sql.all<StoredRow>(
    `SELECT c.id, c.document, c.n, c.text, c.heading, c.page, c.first, c.last, d.name AS document_name, d.url, d.metadata,
     s.name AS space_name FROM knowledge_chunks c JOIN knowledge_documents d ON d.id = c.document
     JOIN knowledge_spaces s ON s.id = c.space WHERE c.project = ? AND c.id = ANY(CAST(? AS BIGINT[]))`,
    ...[project, list],
  );
  const near =
    neighbours === 0
      ? []
      : await sql.all<StoredRow>(
          `SELECT c.id AS hit, o.id, o.n, o.text, o.heading, o.page, o.first, o.last FROM knowledge_chunks c
           JOIN knowledge_chunks o ON o.project = c.project AND o.document = c.document
             AND o.n BETWEEN c.n - CAST(? AS BIGINT) AND c.n + CAST(? AS BIGINT)
           WHERE c.project = ? AND c.id = ANY(CAST(? AS BIGINT[])) ORDER BY c.id, o.n`,
          ...[neighbours, neighbours, project, list],
        );
  const around = Map.groupBy(near, ({ hit }) => idOf(hit));
  return {
    hits: new Map(hits.map((row) => [row['id'] as number, row])),
    around: (row: StoredRow): readonly StoredRow[] => around.get(idOf(row['id'])) ?? [row],
  };
}
