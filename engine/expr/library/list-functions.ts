import { charge, chargeText } from '../budget.ts';
import { isForbidden } from '../names.ts';
import { aType, readOwn } from '../read.ts';
import { toJsonText } from '../../base/text.ts';
import { arrayOf, type FunctionEntry, numberOf, objectOf, textOf, wrongType } from './entry.ts';
import { entriesOf } from './records.ts';
import { textFrom } from './convert.ts';

/** Equal for equal values: objects are equal if their JSON is; the prefix keeps that JSON apart from an equal text. */
export function identityOf(item: unknown): unknown {
  const key = typeof item === 'object' && item !== null ? `\0${toJsonText(item)}` : item;
  if (typeof key === 'string') chargeText(key.length);
  return key;
}

/** The elements without repeats, each at its first place; objects are compared by their content. */
export function unique(items: readonly unknown[]): unknown[] {
  charge(items.length);
  const seen = new Set<unknown>();
  return items.filter((item) => {
    const key = identityOf(item);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function compact(value: unknown): unknown {
  if (Array.isArray(value)) {
    charge(value.length);
    return value.filter((item) => !isNothing(item));
  }
  return fieldsThat(value, 'compact', (_, field) => !isNothing(field));
}

function fieldsThat(
  value: unknown,
  name: string,
  keeps: (key: string, field: unknown) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(entriesOf(value, name).filter(([key, field]) => keeps(key, field)));
}

function chunk(items: readonly unknown[], size: number): unknown[][] {
  if (!Number.isInteger(size) || size < 1) wrongType('`chunk` needs a whole number from 1.');
  charge(items.length);
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** The elements of one list that another one has, or lacks. */
function shared(
  name: string,
  isShared: boolean,
): { readonly run: (items: unknown, other: unknown) => unknown[] } {
  return {
    run: (items, other) => {
      const others = arrayOf(other, name);
      charge(others.length);
      const known = new Set(others.map(identityOf));
      return unique(arrayOf(items, name)).filter((item) => known.has(identityOf(item)) === isShared);
    },
  };
}

function average(value: unknown): number | null {
  const items = arrayOf(value, 'average');
  charge(items.length);
  let total = 0;
  for (const item of items) total += numberOf(item, 'average');
  return items.length === 0 ? null : total / items.length;
}

/** A field of each element; null where it is missing. */
function fieldsOf(items: readonly unknown[], key: unknown, name: string): unknown[] {
  // A field that is none is refused of an empty list too.
  const field = textOf(key, name);
  return items.map((item) => {
    if (typeof item !== 'object' || item === null)
      return wrongType(`\`${name}\` needs a list of objects, but one element is ${aType(item)}.`);
    return readOwn(item, field) ?? null;
  });
}

function sortBy(items: readonly unknown[], key: unknown, order: unknown): unknown[] {
  const direction = textOf(order ?? 'asc', 'sortBy').toLowerCase();
  if (direction !== 'asc' && direction !== 'desc') wrongType('`sortBy` takes "asc" or "desc".');
  charge(items.length * Math.ceil(Math.log2(items.length + 1)));
  const fields = fieldsOf(items, key, 'sortBy');
  const keyed = items.map((item, at) => ({ item, by: fields[at] }));
  const sign = direction === 'asc' ? 1 : -1;
  return keyed.toSorted((a, b) => compareFields(a.by, b.by, sign)).map(({ item }) => item);
}

/** Nothing comes last, in either direction. */
function compareFields(a: unknown, b: unknown, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'string' && typeof b === 'string') {
    chargeText(Math.min(a.length, b.length));
    return a === b ? 0 : a < b ? -sign : sign;
  }
  return sign * (orderOf(a, b) - orderOf(b, a));
}

/** A number or boolean as number, if the other value is of its kind. */
function orderOf(value: unknown, other: unknown): number {
  const isOrdered = typeof value === 'number' || typeof value === 'boolean';
  if (isOrdered && typeof value === typeof other) return Number(value);
  return wrongType(`\`sortBy\` compares numbers or texts, but got ${aType(value)} and ${aType(other)}.`);
}

function groupBy(items: readonly unknown[], key: unknown): Record<string, unknown[]> {
  charge(items.length);
  const groups: Record<string, unknown[]> = {};
  for (const [at, field] of fieldsOf(items, key, 'groupBy').entries()) {
    const name = textFrom(field);
    const item = items[at];
    if (isForbidden(name)) wrongType(`An object cannot have the key \`${name}\`.`);
    const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
    if (group) group.push(item);
    else groups[name] = [item];
  }
  return groups;
}

/** The objects' fields in one; those of later ones win. Null adds nothing. */
function merge(values: readonly unknown[]): Record<string, unknown> {
  const all = values.length === 1 && Array.isArray(values[0]) ? (values[0] as unknown[]) : values;
  const given = all.filter((value) => value !== null && value !== undefined);
  return Object.fromEntries(given.flatMap((value) => entriesOf(value, 'merge')));
}

function namesOf(values: readonly unknown[], name: string): ReadonlySet<string> {
  const names = values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]));
  charge(names.length);
  return new Set(names.map((one) => textOf(one, name)));
}

