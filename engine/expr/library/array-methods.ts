import { charge } from '../budget.ts';
import { arrayOf, lambdaOf, type MethodEntry, maybeNumber, numberOf, wrongType } from './entry.ts';
import { concatArrays, flatMap, flatten, joinTexts, sorted } from './arrays.ts';

const firstIsElement = { elements: [0] };

/** Takes the steps for reading or making an array. */
function paid<T extends readonly unknown[]>(items: T): T {
  charge(items.length);
  return items;
}

/** Methods of arrays, as in JavaScript; none changes its array. */
export const arrayMethods: Readonly<Record<string, MethodEntry<readonly unknown[]>>> = {
  map: {
    signature: 'map((item, index) => value)',
    doc: "A new array with the function's result for each element.",
    returns: 'made',
    lambda: firstIsElement,
    run: (self, make) => paid(self).map(lambdaOf(make, 'map')),
  },
  filter: {
    signature: 'filter((item, index) => condition)',
    doc: 'The elements for which the condition holds.',
    returns: 'same',
    lambda: firstIsElement,
    gives: 'same',
    run: (self, test) => paid(self).filter(lambdaOf(test, 'filter')),
  },
  find: {
    signature: 'find((item, index) => condition)',
    doc: 'The first element for which the condition holds; null if there is none.',
    returns: 'element',
    lambda: firstIsElement,
    gives: 'element',
    run: (self, test) => self.find(lambdaOf(test, 'find')),
  },
  findIndex: {
    signature: 'findIndex((item, index) => condition)',
    doc: 'The index of the first element for which the condition holds, or -1.',
    returns: 'integer',
    lambda: firstIsElement,
    run: (self, test) => self.findIndex(lambdaOf(test, 'findIndex')),
  },
  findLast: {
    signature: 'findLast((item, index) => condition)',
    doc: 'The last element for which the condition holds; null if there is none.',
    returns: 'element',
    lambda: firstIsElement,
    gives: 'element',
    run: (self, test) => self.findLast(lambdaOf(test, 'findLast')),
  },
  findLastIndex: {
    signature: 'findLastIndex((item, index) => condition)',
    doc: 'The index of the last element for which the condition holds, or -1.',
    returns: 'integer',
    lambda: firstIsElement,
    run: (self, test) => self.findLastIndex(lambdaOf(test, 'findLastIndex')),
  },
  some: {
    signature: 'some((item, index) => condition)',
    doc: 'Whether the condition holds for at least one element.',
    returns: 'boolean',
    lambda: firstIsElement,
    run: (self, test) => self.some(lambdaOf(test, 'some')),
  },
  every: {
    signature: 'every((item, index) => condition)',
    doc: 'Whether the condition holds for all elements.',
    returns: 'boolean',
    lambda: firstIsElement,
    run: (self, test) => self.every(lambdaOf(test, 'every')),
  },
  reduce: {
    signature: 'reduce((result, item, index) => result, start?)',
    doc: 'One value, built up from one element after the other.',
    returns: 'folded',
    lambda: { elements: [1] },
    run: (self, join, ...start) => {
      if (start.length > 0) return self.reduce(lambdaOf(join, 'reduce'), start[0]);
      if (self.length === 0) wrongType('`reduce` of an empty array needs a start value.');
      return self.reduce(lambdaOf(join, 'reduce'));
    },
  },
  flatMap: {
    signature: 'flatMap((item, index) => array)',
    doc: 'Like `map`, with the arrays that the function returns joined into one.',
    returns: 'made, opened',
    lambda: firstIsElement,
    run: (self, make) => flatMap(paid(self), lambdaOf(make, 'flatMap')),
  },
  includes: {
    signature: 'includes(value, from?)',
    doc: 'Whether the array holds a value.',
    seeks: true,
    returns: 'boolean',
    run: (self, value, from) => paid(self).includes(value, maybeNumber(from, 'includes')),
  },
  indexOf: {
    signature: 'indexOf(value, from?)',
    doc: 'The index of a value, or -1.',
    seeks: true,
    returns: 'integer',
    run: (self, value, from) => paid(self).indexOf(value, maybeNumber(from, 'indexOf') ?? 0),
  },
  lastIndexOf: {
    signature: 'lastIndexOf(value)',
    doc: 'The last index of a value, or -1.',
    seeks: true,
    returns: 'integer',
    run: (self, value) => paid(self).lastIndexOf(value),
  },
  join: {
    signature: 'join(separator?)',
    doc: 'The elements as one text, separated by a comma or the given separator.',
    returns: 'string',
    takes: ['string'],
    run: (self, separator) => joinTexts(self, separator),
  },
  slice: {
    signature: 'slice(start?, end?)',
    doc: 'The elements from `start` to before `end`; negative numbers count from the end.',
    returns: 'same',
    takes: ['number', 'number'],
    gives: 'same',
    run: (self, start, end) => paid(self.slice(maybeNumber(start, 'slice'), maybeNumber(end, 'slice'))),
  },
  concat: {
    signature: 'concat(...values)',
    doc: 'A new array with more elements at its end; arrays add their elements.',
    returns: 'joined',
    run: (self, ...values) => concatArrays(self, values),
  },
  reverse: {
    signature: 'reverse()',
    doc: 'The elements in reverse order, as a new array.',
    returns: 'same',
    gives: 'same',
    run: (self) => paid(self).toReversed(),
  },
  sort: {
    signature: 'sort((a, b) => number?)',
    doc: 'The elements in order, as a new array. Without a function, numbers too are ordered as text.',
    returns: 'same',
    lambda: { elements: [0, 1] },
    gives: 'same',
    run: (self, compare) => sorted(self, compare === undefined ? undefined : lambdaOf(compare, 'sort')),
  },
  at: {
    signature: 'at(index)',
    doc: 'The element at an index, or null; negative numbers count from the end.',
    returns: 'element',
    takes: ['number'],
    gives: 'element',
    run: (self, index) => self.at(numberOf(index, 'at')),
  },
  flat: {
    signature: 'flat(depth?)',
    doc: 'The array with nested arrays flattened, one level deep or to the given depth.',
    returns: 'array',
    run: (self, depth) => flatten(arrayOf(self, 'flat'), maybeNumber(depth, 'flat') ?? 1),
  },
};
