import type { Sql, SqlStatement, SqlTransaction, SqlValue } from '../../../storage/database/sql.ts';
import type { ChunksOf } from '../chunk-index.ts';
import type { Ranked } from '../fuse.ts';

/**
 * A packed copy of the vectors of large spaces in a virtual table of sqlite-vec: reading rows one by one takes longer than
 * comparing them. Every vector is still compared. The rows of `vectors` stay authoritative: these tables are rebuilt from them
 * when they are missing or another version of sqlite-vec has written them.
 *
 * KN1. For a listed space, `near` contains each of its chunks that has a vector of this model and length, and no other.
 */

/** The number of chunks from which a space is listed; fewer are read one by one within some milliseconds. */
export const LARGE_SPACE = 1000;
/** The vectors of one space that are stored together: fewer are slower, more waste room. */
const TOGETHER = 512;
/** The share of deleted chunks from which their slots are filled again: sqlite-vec fills none itself. */
const MOST_DROPPED = 0.5;

/** Chunks whose slots are released together. */
const AT_ONCE = 500;

interface Listed {
  readonly space: number;
  readonly model: string;
  readonly dimensions: number;
}

type Reads = Pick<SqlTransaction, 'all' | 'first'>;

const tableOf = (dimensions: number): string => `near_${dimensions}`;

/** A vector of zeros has no direction and is near to nothing. */
const ROWS = `SELECT c.id, c.space, v.vector FROM chunks c
  JOIN vectors v ON v.project = c.project AND v.model = ? AND v.hash = c.hash
  WHERE length(v.vector) = ? AND vec_distance_cosine(v.vector, v.vector) IS NOT NULL AND c.project = ?`;

/** The listed ones of these spaces. */
export function listedSpaces({ all }: Reads, spaces: readonly number[]): Promise<Listed[]> {
  return all<Listed>(
    'SELECT space, model, dimensions FROM near WHERE space IN (SELECT value FROM json_each(?))',
    JSON.stringify(spaces),
  );
}

/** The nearest chunks of a listed space; `within` limits them by a statement that returns ids. */
export function nearest(
  { all }: Reads,
  { space, dimensions }: Listed,
  asked: {
    readonly bytes: Uint8Array;
    readonly depth: number;
    readonly within?: { readonly text: string; readonly values: readonly SqlValue[] } | undefined;
  },
): Promise<Ranked[]> {
  const { bytes, depth, within } = asked;
  return all<Ranked>(
    `SELECT id, 1 - distance AS score FROM ${tableOf(dimensions)}
     WHERE vector MATCH ? AND k = ? AND space = ?${within === undefined ? '' : ` AND id IN (${within.text})`}`,
    ...[bytes, depth, space, ...(within?.values ?? [])],
  );
}

/** Lists a space that has become large. */
export async function listLarge(
  tx: SqlTransaction,
  project: string,
  space: number,
  model: string,
): Promise<void> {
  if ((await listedSpaces(tx, [space])).length > 0) return;
  const size = await tx.first<{ chunks: number }>(
    'SELECT coalesce(sum(chunks), 0) AS chunks FROM documents WHERE project = ? AND space = ?',
    ...[project, space],
  );
  if ((size?.chunks ?? 0) < LARGE_SPACE) return;
  const one = await tx.first<{ bytes: number }>(
    `SELECT length(v.vector) AS bytes FROM chunks c JOIN vectors v ON v.project = c.project AND v.model = ? AND v.hash = c.hash
     WHERE c.project = ? AND c.space = ? AND length(v.vector) > 0 LIMIT 1`,
    ...[model, project, space],
  );
  if (one === undefined) return;
  const dimensions = one.bytes / 4;
  await tx.run(`CREATE VIRTUAL TABLE IF NOT EXISTS ${tableOf(dimensions)} USING vec0(
    id INTEGER PRIMARY KEY, space INTEGER PARTITION KEY, vector float[${dimensions}] distance_metric=cosine, chunk_size=${TOGETHER}
  )`);
  await tx.run(
    'INSERT INTO near (space, model, dimensions, made_by, dropped) VALUES (?, ?, ?, vec_version(), 0)',
    ...[space, model, dimensions],
  );
  await addRows(tx, project, { space, model, dimensions }, ['c.space = ?', space]);
}

async function addRows(
  tx: SqlTransaction,
  project: string,
  { model, dimensions }: Listed,
  [which, ...values]: SqlStatement,
): Promise<void> {
  await tx.run(
    `INSERT INTO ${tableOf(dimensions)} (id, space, vector) ${ROWS} AND ${which}`,
    ...[model, dimensions * 4, project, ...values],
  );
}

/** Adds the chunks of a document that were just stored and whose texts have a vector already. */
export async function addDocument(
  tx: SqlTransaction,
  project: string,
  { space, document }: Required<ChunksOf>,
): Promise<void> {
  for (const listed of await listedSpaces(tx, [space]))
    await addRows(tx, project, listed, ['c.document = ?', document]);
}

