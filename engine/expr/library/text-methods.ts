import { bounded, charge, chargeSearch, chargeText, concat } from '../budget.ts';
import { checkLength } from '../../base/text.ts';
import { substr } from './word-functions.ts';
import { type MethodEntry, maybeNumber, numberOf, textOf, wrongType } from './entry.ts';

// `split` stops here: each piece costs a step, so the budget is spent by then.
const mostPieces = 100_001;

/** Makes a text by reading another one. */
function through(text: string, make: (text: string) => string): string {
  chargeText(text.length);
  return bounded(make(text));
}

/** A part of a text; only the part costs steps, not the whole. */
function part(text: string): string {
  chargeText(text.length);
  return text;
}

/** A text whose length is known in advance, so that the length is checked before the text is made. */
function ofLength(length: number, make: () => string): string {
  checkLength(length);
  chargeText(length);
  return make();
}

function find(text: string, name: string, search: unknown, from: unknown): number {
  const wanted = textOf(search, name);
  chargeSearch(text, wanted);
  return text.indexOf(wanted, maybeNumber(from, name));
}

/** Replaces plain text by plain text: `$1` and the like have no meaning. */
export function replaceText(text: string, search: string, by: string, all: boolean): string {
  chargeSearch(text, search);
  if (!all) {
    checkLength(text.length + by.length);
    return text.replace(search, () => by);
  }
  const found = search === '' ? text.length + 1 : countOf(text, search);
  return ofLength(text.length + found * (by.length - search.length), () => text.replaceAll(search, () => by));
}

function countOf(text: string, search: string): number {
  let found = 0;
  for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + search.length)) found++;
  charge(found);
  return found;
}

/** Splits at a plain text; at an empty one, into characters, which are never halved. */
export function splitText(text: string, separator: string): string[] {
  chargeSearch(text, separator);
  const pieces = separator === '' ? charactersOf(text) : text.split(separator, mostPieces);
  charge(pieces.length);
  return pieces;
}

function charactersOf(text: string): string[] {
  // This many code units contain everything that the budget allows, without reading the rest.
  return Array.from(text.slice(0, 2 * mostPieces));
}

function pad(text: string, name: 'padStart' | 'padEnd', length: unknown, fill: unknown): string {
  const target = numberOf(length, name);
  const filler = textOf(fill ?? ' ', name);
  return ofLength(Math.max(text.length, target), () => text[name](target, filler));
}

function repeat(text: string, count: number): string {
  if (!Number.isInteger(count) || count < 0) wrongType('`repeat` needs a whole number that is not negative.');
  return ofLength(text.length * count, () => text.repeat(count));
}

export const upperCase = (text: string): string => through(text, (from) => from.toUpperCase());
export const lowerCase = (text: string): string => through(text, (from) => from.toLowerCase());
export const trimmed = (text: string): string => through(text, (from) => from.trim());

