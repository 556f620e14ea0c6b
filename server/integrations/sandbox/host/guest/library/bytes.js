import { encodeUtf8 } from '../utf8.js';

/** Texts and bytes in the encodings that `Buffer` knows. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const URL_ALPHABET = `${ALPHABET.slice(0, 62)}-_`;
/** Characters that are put together at once. */
const PIECE = 8192;
/** The value of each sign in either alphabet; 255 for signs that are in none. */
const SIGNS = new Uint8Array(128).fill(255);
for (const letters of [ALPHABET, URL_ALPHABET]) for (let i = 0; i < 64; i++) SIGNS[letters.charCodeAt(i)] = i;

/** @typedef {{ encode(text: string): Uint8Array<ArrayBuffer>, decode(bytes: Uint8Array): string }} Encoding */

/** @type {Encoding} */
const utf8Encoding = { encode: encodeUtf8, decode: (bytes) => decodeUtf8(bytes, false) };
/** @type {Encoding} */
const utf16Encoding = { encode: encodeUtf16, decode: decodeUtf16 };

/** @type {Map<string, Encoding>} */
const ENCODINGS = new Map([
  ['utf8', utf8Encoding],
  ['utf-8', utf8Encoding],
  ['base64', { encode: decodeBase64, decode: (bytes) => encodeBase64(bytes, ALPHABET, true) }],
  ['base64url', { encode: decodeBase64, decode: (bytes) => encodeBase64(bytes, URL_ALPHABET, false) }],
  ['hex', { encode: decodeHex, decode: encodeHex }],
  ['latin1', { encode: encodeLatin1, decode: decodeLatin1 }],
  ['binary', { encode: encodeLatin1, decode: decodeLatin1 }],
  ['ascii', { encode: encodeLatin1, decode: (bytes) => decodeLatin1(bytes.map((byte) => byte & 0x7f)) }],
  ['utf16le', utf16Encoding],
  ['utf-16le', utf16Encoding],
  ['ucs2', utf16Encoding],
]);

/** @type {(name: unknown) => boolean} */
export function isEncoding(name) {
  return ENCODINGS.has(String(name).toLowerCase());
}

/** @type {(name: unknown) => Encoding} */
export function encodingOf(name) {
  const found = ENCODINGS.get(String(name).toLowerCase());
  if (!found)
    throw new TypeError(`Unknown encoding: ${String(name)}; there are ${[...ENCODINGS.keys()].join(', ')}.`);
  return found;
}

/**
 * The bytes of a typed array, a DataView or an ArrayBuffer, without a copy; undefined for anything else.
 *
 * @type {(value: unknown) => Uint8Array<ArrayBuffer> | undefined}
 */
export function viewOf(value) {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (!ArrayBuffer.isView(value)) return undefined;
  return new Uint8Array(/** @type {ArrayBuffer} */ (value.buffer), value.byteOffset, value.byteLength);
}

/** Bytes, or the bytes of a text in UTF-8. @type {(value: unknown, what: string) => Uint8Array<ArrayBuffer>} */
export function bytesOf(value, what) {
  if (typeof value === 'string') return encodeUtf8(value);
  const bytes = viewOf(value);
  if (!bytes)
    throw new TypeError(`${what} has to be a text or bytes (a Uint8Array, a Buffer or an ArrayBuffer).`);
  return bytes;
}

/** @type {(codes: ArrayLike<number>) => string} */
function textOfCodes(codes) {
  return String.fromCharCode.apply(undefined, /** @type {number[]} */ (codes));
}

/** @type {(bytes: Uint8Array, letters: string, isPadded: boolean) => string} */
function encodeBase64(bytes, letters, isPadded) {
  let text = '';
  const codes = new Uint8Array(PIECE);
  let at = 0;
  const put = (/** @type {number} */ bits) => (codes[at++] = letters.charCodeAt(bits & 63));
  for (let i = 0; i < bytes.length; i += 3) {
    const rest = bytes.length - i;
    const bits = (Number(bytes[i]) << 16) | (Number(bytes[i + 1] ?? 0) << 8) | Number(bytes[i + 2] ?? 0);
    put(bits >> 18);
    put(bits >> 12);
    if (rest > 1) put(bits >> 6);
    if (rest > 2) put(bits);
    if (at < PIECE - 4) continue;
    text += textOfCodes(codes.subarray(0, at));
    at = 0;
  }
  const padding = isPadded ? (['', '==', '='][bytes.length % 3] ?? '') : '';
  return text + textOfCodes(codes.subarray(0, at)) + padding;
}

/** @type {(bytes: Uint8Array) => string} */
export function toBase64(bytes) {
  return encodeBase64(bytes, ALPHABET, true);
}

/**
 * Both alphabets; it ends at a `=`, and leaves out what is no sign.
 *
 * @type {(text: string) => Uint8Array<ArrayBuffer>}
 */
