import { numberIn } from '../expr/arithmetic.ts';
import type { Binary } from '../expr/ast.ts';
import { neverEqual } from './clash.ts';
import { BOOLEAN, isNever, NUMBER, STRING, type Type, union } from './type.ts';
import { mismatch, unsure, type Walk } from './walk.ts';
import { nounOf, shortType } from './words.ts';

const BOTH = union(NUMBER, STRING);
const EQUALITY: ReadonlySet<string> = new Set(['==', '!=', '===', '!==']);

/** The type of two values joined by an operator; reports operands that do not fit it. */
export function typeOfBinary(walk: Walk, node: Binary): Type {
  const left = walk.visit(walk, node.left);
  const right = walk.visit(walk, node.right);
  if (EQUALITY.has(node.op)) {
    if (neverEqual(left, right) && !mayHoldNumber(node, left, right))
      reportNeverEqual(walk, node, left, right);
    return BOOLEAN;
  }
  switch (node.op) {
    case '+':
      return typeOfSum(walk, node, left, right);
    case '-':
    case '*':
    case '/':
    case '%':
      if (!both('number', left, right)) needs(walk, node, 'needs two numbers', [left, right]);
      return NUMBER;
    default:
      checkOrder(walk, node, left, right);
      return BOOLEAN;
  }
}

function checkOrder(walk: Walk, node: Binary, left: Type, right: Type): void {
  if (both('number', left, right) || both('string', left, right)) return;
  needs(walk, node, 'compares two numbers or two texts', [left, right]);
}

/** Text on one side turns the other side into text too. */
function typeOfSum(walk: Walk, node: Binary, left: Type, right: Type): Type {
  const isSum = both('number', left, right);
  const isText = may('string', left) || may('string', right);
  if (isSum && isText) return BOTH;
  if (isSum || isText) return isSum ? NUMBER : STRING;
  needs(walk, node, 'needs two numbers, or text on one side', [left, right]);
  return BOTH;
}

function both(kind: 'number' | 'string', left: Type, right: Type): boolean {
  return may(kind, left) && may(kind, right);
}

function may(kind: 'number' | 'string', type: Type): boolean {
  return type.any || isNever(type) || type[kind] !== undefined;
}

function needs(walk: Walk, node: Binary, what: string, [left, right]: [Type, Type]): void {
  mismatch(walk, node.start, `\`${node.op}\` ${what}, but got ${nounOf(left)} and ${nounOf(right)}.`);
}

/** Numbers are often texts, from an address, a form or a table. */
export function howToCompare(left: Type, right: Type): string {
  const areBoth = (a: Type, b: Type) => a.string !== undefined && b.number !== undefined;
  if (!areBoth(left, right) && !areBoth(right, left)) return '';
  return '; a text is never equal to a number: write `number(…)` or `string(…)` around one of them';
}

/** Whether `==` may compare a text with the number that it contains. */
function mayHoldNumber({ op }: Binary, left: Type, right: Type): boolean {
  const holds = (text: Type, number: Type) =>
    number.number !== undefined &&
    (text.string === true || text.string?.some((one) => numberIn(one) !== undefined) === true);
  return op.length === 2 && (holds(left, right) || holds(right, left));
}

/** Nothing fails, so it is never more than a warning. */
function reportNeverEqual(walk: Walk, node: Binary, left: Type, right: Type): void {
  const always = node.op.startsWith('=') ? 'false' : 'true';
  const message = `\`${node.op}\` compares \`${shortType(left)}\` with \`${shortType(right)}\`, which are never equal, so it is always ${always}${howToCompare(left, right)}.`;
  mismatch(unsure(walk), node.start, message);
}
