import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { lostNumbers, lostNumberText } from '#shared/lost-digits.ts';
import { ServiceError } from '../../base/errors/errors.ts';

const maxDepth = 200;

/** Limits of a JSON body. The time for reading and processing it depends on these much more than on its size. */
export interface JsonLimits {
  /** Field names, over all objects. */
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
 * `constructor.prototype`, or with a number that would become another one: too many digits, or too large).
 */
export function readJsonBody(body: Buffer, limits: JsonLimits = jsonLimits): unknown {
  if (ahead.has(body)) {
    const value = ahead.get(body);
    ahead.delete(body);
    return value;
  }
  if (!isUtf8(body)) throw new ServiceError('invalid_encoding');
  const { hasLongNumber } = scan(body, limits);
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  if (!/\S/.test(text)) throw new ServiceError('invalid_json', 'The body is empty, but its type says JSON.');
  const value = parsed(text);
  if (hasLongNumber) refuseLostDigits(text);
  return value;
}

/** Bytes from which a body is read with pauses for other work. */
const LARGE = 256 * 1024;
/** Names and values from which the same holds. */
const MANY = 10_000;
/** Values of bodies that were read ahead, each for one reader. */
const ahead = new WeakMap<Buffer, unknown>();

/** Whether `readJsonAhead` is worth it. */
export const isLargeJson = (body: unknown): body is Buffer => Buffer.isBuffer(body) && body.length > LARGE;

/** Ends with the last body that is being read ahead. */
let inTurn: Promise<void> = Promise.resolve();

/**
 * Reads a large body in slices, with pauses for other work: the next `readJsonBody` of it returns its value at once, or throws
 * its error. Needs a third more time in total. Large bodies are read one after the other, each in turns of its own: several at
 * once would delay the others for the sum of their slices.
 */
export function readJsonAhead(body: Buffer, limits: JsonLimits = jsonLimits): Promise<void> {
  inTurn = inTurn.then(nextTurn).then(() => readAhead(body, limits));
  return inTurn;
}

async function readAhead(body: Buffer, limits: JsonLimits): Promise<void> {
  try {
    if (!isUtf8(body)) return;
    const { hasLongNumber, names, elements } = scan(body, limits);
    // A few long texts are parsed as fast as they can be copied.
    if (names + elements < MANY) return;
    const { readInSlices } = await import('./read-in-slices.ts');
    const check = hasLongNumber ? refuseLostDigits : () => {};
    ahead.set(body, await readInSlices(body, { endOf: endOfTextIn(body), check }));
  } catch {
    // `readJsonBody` reports it.
  }
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
const underscore = 0x5f;
const letterC = 0x63;
const letterE = 0x65;
const letterP = 0x70;
const plus = 0x2b;
const minus = 0x2d;
const brace = 0x7b;
const zero = 0x30;
const nine = 0x39;
/** The digits of the shortest integer that may change its value when it is parsed, and of the shortest exponent with this effect. */
const LONG = 16;
const LONG_EXPONENT = 3;

/**
 * Scans the bytes once, without recursion, and looks at names and at everything outside texts; UTF-8 never lets other
 * characters' bytes look like these. Counts names and values, and finds numbers so long or large that they may become others.
 */
function scan(body: Buffer, limits: JsonLimits): JsonLimits & { readonly hasLongNumber: boolean } {
  const endOf = endOfTextIn(body);
  const shape = new Shape();
  let digits = 0;
  let most = LONG;
  let hasLongNumber = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i] as number;
    if (byte >= zero && byte <= nine) {
      if (++digits === most) hasLongNumber = true;
      continue;
    }
    most = digitsAfter(byte, digits, most);
    digits = 0;
    if (byte === quote) {
      shape.from = i + 1;
      i = endOf(body, i + 1);
      shape.to = i;
    } else if (byte === comma) shape.next();
    else if (byte === colon) shape.name(body);
    else if ((byte | 0x20) === 0x7b) shape.open(byte === brace);
    else if ((byte | 0x20) === 0x7d) shape.depth--;
  }
  const { names, elements } = shape;
  assertWithin(limits, { names, elements });
  return { hasLongNumber, names, elements };
}

