import { losesDigits } from '#shared/lost-digits.ts';
/**
 * Texts as numbers and booleans, by the conversions that pydantic's lax mode accepts. `undefined` means: no such
 * value.
 */

const INTEGER = /^[+-]?\d+(?:_\d+)*(?:\.0*)?$/;
// Written so that digits can be matched in only one way, which refuses a long text in linear time.
const NUMBER = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on', '1', 't', 'y'].map((text) => [text, true] as const),
  ...['false', 'no', 'off', '0', 'f', 'n'].map((text) => [text, false] as const),
]);

/** Whether the text is written as an integer, of any size. */
export function isIntegerText(text: string): boolean {
  return INTEGER.test(text.trim());
}

/** `20`, `-5`, `+5`, ` 7 `, `007`, `1_000`, `1.0`; not beyond ±(2^53 - 1), where a number would not be exact. */
export function toInteger(text: string): number | undefined {
  // A short run of digits, by far the most common case, needs no pattern.
  const direct = smallInteger(text);
  if (direct !== undefined) return direct;
  const trimmed = text.trim();
  if (!INTEGER.test(trimmed)) return undefined;
  const value = Number(trimmed.replaceAll('_', ''));
  // -0 would be written as 0 in JSON but not compare as such everywhere.
  return Number.isSafeInteger(value) ? value + 0 : undefined;
}

/** Integers, and `1.5`, `1e3`, `.5`, `5.`, `inf`, `nan`. */
export function toNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (NUMBER.test(trimmed)) {
    const plain = trimmed.replaceAll('_', '');
    // A whole number whose digits would change stays a text, to be refused.
    return INTEGER.test(trimmed) && plain.length > 15 && losesDigits(plain) ? undefined : Number(plain);
  }
  const infinite = INFINITE.exec(trimmed);
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /^[+-]?nan$/i.test(trimmed) ? Number.NaN : undefined;
}

/** true/false, yes/no, on/off, 1/0, t/f, y/n in any case. */
export function toBoolean(text: string): boolean | undefined {
  return TRUTH.get(text) ?? TRUTH.get(text.toLowerCase());
}

function smallInteger(text: string): number | undefined {
  if (text.length === 0 || text.length > 9) return undefined;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}
