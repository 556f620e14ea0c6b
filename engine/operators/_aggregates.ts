import { type Lazy, WeftError } from '../operator.ts';
import { ITEMS_A_STEP } from './_list.ts';
import { compareRanks, rankOf } from './_order.ts';

/** What can be computed over the items of a list. */
export const FUNCTIONS = ['count', 'sum', 'avg', 'min', 'max', 'first', 'last', 'list'] as const;
type Function = (typeof FUNCTIONS)[number];

/** The value of each item; the item itself without `of`. */
export function* valuesOf(
  items: readonly unknown[],
  of: Lazy | undefined,
): Generator<undefined, unknown[], undefined> {
  const values: unknown[] = [];
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    values.push((of ? of({ item, index }) : item) ?? null);
    if (index % ITEMS_A_STEP === 0) yield;
  }
  return values;
}

/**
 * One result from many values; null if there is none. Nulls are left out, except by `list`.
 * @throws WeftError `bad_input` for values that have no sum or order, `bad_number` if the sum is too large for a number.
 */
export function foldAs(as: Function, values: readonly unknown[], name: string): unknown {
  if (as === 'list') return values;
  const given = values.filter((value) => value !== null);
  switch (as) {
    case 'count':
      return given.length;
    case 'sum':
      return sumOf(given, name);
    case 'avg':
      return given.length === 0 ? null : sumOf(given, name) / given.length;
    case 'min':
      return extreme(given, -1);
    case 'max':
      return extreme(given, 1);
    case 'first':
      return given[0] ?? null;
    case 'last':
      return given.at(-1) ?? null;
  }
}

function sumOf(values: readonly unknown[], name: string): number {
  let sum = 0;
  for (const value of values) {
    if (typeof value !== 'number') {
      throw new WeftError('bad_input', `${name} adds numbers, but one of the values is a ${typeof value}.`);
    }
    sum += value;
  }
  if (Number.isFinite(sum)) return sum;
  throw new WeftError('bad_number', `${name} is not a finite number.`);
}

/** The first of the largest values; with -1, of the smallest. */
function extreme(values: readonly unknown[], sign: 1 | -1): unknown {
  let found: unknown = null;
  for (const value of values) {
    if (found === null || sign * compareRanks(rankOf(value), rankOf(found)) > 0) found = value;
  }
  // A single value has not been compared with anything.
  rankOf(found);
  return found;
}
