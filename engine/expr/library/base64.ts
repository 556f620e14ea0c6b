import { chargeText } from '../budget.ts';
import { checkLength } from '../../base/text.ts';
import { wrongType } from './entry.ts';

// Implemented here, since neither btoa nor TextEncoder is part of the language itself.
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values: ReadonlyMap<string, number> = new Map([
  ...Array.from(digits, (digit, value): [string, number] => [digit, value]),
  // The URL-safe alphabet is accepted too.
  ['-', 62],
  ['_', 63],
]);

/** The UTF-8 bytes of a text in base64. */
export function base64Encode(text: string): string {
  chargeText(text.length * 4);
  const bytes = utf8Bytes(text);
  checkLength(Math.ceil(bytes.length / 3) * 4);
  let out = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const count = Math.min(bytes.length - i, 3) + 1;
    for (let d = 0; d < 4; d++) out += d < count ? digits.charAt((group >> (18 - 6 * d)) & 63) : '=';
  }
  return out;
}

/** The text whose UTF-8 bytes the base64 holds. */
export function base64Decode(text: string): string {
  chargeText(text.length * 4);
  const body = text.replace(/={1,2}$/, '');
  if (body.length % 4 === 1) notBase64();
  const bytes: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const digit of body) {
    buffer = ((buffer << 6) | (values.get(digit) ?? notBase64())) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((buffer >> bits) & 255);
  }
  return utf8Text(bytes);
}

// The URI functions are the only UTF-8 converter in the language itself.
function utf8Bytes(text: string): number[] {
  const escaped = encodeURIComponent(text.toWellFormed());
  const bytes: number[] = [];
  for (let i = 0; i < escaped.length; i++) {
    const percent = escaped.charAt(i) === '%';
    bytes.push(percent ? Number.parseInt(escaped.slice(i + 1, i + 3), 16) : escaped.charCodeAt(i));
    if (percent) i += 2;
  }
  return bytes;
}

function utf8Text(bytes: readonly number[]): string {
  const escaped = bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  try {
    return decodeURIComponent(escaped);
  } catch {
    return wrongType('`base64Decode` found bytes that are not UTF-8 text.');
  }
}

function notBase64(): never {
  return wrongType('`base64Decode` needs base64 text.');
}
