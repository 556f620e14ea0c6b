import { charge } from '../budget.ts';
import { aType } from '../read.ts';
import { joinTexts } from './arrays.ts';
import { arrayOf, type FunctionEntry, numberOf, textOf, wrongType } from './entry.ts';
import { entriesOf, holds, keysOf } from './records.ts';
import { splitText } from './text-methods.ts';

/** Numbers, given one by one or as one array. */
function numbersOf(values: readonly unknown[], name: string): readonly unknown[] {
  const numbers = values.length === 1 && Array.isArray(values[0]) ? arrayOf(values[0], name) : values;
  charge(numbers.length);
  return numbers;
}

function extreme(values: readonly unknown[], name: 'min' | 'max'): number | null {
  let found: number | null = null;
  for (const value of numbersOf(values, name)) {
    const number = numberOf(value, name);
    found = found === null ? number : Math[name](found, number);
  }
  return found;
}

function sum(values: unknown): number {
  let total = 0;
  for (const value of numbersOf([arrayOf(values, 'sum')], 'sum')) total += numberOf(value, 'sum');
  return total;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  if (typeof value === 'object' && value !== null) return keysOf(value, 'length').length;
  return wrongType(`\`length\` needs text, an array or an object, but got ${aType(value)}.`);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || lengthOf(value) === 0;
}

function range(count: number): number[] {
  if (!Number.isInteger(count) || count < 0) wrongType('`range` needs a whole number that is not negative.');
  charge(count);
  return Array.from({ length: count }, (_, index) => index);
}

/** Functions over arrays and objects. */
export const collectionFunctions: Readonly<Record<string, FunctionEntry>> = {
  min: {
    signature: 'min(...numbers)',
    doc: 'The smallest of the numbers or of an array of them; null if there are none.',
    returns: 'number or null',
    run: (...values) => extreme(values, 'min'),
  },
  max: {
    signature: 'max(...numbers)',
    doc: 'The largest of the numbers or of an array of them; null if there are none.',
    returns: 'number or null',
    run: (...values) => extreme(values, 'max'),
  },
  sum: {
    signature: 'sum(numbers)',
    doc: 'The sum of an array of numbers.',
    returns: 'number',
    takes: ['array'],
    run: sum,
  },
  length: {
    signature: 'length(value)',
    doc: 'How many characters, elements or fields a text, array or object has.',
    returns: 'integer',
    run: lengthOf,
  },
  isEmpty: {
    signature: 'isEmpty(value)',
    doc: 'Whether a value is null or a text, array or object with nothing in it.',
    returns: 'boolean',
    run: isEmpty,
  },
  keys: {
    signature: 'keys(object)',
    doc: 'The names of the fields, as an array.',
    returns: 'strings',
    takes: ['object'],
    run: (value) => keysOf(value, 'keys'),
  },
  values: {
    signature: 'values(object)',
    doc: 'The values of the fields, as an array.',
    returns: 'fields',
    takes: ['object'],
    gives: 'same',
    run: (value) => entriesOf(value, 'values').map(([, field]) => field),
  },
  entries: {
    signature: 'entries(object)',
    doc: 'The fields, as an array of `[name, value]`.',
    returns: 'arrays',
    takes: ['object'],
    run: (value) => entriesOf(value, 'entries'),
  },
  has: {
    signature: 'has(value, what)',
    doc: 'Whether an object has a field of this name, or an array holds this value.',
    returns: 'boolean',
    run: holds,
  },
  first: {
    signature: 'first(array)',
    doc: 'The first element; null if there is none.',
    returns: 'element',
    takes: ['array'],
    gives: 'element',
    run: (items) => arrayOf(items, 'first')[0],
  },
  last: {
    signature: 'last(array)',
    doc: 'The last element; null if there is none.',
    returns: 'element',
    takes: ['array'],
    gives: 'element',
    run: (items) => arrayOf(items, 'last').at(-1),
  },
  range: {
    signature: 'range(count)',
    doc: 'The numbers from 0 to before `count`.',
    returns: 'integers',
    takes: ['number'],
    run: (count) => range(numberOf(count, 'range')),
  },
  join: {
    signature: 'join(array, separator?)',
    doc: 'The elements as one text, separated by a comma or the given separator.',
    returns: 'string',
    takes: ['array', 'string'],
    run: (items, separator) => joinTexts(arrayOf(items, 'join'), separator),
  },
  split: {
    signature: 'split(text, separator)',
    doc: 'The pieces between the separators, as an array; at an empty separator, the characters.',
    returns: 'strings',
    takes: ['string', 'string'],
    run: (text, separator) => splitText(textOf(text, 'split'), textOf(separator, 'split')),
  },
};
