import { MAX_JSON_DEPTH } from '#shared/flow.ts';

/** The size, in values, up to which the quick check is used; 16 characters of text count as one value. */
const MAX_VALUES = 20_000;

/**
 * Whether `JSON.stringify` can simply be called: plain JSON of a moderate size, without cycles, odd numbers and
 * instances of classes. A quick check for the usual case; false only means that a closer one is needed.
 */
export function isPlainJson(value: unknown): boolean {
  try {
    return spend(value, MAX_VALUES, 0) >= 0;
  } catch {
    // A field threw when it was read.
    return false;
  }
}

/** The rest of the budget; below 0 if the value is not plain, or too large. */
function spend(value: unknown, left: number, depth: number): number {
  switch (typeof value) {
    case 'string':
      return left - 1 - (value.length >> 4);
    case 'number':
      return Number.isFinite(value) ? left - 1 : -1;
    case 'boolean':
      return left - 1;
    case 'object':
      return value === null ? left - 1 : spendObject(value, left - 1, depth + 1);
    default:
      return -1;
  }
}

function spendObject(value: object, budget: number, depth: number): number {
  if (depth > MAX_JSON_DEPTH) return -1;
  let left = budget;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = spend(value[i], left, depth);
    return left;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return -1;
  for (const key in value) {
    left = spend((value as Record<string, unknown>)[key], left, depth);
    if (left < 0) return -1;
  }
  return left;
}
