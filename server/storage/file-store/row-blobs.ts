import { createHash, randomBytes } from 'node:crypto';
import { WeftError } from '#engine';
import { errorTable } from '#shared/errors.ts';
import { DEFAULT_PROJECT, type Sql } from '../database/sql.ts';
import type { Blobs, ByteRange } from './blobs.ts';

/** Bytes of a row. A blob has rows of this size, and a last one that may be shorter. */
const PIECE = 128 * 1024;
const NOTHING = new Uint8Array();
/** The age from which an incomplete blob counts as a leftover, in milliseconds: a slow upload may still be writing it. */
const LEFTOVER_MS = 24 * 3_600_000;
/** How long the bytes of a removed blob stay for its readers, in milliseconds. */
const READ_MS = 3_600_000;
/** Blobs that are listed or deleted at once. */
const AT_ONCE = 500;

const BEGIN = 'INSERT INTO blobs (project, id, at) VALUES (?, ?, ?)';
const ADD = 'INSERT INTO blob_pieces (project, id, n, bytes) VALUES (?, ?, ?, ?)';
const COMPLETE = 'UPDATE blobs SET bytes = ? WHERE project = ? AND id = ?';
const IS_THERE = 'bytes IS NOT NULL AND removed_at IS NULL';
const FIND = `SELECT bytes FROM blobs WHERE project = ? AND id = ? AND ${IS_THERE}`;
const READ = 'SELECT bytes FROM blob_pieces WHERE project = ? AND id = ? AND n = ?';
const REMOVE = 'UPDATE blobs SET removed_at = ? WHERE project = ? AND id = ? AND removed_at IS NULL';
const LIST = `SELECT id, at FROM blobs WHERE project = ? AND id > ? AND ${IS_THERE} ORDER BY id LIMIT ${AT_ONCE}`;
const OVER = `SELECT id FROM blobs
  WHERE project = ? AND (removed_at < ? OR (bytes IS NULL AND at < ?)) LIMIT ${AT_ONCE}`;
const DROP_PIECES = 'DELETE FROM blob_pieces WHERE project = ? AND id = ?';
const DROP = 'DELETE FROM blobs WHERE project = ? AND id = ?';

interface Options {
  /** Unix milliseconds. */
  readonly now?: () => number;
  readonly project?: string;
}

/**
 * Blobs in the rows of a database, for servers that share it. The caller closes it. The row with the length of a blob
 * is completed last: without it the blob does not exist.
 */
export function createRowBlobs(sql: Sql, { now = Date.now, project = DEFAULT_PROJECT }: Options = {}): Blobs {
  const drop = (id: string) =>
    sql.batch([
      [DROP_PIECES, project, id],
      [DROP, project, id],
    ]);

  return {
    async put(content) {
      const id = randomBytes(16).toString('hex');
      const hash = createHash('sha256');
      let bytes = 0;
      try {
        await sql.run(BEGIN, project, id, now());
        let n = 0;
        for await (const piece of inPieces(content)) {
          hash.update(piece);
          bytes += piece.length;
          await sql.run(ADD, project, id, n++, piece);
        }
        await sql.batch([[COMPLETE, bytes, project, id]], { synced: true });
        return { id, bytes, sha256: hash.digest('hex') };
      } catch (error) {
        await drop(id).catch(() => undefined);
        throw error;
      }
    },
    async open(id, range) {
      const found = await sql.first<{ readonly bytes: number }>(FIND, project, id);
      if (found === undefined) throw gone();
      const last = Math.min(range?.last ?? Number.POSITIVE_INFINITY, found.bytes - 1);
      return readPieces(
        async (n) => (await sql.first<{ readonly bytes: Uint8Array }>(READ, project, id, n))?.bytes,
        { first: range?.first ?? 0, last },
      );
    },
    async remove(id) {
      await sql.run(REMOVE, now(), project, id);
    },
    async *ids() {
      const over = [project, now() - READ_MS, now() - LEFTOVER_MS] as const;
      for (const { id } of await sql.all<{ readonly id: string }>(OVER, ...over)) await drop(id);
      yield* listed(sql, project);
    },
  };
}

async function* listed(
  sql: Sql,
  project: string,
): AsyncGenerator<{ readonly id: string; readonly at: number }> {
  let after = '';
  for (;;) {
    const rows = await sql.all<{ readonly id: string; readonly at: number }>(LIST, project, after);
    yield* rows;
    if (rows.length < AT_ONCE) return;
    after = (rows.at(-1) as { readonly id: string }).id;
  }
}

/** The same bytes in pieces of one size; the last one may be shorter. */
async function* inPieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let buffer = Buffer.allocUnsafe(PIECE);
  let length = 0;
  for await (const given of content) {
    for (let at = 0; at < given.length; ) {
      const part = given.subarray(at, at + PIECE - length);
      buffer.set(part, length);
      length += part.length;
      at += part.length;
      if (length < PIECE) continue;
      yield buffer;
      buffer = Buffer.allocUnsafe(PIECE);
      length = 0;
    }
  }
  if (length > 0) yield buffer.subarray(0, length);
}

async function* readPieces(
  read: (n: number) => Promise<Uint8Array | undefined>,
  { first, last }: ByteRange,
): AsyncGenerator<Uint8Array> {
  for (let at = first; at <= last; ) {
    const n = Math.floor(at / PIECE);
    const piece = await read(n);
    const part = piece?.subarray(at - n * PIECE, last + 1 - n * PIECE) ?? NOTHING;
    // A piece that is missing or too short.
    if (part.length === 0) throw gone();
    yield part;
    at += part.length;
  }
}

function gone(): WeftError {
  return new WeftError('file_gone', errorTable.file_gone.meaning);
}
