import { MASK } from '../../secrets/redactor.ts';

/** Keys under which `boundValue` keeps what it could not keep as it was. */
const STAND_INS = new Set(
  [
    'large',
    'unreadable',
    'bigint',
    'function',
    'symbol',
    'number',
    'cycle',
    'deep',
    'error',
    'object',
    'stream',
    'bytes',
  ].map((name) => `$${name}`),
);

/** Whether a value that was recorded is the value that there was: not cut off, not masked, nothing JSON cannot hold. */
export function isWholeValue(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes(MASK);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWholeValue);
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only && STAND_INS.has(only[0])) return false;
  return entries.every(([key, inner]) => !key.includes(MASK) && isWholeValue(inner));
}
