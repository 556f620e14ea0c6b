import { WeftError } from '../base/operator.ts';
import { reading } from './_record.ts';

/** Longest list that an operator accepts or makes. */
export const MAX_ITEMS = 1_000_000;

/** Number of items after which work on a list can be interrupted; small, since each item may evaluate an expression. */
export const ITEMS_A_STEP = 16;

/**
 * The input as a list. Read it by index, since it may have its own iterator.
 * @throws WeftError `bad_input`, `too_many_items`.
 */
export function listOf(value: unknown, what = 'The input'): readonly unknown[] {
  if (!reading(() => Array.isArray(value))) throw new WeftError('bad_input', `${what} is not a list.`);
  const list = value as readonly unknown[];
  checkCount(reading(() => list.length));
  return list;
}

/** @throws WeftError `too_many_items` above a million. */
export function checkCount(count: number): void {
  if (count <= MAX_ITEMS) return;
  throw new WeftError(
    'too_many_items',
    `A list can have at most ${MAX_ITEMS} items here; send the items as a stream, or in parts.`,
  );
}