function fromEntries(value: unknown): Record<string, unknown> {
  const items = arrayOf(value, 'fromEntries');
  charge(items.length);
  return Object.fromEntries(
    items.map((item) => {
      const [key, field = null] = arrayOf(item, 'fromEntries');
      const name = textFrom(key);
      if (isForbidden(name)) wrongType(`An object cannot have the key \`${name}\`.`);
      return [name, field];
    }),
  );
}

function renameKeys(value: unknown, names: unknown): Record<string, unknown> {
  const to = objectOf(names, 'renameKeys');
  return Object.fromEntries(
    entriesOf(value, 'renameKeys').map(([key, field]) => {
      const name = textOf(readOwn(to, key) ?? key, 'renameKeys');
      if (isForbidden(name)) wrongType(`An object cannot have the key \`${name}\`.`);
      return [name, field];
    }),
  );
}

function toQuery(value: unknown): string {
  const pairs = entriesOf(value, 'toQuery').flatMap(([key, field]) =>
    (Array.isArray(field) ? (field as unknown[]) : [field])
      .filter((one) => one !== null)
      .map((one) => `${encoded(key)}=${encoded(textFrom(one))}`),
  );
  return pairs.join('&');
}

function encoded(text: string): string {
  chargeText(text.length * 3);
  return encodeURIComponent(text.toWellFormed());
}

function randomItem(random: unknown, items: unknown): unknown {
  const all = arrayOf(items, 'randomItem');
  return all[Math.floor((random as number) * all.length)];
}

const LIST = { returns: 'same', gives: 'same' } as const;

