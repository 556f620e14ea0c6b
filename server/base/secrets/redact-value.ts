import { MASK, type Redactor } from './redactor.ts';

/**
 * A JSON value with each secret in its texts, names and numbers masked. Values come from `JSON.parse`, so they are
 * trees.
 */
export function redactValue(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.text(value);
  if (typeof value === 'number') return redactNumber(value, redactor);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redactor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [redactor.text(key), redactValue(inner, redactor)]),
  );
}

/** A secret of digits may be returned as a number. */
export function redactNumber(value: number, redactor: Redactor): number | string {
  const text = String(value);
  return redactor.text(text) === text ? value : MASK;
}

/** The most paths in the values of one stream whose texts are followed. */
const MAX_PATHS = 200;
const MAX_DEPTH = 6;

/**
 * Masks secrets whose text arrives in pieces, as consecutive values of a stream: texts at one path in them belong
 * together. `stream` names the stream.
 */
export function createPieceMask(redactor: Redactor): (stream: string, value: unknown) => unknown {
  const before = new Map<string, string>();

  function text(path: string, piece: string): string {
    const past = before.get(path) ?? '';
    if (past !== '' || before.size < MAX_PATHS) {
      const all = past + piece;
      before.set(path, all.slice(Math.max(0, all.length - redactor.reach)));
    }
    return redactor.piece(piece, past);
  }

  function mask(path: string, value: unknown, depth: number): unknown {
    if (typeof value === 'string') return text(path, value);
    if (depth >= MAX_DEPTH || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item, i) => mask(`${path}.${i}`, item, depth + 1));
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, mask(`${path}.${key}`, inner, depth + 1)]),
    );
  }

  return (stream, value) => (redactor.active ? mask(stream, value, 0) : value);
}
