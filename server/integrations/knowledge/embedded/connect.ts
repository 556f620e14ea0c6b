import { DatabaseSync } from 'node:sqlite';
import { load } from 'sqlite-vec';
import { indexed } from '../words.ts';

/** A connection of a thread, with the functions that the statements of this store need. */
export function connect(file: string, timeout: number): DatabaseSync {
  const db = new DatabaseSync(file, { timeout, allowExtension: true });
  db.exec('PRAGMA mmap_size = 4294967296');
  addDistance(db);
  db.function('indexed', { deterministic: true }, (text) => indexed(text as string));
  return db;
}

/**
 * `vec_distance_cosine(a, b)` for vectors of 32-bit numbers: from sqlite-vec, with its virtual tables, or a slower one of our own
 * on platforms that sqlite-vec does not support.
 */
export function addDistance(db: DatabaseSync): void {
  try {
    load(db);
  } catch {
    addOwnDistance(db);
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