/** Adds vectors that were just stored, for all chunks with their texts. */
export async function addVectors(
  tx: SqlTransaction,
  project: string,
  model: string,
  hashes: readonly string[],
): Promise<void> {
  const list = JSON.stringify(hashes);
  const chosen = 'c.hash IN (SELECT value FROM json_each(?))';
  const spaces = await tx.all<Listed>(
    `SELECT DISTINCT near.space, near.model, near.dimensions FROM chunks c JOIN near ON near.space = c.space AND near.model = ?
     WHERE c.project = ? AND ${chosen}`,
    ...[model, project, list],
  );
  // The plus sign keeps SQLite from reading all chunks of the space.
  for (const listed of spaces)
    await addRows(tx, project, listed, [`${chosen} AND +c.space = ?`, list, listed.space]);
}

/** Called before the chunks themselves are deleted, or when the model of a space changes. */
export async function unlist(tx: SqlTransaction, project: string, of: ChunksOf): Promise<void> {
  const [listed] = await listedSpaces(tx, [of.space]);
  if (listed === undefined) return;
  const dropped = await dropRows(tx, project, listed, of);
  if (of.document === undefined) await tx.run('DELETE FROM near WHERE space = ?', of.space);
  else await tx.run('UPDATE near SET dropped = dropped + ? WHERE space = ?', dropped, of.space);
}

/** Called before vectors of this model with another length are deleted. */
export async function unlistOtherLengths(
  tx: SqlTransaction,
  project: string,
  model: string,
  length: number,
): Promise<void> {
  const spaces = await tx.all<{ space: number }>(
    `SELECT near.space FROM near JOIN spaces s ON s.id = near.space
     WHERE s.project = ? AND near.model = ? AND near.dimensions <> ?`,
    ...[project, model, length],
  );
  for (const { space } of spaces) await unlist(tx, project, { space });
}

/** Deletes one by one: for a list, sqlite-vec would read the vectors of all spaces. */
async function dropRows(
  tx: SqlTransaction,
  project: string,
  { dimensions }: Listed,
  { space, document }: ChunksOf,
): Promise<number> {
  const [column, of] = document === undefined ? ['space', space] : ['document', document];
  let dropped = 0;
  for (let last = 0; ; ) {
    const chunks = await tx.all<{ id: number }>(
      `SELECT id FROM chunks WHERE project = ? AND ${column} = ? AND id > ? ORDER BY id LIMIT ?`,
      ...[project, of, last, AT_ONCE],
    );
    const text = `DELETE FROM ${tableOf(dimensions)} WHERE id = ?`;
    for (const n of await Promise.all(chunks.map(({ id }) => tx.run(text, id)))) dropped += n;
    if (chunks.length < AT_ONCE) return dropped;
    last = chunks.at(-1)?.id ?? last;
  }
}

/** Rebuilds the list of a space when it has too many slots of deleted chunks. */
export async function fillPlaces(tx: SqlTransaction, project: string, space: number): Promise<void> {
  const listed = await tx.first<Listed>(
    `SELECT space, model, dimensions FROM near WHERE space = ? AND dropped > ${MOST_DROPPED} *
     (SELECT coalesce(sum(chunks), 0) FROM documents WHERE project = ? AND documents.space = near.space)`,
    ...[space, project],
  );
  if (listed === undefined) return;
  await unlist(tx, project, { space });
  await listLarge(tx, project, space, listed.model);
}

/**
 * Runs in the process that opens the file. Without sqlite-vec nothing is listed, because nothing could keep the lists current;
 * tables that another version has written, or that an older Weft lacks, are rebuilt.
 */
export async function tidyNear(sql: Sql, project: string, hasVec: boolean): Promise<void> {
  const isListed = (await sql.first('SELECT 1 FROM near LIMIT 1')) !== undefined;
  if (!hasVec) {
    if (isListed) await sql.run('DELETE FROM near');
    return;
  }
  await sql.transaction(async (tx) => {
    await tx.run('DELETE FROM near WHERE EXISTS (SELECT 1 FROM near WHERE made_by <> vec_version())');
    if ((await tx.first('SELECT 1 FROM near LIMIT 1')) !== undefined) return;
    for (const { name } of await tx.all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE near\\_%' ESCAPE '\\'",
    ))
      await tx.run(`DROP TABLE ${name}`);
  });
  const spaces = await sql.all<{ id: number; model: string }>(
    `SELECT id, model FROM spaces WHERE project = ? AND model IS NOT NULL AND id NOT IN (SELECT space FROM near)`,
    project,
  );
  for (const { id, model } of spaces) await sql.transaction((tx) => listLarge(tx, project, id, model));
}