/** Methods of texts, as in JavaScript, except that the search is always plain text, never a pattern. */
export const textMethods: Readonly<Record<string, MethodEntry<string>>> = {
  toUpperCase: {
    signature: 'toUpperCase()',
    doc: 'The text in upper case.',
    returns: 'string',
    run: upperCase,
  },
  toLowerCase: {
    signature: 'toLowerCase()',
    doc: 'The text in lower case.',
    returns: 'string',
    run: lowerCase,
  },
  trim: {
    signature: 'trim()',
    doc: 'The text without blanks at both ends.',
    returns: 'string',
    run: trimmed,
  },
  trimStart: {
    signature: 'trimStart()',
    doc: 'The text without blanks at its start.',
    returns: 'string',
    run: (self) => through(self, (text) => text.trimStart()),
  },
  trimEnd: {
    signature: 'trimEnd()',
    doc: 'The text without blanks at its end.',
    returns: 'string',
    run: (self) => through(self, (text) => text.trimEnd()),
  },
  startsWith: {
    signature: 'startsWith(search, from?)',
    doc: 'Whether the text starts with another one.',
    returns: 'boolean',
    takes: ['string', 'number'],
    run: (self, search, from) =>
      self.startsWith(part(textOf(search, 'startsWith')), maybeNumber(from, 'startsWith')),
  },
  endsWith: {
    signature: 'endsWith(search, end?)',
    doc: 'Whether the text ends with another one.',
    returns: 'boolean',
    takes: ['string', 'number'],
    run: (self, search, end) => self.endsWith(part(textOf(search, 'endsWith')), maybeNumber(end, 'endsWith')),
  },
  includes: {
    signature: 'includes(search, from?)',
    doc: 'Whether the text contains another one.',
    returns: 'boolean',
    takes: ['string', 'number'],
    run: (self, search, from) => find(self, 'includes', search, from) >= 0,
  },
  indexOf: {
    signature: 'indexOf(search, from?)',
    doc: 'The index at which another text starts in this one, or -1.',
    returns: 'integer',
    takes: ['string', 'number'],
    run: (self, search, from) => find(self, 'indexOf', search, from),
  },
  slice: {
    signature: 'slice(start?, end?)',
    doc: 'The part from `start` to before `end`; negative numbers count from the end.',
    returns: 'string',
    takes: ['number', 'number'],
    run: (self, start, end) => part(self.slice(maybeNumber(start, 'slice'), maybeNumber(end, 'slice'))),
  },
  substring: {
    signature: 'substring(start, end?)',
    doc: 'The part from `start` to before `end`.',
    returns: 'string',
    takes: ['number', 'number'],
    run: (self, start, end) =>
      part(self.substring(numberOf(start, 'substring'), maybeNumber(end, 'substring'))),
  },
  substr: {
    signature: 'substr(start, length?)',
    doc: 'The part of the given length from `start`; a negative start counts from the end.',
    returns: 'string',
    takes: ['number', 'number'],
    run: (self, start, length) => part(substr(self, start, length)),
  },
  lastIndexOf: {
    signature: 'lastIndexOf(search)',
    doc: 'The index at which another text starts for the last time in this one, or -1.',
    returns: 'integer',
    takes: ['string'],
    run: (self, search) => {
      const wanted = textOf(search, 'lastIndexOf');
      chargeSearch(self, wanted);
      return self.lastIndexOf(wanted);
    },
  },
  localeCompare: {
    signature: 'localeCompare(other)',
    doc: 'A number for `sort`: below 0 if the text comes before the other one as people order them, above 0 if after it.',
    returns: 'number',
    takes: ['string'],
    run: (self, other) => {
      const against = textOf(other, 'localeCompare');
      chargeText(16 + (self.length + against.length) * 4);
      return self.localeCompare(against, 'en');
    },
  },
  concat: {
    signature: 'concat(...texts)',
    doc: 'The text, followed by others.',
    returns: 'string',
    run: (self, ...texts) => texts.reduce<string>((all, text) => concat(all, textOf(text, 'concat')), self),
  },
  toString: {
    signature: 'toString()',
    doc: 'The text itself.',
    returns: 'string' as const,
    run: (self: string) => self,
  },
  split: {
    signature: 'split(separator)',
    doc: 'The pieces between the separators, as an array; at an empty separator, the characters.',
    returns: 'strings',
    takes: ['string'],
    run: (self, separator) => splitText(self, textOf(separator, 'split')),
  },
  replace: {
    signature: 'replace(search, by)',
    doc: 'The text with the first occurrence of `search` replaced; both are plain text.',
    returns: 'string',
    takes: ['string', 'string'],
    run: (self, search, by) => replaceText(self, textOf(search, 'replace'), textOf(by, 'replace'), false),
  },
  replaceAll: {
    signature: 'replaceAll(search, by)',
    doc: 'The text with every occurrence of `search` replaced; both are plain text.',
    returns: 'string',
    takes: ['string', 'string'],
    run: (self, search, by) =>
      replaceText(self, textOf(search, 'replaceAll'), textOf(by, 'replaceAll'), true),
  },
  padStart: {
    signature: 'padStart(length, fill?)',
    doc: 'The text, padded at its start to a length.',
    returns: 'string',
    takes: ['number', 'string'],
    run: (self, length, fill) => pad(self, 'padStart', length, fill),
  },
  padEnd: {
    signature: 'padEnd(length, fill?)',
    doc: 'The text, padded at its end to a length.',
    returns: 'string',
    takes: ['number', 'string'],
    run: (self, length, fill) => pad(self, 'padEnd', length, fill),
  },
  repeat: {
    signature: 'repeat(count)',
    doc: 'The text, repeated the given number of times.',
    returns: 'string',
    takes: ['number'],
    run: (self, count) => repeat(self, numberOf(count, 'repeat')),
  },
  at: {
    signature: 'at(index)',
    doc: 'The character at an index, or null; negative numbers count from the end.',
    returns: 'element',
    takes: ['number'],
    run: (self, index) => self.at(numberOf(index, 'at')),
  },
  charAt: {
    signature: 'charAt(index)',
    doc: 'The character at an index, or an empty text.',
    returns: 'string',
    takes: ['number'],
    run: (self, index) => self.charAt(numberOf(index, 'charAt')),
  },
};
