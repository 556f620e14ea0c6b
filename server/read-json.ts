import { isUtf8 } from 'node:buffer';
import { ServiceError } from './errors.ts';

const maxDepth = 200;

/** What a JSON body may hold. Reading and going through it takes time by these, much more than by its size. */
export interface JsonLimits {
  /** Names of fields, over all objects. */
  readonly names: number;
  /** Values, over all objects and lists. */
  readonly elements: number;
}

export const jsonLimits: JsonLimits = { names: 50_000, elements: 200_000 };

/** The media types read as JSON: `application/json` and everything that ends in `+json`. */
export const jsonMediaType = /^application\/(?:[\w.!#$&^-]+\+)?json(?:[; ]|$)/i;

/**
 * The value of a JSON body. Throws `invalid_encoding` (not UTF-8), `too_deep` (more than 200 levels), `too_many_values` (more
 * than `limits`) or `invalid_json` (not JSON, with keys that change an object's prototype when copied: `__proto__`,
 * `constructor.prototype`, or with a whole number that would lose digits).
 */
export function readJsonBody(body: Buffer, limits: JsonLimits = jsonLimits): unknown {
  if (!isUtf8(body)) throw new ServiceError('invalid_encoding');
  assertWithin(body, limits);
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  if (!/\S/.test(text)) throw new ServiceError('invalid_json', 'The body is empty, but its type says JSON.');
  const value = parsed(text);
  if (suspicious.test(text)) refusePrototypes(value);
  refuseLostDigits(text);
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ServiceError('invalid_json', `The body is not valid JSON: ${(error as Error).message}.`);
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;

/** Counts what stands outside of texts, without recursion; bytes of other characters are never mistaken in UTF-8. */
function assertWithin(body: Buffer, { names: maxNames, elements: maxElements }: JsonLimits): void {
  // Too short for any of it.
  if (body.length <= maxDepth) return;
  const skip = body.includes(backslash) ? endOfText : endOfPlainText;
  let depth = 0;
  let names = 0;
  let elements = 0;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i] as number;
    if (byte === quote) i = skip(body, i + 1);
    else if (byte === comma) elements++;
    else if (byte === colon) names++;
    else if ((byte | 0x20) === 0x7b) {
      elements++;
      if (++depth > maxDepth) throw new ServiceError('too_deep');
    } else if ((byte | 0x20) === 0x7d) depth--;
  }
  if (names > maxNames) throw tooMany('names of fields', maxNames);
  if (elements > maxElements) throw tooMany('values', maxElements);
}

function tooMany(what: string, limit: number): ServiceError {
  return new ServiceError(
    'too_many_values',
    `The JSON has more than the ${limit.toLocaleString('en-US')} ${what} that are taken here.`,
  );
}

const endOfText = (body: Buffer, from: number): number => {
  let at = from;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
};

/** The same where there are no backslashes: most texts are short, and a long one is left to native code. */
const endOfPlainText = (body: Buffer, from: number): number => {
  const near = Math.min(body.length, from + 32);
  let at = from;
  while (at < near && body[at] !== quote) at++;
  if (at < near) return at;
  const end = body.indexOf(quote, at);
  return end === -1 ? body.length : end;
};

/** Bodies that may hold such a key, plainly or with escaped letters (which no encoder writes by itself). */
const suspicious = /__proto__|"constructor"|\\u00[567]/;

/** Not by a reviver, which takes thirty times as long. */
function refusePrototypes(value: unknown): void {
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Object.hasOwn(next, '__proto__')) throw notAccepted('__proto__');
    const made = Object.hasOwn(next, 'constructor') ? (next as { constructor: unknown }).constructor : null;
    if (typeof made === 'object' && made !== null && Object.hasOwn(made, 'prototype'))
      throw notAccepted('constructor');
    for (const inner of Object.values(next)) if (typeof inner === 'object') open.push(inner);
  }
}

function notAccepted(key: string): ServiceError {
  return new ServiceError('invalid_json', `The body has a key that is not accepted: ${key}.`);
}

/** A whole number that may be too long, or what looks like one within a text. */
const longNumber = /(?<=^|[[:,\s])-?\d{16,400}/g;

/** Of valid JSON. What would be another number is named; a text that holds the same digits loses nothing. */
function refuseLostDigits(text: string): void {
  /** Up to here all texts were passed over. */
  let passed = 0;
  for (const { 0: number, index } of text.matchAll(longNumber)) {
    if (/[.eE]/.test(text[index + number.length] ?? '') || !losesDigits(number)) continue;
    passed = afterTexts(text, passed, index);
    if (passed > index) continue;
    const message = `The body has the number ${number.slice(0, 100)}, which can only be held as ${Number(number)}: send it as a text.`;
    throw new ServiceError('invalid_json', message);
  }
}

/** One that came out of such a number elsewhere is written back as it was, so it has lost nothing here. */
function losesDigits(number: string): boolean {
  const value = Number(number);
  if (Number.isSafeInteger(value) || String(value) === number) return false;
  return !Number.isFinite(value) || BigInt(number) !== BigInt(value);
}

/** Where the texts end that begin between `from`, which is in none, and `to`. */
function afterTexts(text: string, from: number, to: number): number {
  let at = from;
  for (;;) {
    const open = text.indexOf('"', at);
    if (open === -1 || open > to) return at;
    let end = text.indexOf('"', open + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    at = end + 1;
  }
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}
