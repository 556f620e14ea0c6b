import { charge, chargeText } from '../budget.ts';
import { checkLength, toText } from '../../base/text.ts';
import { type Lambda, textOf, wrongType } from './entry.ts';

/** The elements as text with a separator between them. */
export function joinTexts(items: readonly unknown[], separator?: unknown): string {
  const between = textOf(separator ?? ',', 'join');
  charge(items.length);
  let text = '';
  for (let i = 0; i < items.length; i++) {
    const item = toText(items[i]);
    checkLength(text.length + between.length + item.length);
    chargeText(between.length + item.length);
    text += i === 0 ? item : between + item;
  }
  return text;
}

/** The elements of an array, then the values; arrays among the values are flattened. */
export function concatArrays(items: readonly unknown[], values: readonly unknown[]): unknown[] {
  for (const value of values) charge(Array.isArray(value) ? value.length : 1);
  charge(items.length);
  return items.concat(...values);
}

/** Sorted; without a function by text, as in JavaScript. */
export function sorted(items: readonly unknown[], compare: Lambda | undefined): unknown[] {
  if (compare) return items.toSorted((a, b) => orderOf(compare(a, b)));
  charge(items.length * Math.ceil(Math.log2(items.length + 1)));
  const keyed = items.map((value) => ({ value, key: sortKey(value) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map((item) => item.value);
}

function sortKey(value: unknown): string {
  const key = value === null || typeof value !== 'object' ? String(value) : toText(value);
  chargeText(key.length);
  return key;
}

function orderOf(order: unknown): number {
  return typeof order === 'number'
    ? order
    : wrongType('The function of `sort` must return a number, such as `a - b`.');
}

/** Joins the lambda's results; the steps for each array are taken before it is copied. */
export function flatMap(items: readonly unknown[], make: Lambda): unknown[] {
  return items.flatMap((item, index) => {
    const made = make(item, index);
    if (Array.isArray(made)) charge(made.length);
    return made;
  });
}

/** Flattens nested arrays. The steps are taken element by element, since a few arrays can contain each other many times. */
export function flatten(items: readonly unknown[], depth: number): unknown[] {
  const out: unknown[] = [];
  const open: { items: readonly unknown[]; next: number }[] = [{ items, next: 0 }];
  for (let top = open.at(-1); top; top = open.at(-1)) {
    if (top.next >= top.items.length) {
      open.pop();
      continue;
    }
    charge(1);
    const item = top.items[top.next++];
    if (Array.isArray(item) && open.length <= depth) open.push({ items: item, next: 0 });
    else out.push(item);
  }
  return out;
}
