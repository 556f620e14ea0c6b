import { encodeUtf8 } from '../utf8.js';
import { decodeUtf8 } from './bytes.js';

/** Percent-encoding of the URL Standard: each set is a test for the characters up to `~` that are encoded. */

export const FRAGMENT = new Set(' "<>`');
export const QUERY = new Set(' "#<>');
export const SPECIAL_QUERY = new Set([...QUERY, "'"]);
export const PATH = new Set([...QUERY, '?', '^', '`', '{', '}']);
export const USERINFO = new Set([...PATH, '/', ':', ';', '=', '@', '[', '\\', ']', '|']);
/** Only control characters, and what is not ASCII. @type {Set<string>} */
export const CONTROL = new Set();

/** @type {(text: string, signs: Set<string>) => string} */
export function percentEncoded(text, signs) {
  let done = '';
  for (const sign of text) done += sign > '~' || sign < ' ' || signs.has(sign) ? percentBytes(sign) : sign;
  return done;
}

/** @type {(text: string) => string} */
export function percentBytes(text) {
  let done = '';
  for (const byte of encodeUtf8(text)) done += `%${(byte + 256).toString(16).slice(1).toUpperCase()}`;
  return done;
}

/** Bytes that are no UTF-8 become U+FFFD. @type {(text: string) => string} */
export function percentDecoded(text) {
  if (!text.includes('%')) return text;
  const bytes = encodeUtf8(text);
  let at = 0;
  for (let i = 0; i < bytes.length; i++) {
    const pair = String.fromCharCode(Number(bytes[i + 1] ?? 0), Number(bytes[i + 2] ?? 0));
    if (bytes[i] === 0x25 && /^[0-9a-f]{2}$/i.test(pair)) {
      bytes[at++] = Number.parseInt(pair, 16);
      i += 2;
    } else bytes[at++] = Number(bytes[i]);
  }
  return decodeUtf8(bytes.subarray(0, at), false);
}
