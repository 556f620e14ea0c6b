import type { Ranked } from '../fuse.ts';
import type { Db, Whole } from './db.ts';

/**
 * The vectors of large spaces once more, side by side in a virtual table of sqlite-vec: reading rows one by one takes longer
 * than comparing them. Every vector is still compared. The rows of `vectors` stay what counts: these tables are made of them
 * again when they are missing or another version of sqlite-vec has written them.
 *
 * KN1. A space that `near` lists has there each of its chunks that has a vector of this model and length, and no other.
 */

/** Chunks from which on a space is listed; fewer are read one by one within some milliseconds. */
export const LARGE_SPACE = 1000;
/** Vectors that are stored together, of one space: fewer are slower, more waste room. */
const TOGETHER = 512;
/** Share of a space's chunks from which on the places of dropped ones are worth filling: sqlite-vec fills none itself. */
const MOST_DROPPED = 0.5;

interface Listed {
  readonly space: number;
  readonly model: string;
  readonly dimensions: number;
}

const tableOf = (dimensions: number): string => `near_${dimensions}`;

/** A vector of zeros has no direction and is near to nothing. */
const ROWS = `SELECT c.id, c.space, v.vector FROM chunks c
  JOIN vectors v ON v.project = c.project AND v.model = ? AND v.hash = c.hash
  WHERE length(v.vector) = ? AND vec_distance_cosine(v.vector, v.vector) IS NOT NULL AND c.project = ?`;

export function listedSpace({ first }: Db, space: number): Listed | undefined {
  return first<Record<string, unknown> & Listed>('SELECT * FROM near WHERE space = ?', space);
}

/** The nearest chunks of a listed space; `within` limits them by a statement that gives ids. */
export function nearest(
  { all }: Db,
  { space, dimensions }: Listed,
  asked: {
    readonly bytes: Uint8Array;
    readonly depth: number;
    readonly within?: { readonly text: string; readonly values: readonly (string | number)[] } | undefined;
  },
): Ranked[] {
  const { bytes, depth, within } = asked;
  return all<Ranked>(
    `SELECT id, 1 - distance AS score FROM ${tableOf(dimensions)}
     WHERE vector MATCH ? AND k = ? AND space = ?${within === undefined ? '' : ` AND id IN (${within.text})`}`,
    ...[bytes, depth, space, ...(within?.values ?? [])],
  );
}

/** Lists a space that has become large. The caller has a transaction. */
export function listLarge(db: Db, space: number, model: string): void {
  if (!db.hasNear || listedSpace(db, space) !== undefined) return;
  const { project, first, run } = db;
  const size = first<{ chunks: number }>(
    'SELECT coalesce(sum(chunks), 0) AS chunks FROM documents WHERE project = ? AND space = ?',
    ...[project, space],
  );
  if ((size?.chunks ?? 0) < LARGE_SPACE) return;
  const one = first<{ bytes: number }>(
    `SELECT length(v.vector) AS bytes FROM chunks c JOIN vectors v ON v.project = c.project AND v.model = ? AND v.hash = c.hash
     WHERE c.project = ? AND c.space = ? AND length(v.vector) > 0 LIMIT 1`,
    ...[model, project, space],
  );
  if (one === undefined) return;
  const dimensions = one.bytes / 4;
  run(`CREATE VIRTUAL TABLE IF NOT EXISTS ${tableOf(dimensions)} USING vec0(
    id INTEGER PRIMARY KEY, space INTEGER PARTITION KEY, vector float[${dimensions}] distance_metric=cosine, chunk_size=${TOGETHER}
  )`);
  run(
    'INSERT INTO near (space, model, dimensions, made_by, dropped) VALUES (?, ?, ?, vec_version(), 0)',
    ...[space, model, dimensions],
  );
  addRows(db, { space, model, dimensions }, 'c.space = ?', space);
}

