import { WeftError } from './errors.ts';

/** Longest text that an expression may make, in characters. */
export const longestText = 1_048_576;

/**
 * A value as text, the same everywhere: null and undefined are empty, objects and arrays are JSON.
 * Throws for values without a proper text: NaN, Infinity, functions, cycles.
 */
export function toText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return Number.isFinite(value) ? String(value) : badNumber(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'undefined':
      return '';
    case 'object':
      return value === null ? '' : toJsonText(value);
    default:
      throw new WeftError('expression_type', `A ${typeof value} cannot be written as text.`);
  }
}

/** JSON of a value of at most 1 MB, without the silent `null` that JSON.stringify makes of NaN and Infinity. */
export function toJsonText(value: unknown): string {
  survey(value);
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    const message = 'The value cannot be written as JSON: it has a BigInt or is nested too deeply.';
    throw new WeftError('not_serialisable', message);
  }
}

/**
 * Checks for lost numbers and for size before anything is written: a few arrays that contain each other many times can stand
 * for more text than memory can hold.
 */
function survey(root: unknown): void {
  const open: unknown[] = [root];
  let length = 0;
  while (open.length > 0) {
    const value = open.pop();
    // A value takes at least one character, plus one that separates it from the next.
    length += typeof value === 'string' ? value.length + 2 : 2;
    if (length > longestText) checkLength(length);
    if (typeof value === 'number' && !Number.isFinite(value)) badNumber(value);
    if (typeof value !== 'object' || value === null || 'toJSON' in value) continue;
    if (Array.isArray(value)) {
      checkLength(length + 2 * value.length);
      for (const item of value) open.push(item);
    } else for (const item of Object.values(value)) open.push(item);
  }
}

/** Refuses a text of this length before it is made. */
export function checkLength(length: number): void {
  if (length > longestText) throw tooCostly('The expression makes a text of more than 1 MB');
}

/** Refuses an expression that would block the server. */
export function tooCostly(message: string): WeftError {
  return new WeftError('expression_budget', `${message}; do this in an operator or code node.`);
}

function badNumber(value: number): never {
  const message = `${value} cannot be written as text; check the division or conversion that produced it.`;
  throw new WeftError('bad_number', message);
}
