import type { BinaryOp, Span } from './ast.ts';
import { chargeText, concat } from './budget.ts';
import { wrongTypeAt } from './failures.ts';
import { textFrom } from './library/convert.ts';
import { aType } from './read.ts';

type Operate = (a: unknown, b: unknown, at: Span) => unknown;

// Shorter texts compare in negligible time.
const freeLength = 64;

function payTexts(a: string, b: string): void {
  const shorter = Math.min(a.length, b.length);
  if (shorter > freeLength) chargeText(shorter);
}

function add(a: unknown, b: unknown, at: Span): unknown {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'string' && typeof b === 'string') return concat(a, b);
  if (typeof a === 'string' || typeof b === 'string') return concat(textFrom(a), textFrom(b));
  return wrongTypeAt(
    `\`+\` needs two numbers, or text on one side, but got ${aType(a)} and ${aType(b)}.`,
    at,
  );
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') payTexts(a, b);
  return a === b;
}

/** Like `same`, but a text equals the number that it contains: forms, addresses and tables have numbers as texts. */
export function equal(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'string') return numberIn(b) === a;
  if (typeof a === 'string' && typeof b === 'number') return numberIn(a) === b;
  return same(a, b);
}

/** The number that a text consists of; JavaScript also converts a blank text to 0. */
export function numberIn(text: string): number | undefined {
  if (text.length > freeLength) return undefined;
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(number) ? undefined : number;
}

function arithmetic(op: string, compute: (a: number, b: number) => number): Operate {
  return (a, b, at) => {
    if (typeof a === 'number' && typeof b === 'number') return compute(a, b);
    return wrongTypeAt(`\`${op}\` needs two numbers, but got ${aType(a)} and ${aType(b)}.`, at);
  };
}

function comparison(op: string, compare: (a: string | number, b: string | number) => boolean): Operate {
  return (a, b, at) => {
    if (typeof a === 'number' && typeof b === 'number') return compare(a, b);
    if (typeof a === 'string' && typeof b === 'string') {
      payTexts(a, b);
      return compare(a, b);
    }
    const found = `${aType(a)} and ${aType(b)}`;
    return wrongTypeAt(`\`${op}\` compares two numbers or two texts, but got ${found}.`, at);
  };
}

/** The operators between two values. */
export const operations: Readonly<Record<BinaryOp, Operate>> = {
  '+': add,
  '-': arithmetic('-', (a, b) => a - b),
  '*': arithmetic('*', (a, b) => a * b),
  '/': arithmetic('/', (a, b) => a / b),
  '%': arithmetic('%', (a, b) => a % b),
  '<': comparison('<', (a, b) => a < b),
  '<=': comparison('<=', (a, b) => a <= b),
  '>': comparison('>', (a, b) => a > b),
  '>=': comparison('>=', (a, b) => a >= b),
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '===': same,
  '!==': (a, b) => !same(a, b),
};