function addRows(db: Db, { model, dimensions }: Listed, which: string, ...values: (string | number)[]): void {
  db.run(
    `INSERT INTO ${tableOf(dimensions)} (id, space, vector) ${ROWS} AND ${which}`,
    ...[model, dimensions * 4, db.project, ...values],
  );
}

/** The chunks of a document that were just stored and whose texts have a vector already. */
export function addDocument(db: Db, space: number, document: number): void {
  const listed = listedSpace(db, space);
  if (listed !== undefined) addRows(db, listed, 'c.document = ?', document);
}

/** A vector that was just stored, for all chunks that it stands for. */
export function addVector(db: Db, model: string, hash: string): void {
  const spaces = db.all<Listed & object>(
    `SELECT DISTINCT near.* FROM chunks c JOIN near ON near.space = c.space AND near.model = ?
     WHERE c.project = ? AND c.hash = ?`,
    ...[model, db.project, hash],
  );
  for (const listed of spaces) addRows(db, listed, 'c.hash = ? AND c.space = ?', hash, listed.space);
}

/** Before the chunks themselves go. */
export function unlistDocument(db: Db, document: number): void {
  const row = db.first<{ space: number }>(
    'SELECT space FROM documents WHERE project = ? AND id = ?',
    ...[db.project, document],
  );
  const listed = row && listedSpace(db, row.space);
  if (listed !== undefined) dropRows(db, listed, 'document = ?', document);
}

/** Before its chunks go, or when another model counts. */
export function unlistSpace(db: Db, space: number): void {
  const listed = listedSpace(db, space);
  if (listed === undefined) return;
  dropRows(db, listed, 'space = ?', space);
  db.run('DELETE FROM near WHERE space = ?', space);
}

/** Lists a space anew when it has too many places of dropped chunks. The caller has a transaction. */
export function fillPlaces(db: Db, space: number): void {
  const listed = db.first<Record<string, unknown> & Listed>(
    `SELECT near.* FROM near WHERE space = ? AND dropped > ${MOST_DROPPED} *
     (SELECT sum(chunks) FROM documents WHERE project = ? AND documents.space = near.space)`,
    ...[space, db.project],
  );
  if (listed === undefined) return;
  unlistSpace(db, space);
  listLarge(db, space, listed.model);
}

/** One by one: for a list sqlite-vec would walk through the vectors of all spaces. */
function dropRows(
  { project, all, run }: Db,
  { space, dimensions }: Listed,
  which: string,
  value: number,
): void {
  const chunks = all<{ id: number }>(`SELECT id FROM chunks WHERE project = ? AND ${which}`, project, value);
  let dropped = 0;
  for (const { id } of chunks) dropped += run(`DELETE FROM ${tableOf(dimensions)} WHERE id = ?`, id);
  run('UPDATE near SET dropped = dropped + ? WHERE space = ?', dropped, space);
}

/**
 * What the process that opens the file sees to: without sqlite-vec nothing is listed, because nothing could be kept in
 * step; what another version has written is made again, and so is what an older Weft has not made.
 */
export function tidyNear(db: Db, whole: Whole): void {
  const { all, first, run } = db;
  const isListed = first('SELECT 1 FROM near LIMIT 1') !== undefined;
  if (!db.hasNear) {
    if (isListed) run('DELETE FROM near');
    return;
  }
  whole(() => {
    if (first('SELECT 1 FROM near WHERE made_by <> vec_version() LIMIT 1')) run('DELETE FROM near');
    if (first('SELECT 1 FROM near LIMIT 1') === undefined)
      for (const { name } of all<{ name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE near\\_%' ESCAPE '\\'",
      ))
        run(`DROP TABLE ${name}`);
  });
  const spaces = all<{ id: number; model: string }>(
    `SELECT id, model FROM spaces WHERE project = ? AND model IS NOT NULL AND id NOT IN (SELECT space FROM near)`,
    db.project,
  );
  for (const { id, model } of spaces) whole(() => listLarge(db, id, model));
}