/** Functions that make lists and objects of others. */
export const listFunctions: Readonly<Record<string, FunctionEntry>> = {
  unique: {
    signature: 'unique(array)',
    doc: 'The elements without duplicates; objects are equal if their JSON is.',
    ...LIST,
    takes: ['array'],
    run: (items) => unique(arrayOf(items, 'unique')),
  },
  compact: {
    signature: 'compact(value)',
    doc: 'The array or object without the elements or fields that are null or an empty text.',
    returns: 'any',
    run: compact,
  },
  chunk: {
    signature: 'chunk(array, size)',
    doc: 'The elements in arrays of the given size; the last one may be smaller.',
    returns: 'arrays',
    takes: ['array', 'number'],
    run: (items, size) => chunk(arrayOf(items, 'chunk'), numberOf(size, 'chunk')),
  },
  difference: {
    signature: 'difference(array, other)',
    doc: 'The elements that the other array does not have, each once.',
    ...LIST,
    takes: ['array', 'array'],
    ...shared('difference', false),
  },
  intersection: {
    signature: 'intersection(array, other)',
    doc: 'The elements that the other array has too, each once.',
    ...LIST,
    takes: ['array', 'array'],
    ...shared('intersection', true),
  },
  average: {
    signature: 'average(numbers)',
    doc: 'The mean of an array of numbers; null if it is empty.',
    returns: 'number or null',
    takes: ['array'],
    run: average,
  },
  pluck: {
    signature: 'pluck(array, field)',
    doc: 'The field of each element; null where it is missing.',
    returns: 'array',
    takes: ['array', 'string'],
    run: (items, key) => {
      const all = arrayOf(items, 'pluck');
      charge(all.length);
      return fieldsOf(all, key, 'pluck');
    },
  },
  sortBy: {
    signature: 'sortBy(array, field, order?)',
    doc: 'The elements, ordered by a field; `"desc"` for the largest first. Elements without the field come last.',
    ...LIST,
    takes: ['array', 'string', 'string'],
    run: (items, key, order) => sortBy(arrayOf(items, 'sortBy'), key, order),
  },
  groupBy: {
    signature: 'groupBy(array, field)',
    doc: 'An object with an array of elements for each value of a field.',
    returns: 'object',
    takes: ['array', 'string'],
    run: (items, key) => groupBy(arrayOf(items, 'groupBy'), key),
  },
  randomItem: {
    signature: 'randomItem(array)',
    doc: 'An element by chance; null if there is none.',
    returns: 'element',
    takes: ['array'],
    reads: 'random',
    gives: 'element',
    run: randomItem,
  },
  merge: {
    signature: 'merge(...objects)',
    doc: 'One object with the fields of all; where two have the same, that of the later one.',
    returns: 'object',
    run: (...values) => merge(values),
  },
  pick: {
    signature: 'pick(object, ...names)',
    doc: 'The object with these fields only, given one by one or as an array.',
    returns: 'object',
    takes: ['object'],
    run: (value, ...names) => {
      const kept = namesOf(names, 'pick');
      return fieldsThat(value, 'pick', (key) => kept.has(key));
    },
  },
  omit: {
    signature: 'omit(object, ...names)',
    doc: 'The object without these fields, given one by one or as an array.',
    returns: 'object',
    takes: ['object'],
    run: (value, ...names) => {
      const left = namesOf(names, 'omit');
      return fieldsThat(value, 'omit', (key) => !left.has(key));
    },
  },
  renameKeys: {
    signature: 'renameKeys(object, names)',
    doc: 'The object with other names of fields: `renameKeys(input, { old: "new" })`.',
    returns: 'object',
    takes: ['object', 'object'],
    run: renameKeys,
  },
  fromEntries: {
    signature: 'fromEntries(array)',
    doc: 'An object of `[name, value]` pairs, as `entries` gives them.',
    returns: 'object',
    takes: ['array'],
    run: fromEntries,
  },
  toQuery: {
    signature: 'toQuery(object)',
    doc: 'The fields as the query of an address: `a=1&b=2`; null is left out, and a list repeats its name.',
    returns: 'string',
    takes: ['object'],
    run: toQuery,
  },
  ifEmpty: {
    signature: 'ifEmpty(value, other)',
    doc: 'The value, or the other one if it is null or a text, array or object with nothing in it.',
    returns: 'any',
    run: (value, other) => {
      if (isNothing(value)) return other;
      if (typeof value !== 'object' || value === null) return value;
      const count = Array.isArray(value) ? value.length : entriesOf(value, 'ifEmpty').length;
      return count === 0 ? other : value;
    },
  },
};

/** Those that are methods of arrays too, with those of `collectionFunctions`. */
export const listMethods: readonly string[] = [
  ...['unique', 'compact', 'chunk', 'difference', 'intersection', 'average', 'pluck', 'sortBy', 'groupBy'],
];
