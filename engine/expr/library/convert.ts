import { losesDigits } from '#shared/lost-digits.ts';
import { chargeText, bounded } from '../budget.ts';
import { aType } from '../read.ts';
import { toText } from '../../base/text.ts';
import { numberOf, textOf, wrongType } from './entry.ts';

/** The value as text, which costs steps by its length. */
export function textFrom(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = bounded(toText(value));
  chargeText(text.length);
  return text;
}

/** The number in a value; NaN for text without one, including empty text, and for null. */
export function numberFrom(value: unknown, name: string): number {
  switch (typeof value) {
    case 'number':
      return value;
    case 'boolean':
      return value ? 1 : 0;
    case 'string':
      chargeText(value.length);
      return numberInText(value, name);
    default:
      return value === null || value === undefined
        ? Number.NaN
        : wrongType(`\`${name}\` cannot turn ${aType(value)} into a number.`);
  }
}

function numberInText(text: string, name: string): number {
  const trimmed = text.trim();
  // JavaScript converts blanks to 0, which hides that a value is missing.
  if (trimmed === '') return Number.NaN;
  const value = Number(trimmed);
  const isTooLarge = Math.abs(value) === Number.POSITIVE_INFINITY && /\d/.test(trimmed);
  if (isTooLarge || (/^[+-]?\d{16,}$/.test(trimmed) && losesDigits(trimmed.replace('+', ''))))
    wrongType(
      `\`${name}\` cannot turn ${trimmed.slice(0, 100)} into a number that keeps all its digits: use it as a text.`,
    );
  return value;
}

const yes: ReadonlySet<string> = new Set(['true', 'yes', 'on', '1']);
const no: ReadonlySet<string> = new Set(['false', 'no', 'off', '0', '']);

/** The boolean in a value. Text is read as a word, so that "false" from a query is false. */
export function booleanFrom(value: unknown): boolean {
  if (typeof value !== 'string') return Boolean(value);
  chargeText(value.length);
  const word = value.trim().toLowerCase();
  if (yes.has(word)) return true;
  return no.has(word)
    ? false
    : wrongType('`boolean` knows the words true, false, yes, no, on, off, 1 and 0.');
}

/** Rounds half up to the given number of decimal places. */
export function roundTo(value: number, digits?: unknown): number {
  const count = numberOf(digits ?? 0, 'round');
  if (!Number.isInteger(count) || count < 0 || count > 15) wrongType('`round` takes 0 to 15 digits.');
  if (count === 0 || !Number.isFinite(value)) return Math.round(value);
  // Shifting the decimal point in the text rounds 1.005 correctly, which multiplying does not.
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const shifted = Math.round(Number(`${mantissa}e${Number(exponent) + count}`));
  const [back = '', backExponent = '0'] = String(shifted).split('e');
  return Number(`${back}e${Number(backExponent) - count}`);
}

/** Percent-encodes a text, number or boolean for use in an address. */
export function urlEncode(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    wrongType(`\`urlEncode\` needs text, but got ${aType(value)}.`);
  return bounded(encodeURIComponent(textFrom(value).toWellFormed()));
}

/** Undoes `urlEncode`. */
export function urlDecode(value: unknown): string {
  const text = textOf(value, 'urlDecode');
  chargeText(text.length);
  try {
    return decodeURIComponent(text);
  } catch {
    return wrongType('`urlDecode` needs text in which every % is followed by a valid code.');
  }
}