export function decodeBase64(text) {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let [at, bits, count] = [0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x3d) break;
    const value = SIGNS[code] ?? 255;
    if (value === 255) continue;
    bits = (bits << 6) | value;
    if (++count % 4 === 0) {
      bytes[at++] = bits >> 16;
      bytes[at++] = bits >> 8;
      bytes[at++] = bits;
    }
  }
  if (count % 4 >= 2) bytes[at++] = count % 4 === 2 ? bits >> 4 : bits >> 10;
  if (count % 4 === 3) bytes[at++] = bits >> 2;
  return bytes.slice(0, at);
}

/** @type {(bytes: Uint8Array) => string} */
export function encodeHex(bytes) {
  let text = '';
  for (const byte of bytes) text += (byte + 256).toString(16).slice(1);
  return text;
}

/** Ends at the first pair that is no number. @type {(text: string) => Uint8Array<ArrayBuffer>} */
export function decodeHex(text) {
  const bytes = new Uint8Array(text.length >> 1);
  for (let i = 0; i < bytes.length; i++) {
    const pair = text.slice(2 * i, 2 * i + 2);
    if (!/^[0-9a-f]{2}$/i.test(pair)) return bytes.slice(0, i);
    bytes[i] = Number.parseInt(pair, 16);
  }
  return bytes;
}

/** @type {(text: string) => Uint8Array<ArrayBuffer>} */
export function encodeLatin1(text) {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** @type {(bytes: Uint8Array) => string} */
export function decodeLatin1(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += PIECE) text += textOfCodes(bytes.subarray(i, i + PIECE));
  return text;
}

/** @type {(text: string) => Uint8Array<ArrayBuffer>} */
function encodeUtf16(text) {
  const bytes = new Uint8Array(text.length * 2);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    bytes[2 * i] = code;
    bytes[2 * i + 1] = code >> 8;
  }
  return bytes;
}

/** @type {(bytes: Uint8Array) => string} */
export function decodeUtf16(bytes) {
  let text = '';
  const codes = new Uint16Array(bytes.length >> 1);
  for (let i = 0; i < codes.length; i++) codes[i] = Number(bytes[2 * i]) | (Number(bytes[2 * i + 1]) << 8);
  for (let i = 0; i < codes.length; i += PIECE) text += textOfCodes(codes.subarray(i, i + PIECE));
  return text;
}

/**
 * The first bytes of a character in UTF-8: from, to, how many follow, and the limits of the second one.
 */
const LEADS = /** @type {const} */ ([
  [0xc2, 0xdf, 1, 0x80, 0xbf],
  [0xe0, 0xe0, 2, 0xa0, 0xbf],
  [0xe1, 0xec, 2, 0x80, 0xbf],
  [0xed, 0xed, 2, 0x80, 0x9f],
  [0xee, 0xef, 2, 0x80, 0xbf],
  [0xf0, 0xf0, 3, 0x90, 0xbf],
  [0xf1, 0xf3, 3, 0x80, 0xbf],
  [0xf4, 0xf4, 3, 0x80, 0x8f],
]);

/**
 * Anything that is no UTF-8 becomes U+FFFD as the Encoding Standard says, or is an error.
 *
 * @type {(bytes: Uint8Array, isFatal: boolean) => string}
 */
export function decodeUtf8(bytes, isFatal) {
  let text = '';
  /** @type {number[]} */
  let codes = [];
  for (let i = 0; i < bytes.length; ) {
    const first = Number(bytes[i]);
    if (first < 0x80) {
      codes.push(first);
      i++;
    } else {
      const { point, length } = longPointAt(bytes, i);
      i += length;
      if (point < 0 && isFatal) throw new TypeError(`The bytes are not UTF-8 (at byte ${i - length}).`);
      if (point > 0xffff) codes.push(0xd800 + ((point - 0x10000) >> 10), 0xdc00 + (point & 0x3ff));
      else codes.push(point < 0 ? 0xfffd : point);
    }
    if (codes.length < PIECE) continue;
    text += textOfCodes(codes);
    codes = [];
  }
  return text + textOfCodes(codes);
}

/** A point below 0 is a fault of `length` bytes. @type {(bytes: Uint8Array, at: number) => { point: number, length: number }} */
function longPointAt(bytes, at) {
  const first = Number(bytes[at]);
  const lead = LEADS.find(([from, to]) => first >= from && first <= to);
  if (!lead) return { point: -1, length: 1 };
  const [, , more, second, last] = lead;
  let [lowest, highest] = [Number(second), Number(last)];
  let point = first & (0x3f >> more);
  for (let i = 1; i <= more; i++) {
    const byte = bytes[at + i];
    if (byte === undefined || byte < lowest || byte > highest) return { point: -1, length: i };
    [lowest, highest] = [0x80, 0xbf];
    point = (point << 6) | (byte & 63);
  }
  return { point, length: more + 1 };
}
