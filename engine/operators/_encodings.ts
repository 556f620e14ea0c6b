import { WeftError } from '../base/operator.ts';
import { TextBuilder } from './_text.ts';

/**
 * Encodes texts as digits of their UTF-8 bytes and decodes them, piece by piece, so that the work can be interrupted.
 * Implemented here, since neither TextEncoder nor btoa is part of the language; the URI functions are the only UTF-8
 * converter that is.
 */
type Work<T> = Generator<undefined, T, undefined>;
type Bytes = readonly number[];

/** Characters or digits per piece. Pieces of base64 and hexadecimal digits are whole bytes. */
const PIECE = 8192;

// ---------------------------------------------------------------------------------------------------- bytes of a text

/** Pieces that do not split a character. */
export function* piecesOf(text: string): Generator<string, void, undefined> {
  for (let from = 0; from < text.length; ) {
    let end = Math.min(from + PIECE, text.length);
    if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end++;
    yield text.slice(from, end);
    from = end;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

/** The UTF-8 bytes; a lone surrogate becomes U+FFFD. */
function utf8Bytes(piece: string): number[] {
  const escaped = encodeURIComponent(piece.toWellFormed());
  const bytes: number[] = [];
  for (let i = 0; i < escaped.length; i++) {
    const isEscape = escaped.charCodeAt(i) === PERCENT;
    bytes.push(isEscape ? Number.parseInt(escaped.slice(i + 1, i + 3), 16) : escaped.charCodeAt(i));
    if (isEscape) i += 2;
  }
  return bytes;
}

const PERCENT = 0x25;

/** @throws WeftError `bad_input` if the bytes are not UTF-8. */
function* utf8Text(pieces: Iterable<Bytes>): Work<string> {
  const text = new TextBuilder();
  let rest: Bytes = [];
  for (const piece of pieces) {
    const bytes = [...rest, ...piece];
    const cut = lastCharacter(bytes);
    text.add(decodeUtf8(bytes.slice(0, cut)));
    rest = bytes.slice(cut);
    yield;
  }
  text.add(decodeUtf8(rest));
  return text.toString();
}

/** The start of the last character, which may continue in the next piece. */
function lastCharacter(bytes: Bytes): number {
  let at = bytes.length - 1;
  while (at > 0 && ((bytes[at] as number) & 0xc0) === 0x80) at--;
  return Math.max(at, 0);
}

function decodeUtf8(bytes: Bytes): string {
  try {
    return decodeURIComponent(bytes.map((byte) => `%${hexOf(byte)}`).join(''));
  } catch {
    throw new WeftError('bad_input', 'The decoded bytes are not UTF-8 text.');
  }
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

// -------------------------------------------------------------------------------------------------------------- base64

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES: ReadonlyMap<string, number> = new Map([
  ...Array.from(DIGITS, (digit, value): [string, number] => [digit, value]),
  // The URL-safe alphabet is accepted too.
  ['-', 62],
  ['_', 63],
]);

export function* toBase64(text: string): Work<string> {
  const result = new TextBuilder();
  let rest: Bytes = [];
  for (const piece of piecesOf(text)) {
    const bytes = [...rest, ...utf8Bytes(piece)];
    const cut = bytes.length - (bytes.length % 3);
    result.add(base64Digits(bytes.slice(0, cut)));
    rest = bytes.slice(cut);
    yield;
  }
  result.add(base64Digits(rest));
  return result.toString();
}

function base64Digits(bytes: Bytes): string {
  let digits = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const count = Math.min(bytes.length - i, 3) + 1;
    for (let d = 0; d < 4; d++) digits += d < count ? DIGITS.charAt((group >> (18 - 6 * d)) & 63) : '=';
  }
  return digits;
}

/** @throws WeftError `bad_input` if the text is not base64, or does not decode to text. */
export function fromBase64(text: string): Work<string> {
  const body = text.replace(/={1,2}$/, '');
  if (body.length % 4 === 1) throw new WeftError('bad_input', 'The text is not base64: a digit is missing.');
  return utf8Text(base64Bytes(body));
}

/** The bytes of base64, which may be broken into lines. Throws `bad_input` if the text is not base64. */
export function* bytesFromBase64(text: string): Work<Uint8Array> {
  const body = text.replaceAll(/\s+/g, '').replace(/={1,2}$/, '');
  if (body.length % 4 === 1) throw new WeftError('bad_input', 'The text is not base64: a digit is missing.');
  const bytes = new Uint8Array(Math.floor((body.length * 3) / 4));
  let at = 0;
  for (const piece of base64Bytes(body)) {
    bytes.set(piece, at);
    at += piece.length;
    yield;
  }
  return bytes;
}

export function* bytesToBase64(bytes: Uint8Array): Work<string> {
  const result = new TextBuilder();
  const step = PIECE - (PIECE % 3);
  for (let from = 0; from < bytes.length; from += step) {
    result.add(base64Digits([...bytes.subarray(from, from + step)]));
    yield;
  }
  return result.toString();
}

function* base64Bytes(digits: string): Generator<Bytes, void, undefined> {
  for (let from = 0; from < digits.length; from += PIECE) {
    const bytes: number[] = [];
    let buffer = 0;
    let bits = 0;
    for (let i = from; i < Math.min(from + PIECE, digits.length); i++) {
      buffer = ((buffer << 6) | valueOf(digits, i)) & 0xfff;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      bytes.push((buffer >> bits) & 255);
    }
    yield bytes;
  }
}

function valueOf(digits: string, at: number): number {
  const value = VALUES.get(digits.charAt(at));
  if (value !== undefined) return value;
  throw new WeftError('bad_input', `The text is not base64: character ${at + 1} is not a base64 digit.`);
}

// --------------------------------------------------------------------------------------------------------- hexadecimal

export function* toHex(text: string): Work<string> {
  const result = new TextBuilder();
  for (const piece of piecesOf(text)) {
    result.add(utf8Bytes(piece).map(hexOf).join(''));
    yield;
  }
  return result.toString();
}

/** @throws WeftError `bad_input` if the text is not hexadecimal, or does not decode to text. */
export function fromHex(text: string): Work<string> {
  if (text.length % 2 === 1 || /[^0-9a-f]/i.test(text))
    throw new WeftError(
      'bad_input',
      'The text is not hexadecimal: it needs pairs of the digits 0-9 and a-f.',
    );
  return utf8Text(hexBytes(text));
}

function* hexBytes(digits: string): Generator<Bytes, void, undefined> {
  for (let from = 0; from < digits.length; from += PIECE) {
    const bytes: number[] = [];
    for (let i = from; i < Math.min(from + PIECE, digits.length); i += 2)
      bytes.push(Number.parseInt(digits.slice(i, i + 2), 16));
    yield bytes;
  }
}

// ----------------------------------------------------------------------------------------------------------- addresses

export function* toUrl(text: string): Work<string> {
  const result = new TextBuilder();
  for (const piece of piecesOf(text)) {
    result.add(encodeURIComponent(piece.toWellFormed()));
    yield;
  }
  return result.toString();
}

/** @throws WeftError `bad_input` if a % is not followed by a code, or if the codes are not text. */
export function fromUrl(text: string): Work<string> {
  return utf8Text(urlBytes(text));
}

function* urlBytes(text: string): Generator<Bytes, void, undefined> {
  let open = '';
  for (const piece of piecesOf(text)) {
    const whole = open + piece;
    const percent = whole.lastIndexOf('%');
    const cut = percent === -1 || percent < whole.length - 2 ? whole.length : percent;
    open = whole.slice(cut);
    yield percentBytes(whole.slice(0, cut));
  }
  if (open !== '') yield percentBytes(open);
}

function percentBytes(piece: string): number[] {
  const [plain = '', ...escapes] = piece.split('%');
  const bytes = utf8Bytes(plain);
  for (const escape of escapes) {
    const code = escape.slice(0, 2);
    if (!/^[0-9a-f]{2}$/i.test(code))
      throw new WeftError('bad_input', 'The text is not URL-encoded: a % is not followed by two digits.');
    bytes.push(Number.parseInt(code, 16), ...utf8Bytes(escape.slice(2)));
  }
  return bytes;
}
