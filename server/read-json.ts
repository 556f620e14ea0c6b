import { isUtf8 } from 'node:buffer';
import { ServiceError } from './errors.ts';

const maxDepth = 200;

/** The media types read as JSON: `application/json` and everything that ends in `+json`. */
export const jsonMediaType = /^application\/(?:[\w.!#$&^-]+\+)?json(?:[; ]|$)/i;

/**
 * The value of a JSON body. Throws `invalid_encoding` (not UTF-8), `too_deep` (more than 200 levels) or `invalid_json`
 * (not JSON, or with keys that change an object's prototype when copied: `__proto__`, `constructor.prototype`).
 */
export function readJsonBody(body: Buffer): unknown {
  if (!isUtf8(body)) throw new ServiceError('invalid_encoding');
  if (exceedsDepth(body, maxDepth)) throw new ServiceError('too_deep');
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '')
    throw new ServiceError('invalid_json', 'The body is empty, but its type says JSON.');
  try {
    return suspicious.test(text) ? JSON.parse(text, refusePrototypes) : JSON.parse(text);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('invalid_json', `The body is not valid JSON: ${(error as Error).message}.`);
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Counts brackets outside of texts, without recursion; bytes of other characters are never mistaken in UTF-8. */
function exceedsDepth(body: Buffer, limit: number): boolean {
  if (body.length <= limit) return false;
  let depth = 0;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (byte === quote) i = endOfText(body, i + 1);
    else if (byte === 0x5b || byte === 0x7b) depth++;
    else if (byte === 0x5d || byte === 0x7d) depth--;
    if (depth > limit) return true;
  }
  return false;
}

function endOfText(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}

/** Bodies that may hold such a key, plainly or with escaped letters (which no encoder writes by itself). */
const suspicious = /__proto__|"constructor"|\\u00[567]/;

function refusePrototypes(key: string, value: unknown): unknown {
  const isPrototype = key === '__proto__' || (key === 'constructor' && hasPrototype(value));
  if (isPrototype) throw new ServiceError('invalid_json', `The body has a key that is not accepted: ${key}.`);
  return value;
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}
