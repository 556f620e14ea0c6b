import { toText } from '../../base/text.ts';
import { type MethodEntry, numberOf, wrongType } from './entry.ts';

/** Methods of numbers. */
export const numberMethods: Readonly<Record<string, MethodEntry<number>>> = {
  toFixed: {
    signature: 'toFixed(digits?)',
    doc: 'The number as text with the given number of decimal places.',
    returns: 'string',
    takes: ['number'],
    run: (self, digits) => {
      const count = numberOf(digits ?? 0, 'toFixed');
      if (!(count >= 0 && count <= 100)) wrongType('`toFixed` takes 0 to 100 digits.');
      return Number.isFinite(self) ? self.toFixed(count) : toText(self);
    },
  },
  toString: {
    signature: 'toString(radix?)',
    doc: 'The number as text, decimal or in a base from 2 to 36.',
    returns: 'string' as const,
    takes: ['number'] as const,
    run: (self: number, radix?: unknown) => {
      const base = numberOf(radix ?? 10, 'toString');
      if (!(base >= 2 && base <= 36)) wrongType('`toString` takes a base from 2 to 36.');
      return Number.isFinite(self) ? self.toString(base) : toText(self);
    },
  },
};
