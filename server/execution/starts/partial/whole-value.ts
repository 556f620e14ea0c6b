import { MASK } from '../../../base/secrets/redactor.ts';

/** Keys under which `boundValue` stores stand-ins for values that it could not store unchanged. */
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

/** Whether a recorded value is complete: not cut off, not masked, and valid JSON. */
export function isWholeValue(value: unknown): boolean {
  return !holdsStandIn(value) && !holdsMask(value);
}

/** Whether a value contains a stand-in for a part that could not be stored unchanged. */
export function holdsStandIn(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsStandIn);
  const keys = Object.keys(value);
  const isStandIn = keys.length === 1 && STAND_INS.has(keys[0] as string);
  return isStandIn || Object.values(value).some(holdsStandIn);
}

function holdsMask(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(MASK);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => key.includes(MASK) || holdsMask(inner));
}