/** The number of digits that are too many after this byte and so many earlier digits. */
function digitsAfter(byte: number, digits: number, most: number): number {
  if (digits > 0) return (byte | 0x20) === letterE ? LONG_EXPONENT : LONG;
  return byte === plus || byte === minus ? most : LONG;
}

function assertWithin(limits: JsonLimits, { names, elements }: JsonLimits): void {
  if (names > limits.names) throw tooMany('names of fields', limits.names);
  if (elements > limits.elements) throw tooMany('values', limits.elements);
}

/** The position of a scan among objects and lists. */
class Shape {
  depth = 0;
  names = 0;
  elements = 0;
  /** The position between the quotes of the last text. */
  from = 0;
  to = 0;
  /** For each depth, whether the object there is the value of a `constructor`. */
  private readonly isConstructor = [false];
  private afterConstructor = false;

  /** The last text was a name: throws if copying such an object would reach the prototype of objects. */
  name(body: Buffer): void {
    this.names++;
    const name = reachingName(body, this.from, this.to);
    if (name === '__proto__') throw notAccepted(name);
    if (name === 'prototype' && this.isConstructor[this.depth]) throw notAccepted('constructor');
    this.afterConstructor = name === 'constructor';
  }

  next(): void {
    this.elements++;
    this.afterConstructor = false;
  }

  open(isObject: boolean): void {
    this.elements++;
    if (++this.depth > maxDepth) throw new ServiceError('too_deep');
    this.isConstructor[this.depth] = this.afterConstructor && isObject;
    this.afterConstructor = false;
  }
}

/** Names that reach the prototype of objects when they are copied. */
const reaching = new Set(['__proto__', 'constructor', 'prototype']);
const shortest = '__proto__'.length;
const longest = 'constructor'.length * '\\u0063'.length;

/** Such a name between two quotes, even with escaped letters (which no encoder writes by default). */
function reachingName(body: Buffer, from: number, to: number): string | undefined {
  const length = to - from;
  if (length < shortest || length > longest) return undefined;
  const first = body[from];
  if (
    first !== underscore &&
    first !== letterC &&
    first !== letterP &&
    !body.subarray(from, to).includes(backslash)
  )
    return undefined;
  const name = unescaped(body.toString('latin1', from, to));
  return reaching.has(name) ? name : undefined;
}

function unescaped(text: string): string {
  return text.replace(/\\u00([0-7][\da-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function tooMany(what: string, limit: number): ServiceError {
  return new ServiceError(
    'too_many_values',
    `The JSON has more than the ${limit.toLocaleString('en-US')} ${what} that are accepted here.`,
  );
}

/** Finds the quote that ends a text. */
const endOfTextIn = (body: Buffer) => (body.includes(backslash) ? endOfText : endOfPlainText);

const endOfText = (body: Buffer, from: number): number => {
  let at = from;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
};

/** The same if there are no backslashes: most texts are short, and a long one is left to native code. */
const endOfPlainText = (body: Buffer, from: number): number => {
  const near = Math.min(body.length, from + 32);
  let at = from;
  while (at < near && body[at] !== quote) at++;
  if (at < near) return at;
  const end = body.indexOf(quote, at);
  return end === -1 ? body.length : end;
};

function notAccepted(key: string): ServiceError {
  return new ServiceError('invalid_json', `The body has a key that is not accepted: ${key}.`);
}

/** For valid JSON. Names the number that would change its value. */
function refuseLostDigits(text: string): void {
  const { value: lost } = lostNumbers(text).next();
  if (lost)
    throw new ServiceError('invalid_json', `The body has ${lostNumberText(lost)}: send it as a text.`);
}
