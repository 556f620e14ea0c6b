import { WeftError } from '../base/operator.ts';

/** Values that can be sorted by; null for no value. */
export type Rank = number | string | boolean | null;

/**
 * The order of values: false, true, then numbers, then texts by character code (independent of locale), missing values last.
 * @throws WeftError `bad_input` for a list or an object, `bad_number` for NaN.
 */
export function rankOf(value: unknown): Rank {
  switch (typeof value) {
    case 'number':
      if (!Number.isNaN(value)) return value;
      throw new WeftError('bad_number', 'NaN cannot be sorted.');
    case 'string':
    case 'boolean':
      return value;
    case 'undefined':
      return null;
    default:
      if (value === null) return null;
      throw new WeftError(
        'bad_input',
        'Only numbers, texts, true, false and null can be sorted; name a field that holds one.',
      );
  }
}

const KINDS = ['boolean', 'number', 'string'];

/** Below 0 if `a` comes first; a missing value comes last, even in descending order. */
export function compareRanks(a: Rank, b: Rank, descending = false): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  const kinds = typeof a === typeof b ? 0 : KINDS.indexOf(typeof a) - KINDS.indexOf(typeof b);
  const order = kinds === 0 ? (a < b ? -1 : 1) : kinds;
  return descending ? -order : order;
}
