import type { Node, ObjectNode } from '../expr/ast.ts';
import { describe } from '../expr/describe.ts';
import { typeOfBinary } from './binary.ts';
import { typeOfCall } from './call.ts';
import { typeOfChain } from './chain.ts';
import { typeOfJson } from './schema.ts';
import {
  ANY_OBJECT,
  arrayOf,
  assign,
  BOOLEAN,
  isNever,
  makeType,
  NEVER,
  NUMBER,
  objectOf,
  type ObjectType,
  STRING,
  type Type,
  union,
  unionOf,
  UNKNOWN,
  without,
} from './type.ts';
import { type Fault, guarded, mismatch, type Scope, type Walk } from './walk.ts';
import { nounOf } from './words.ts';

/**
 * The result type of an expression, from the types that it reads. Reports only what fails whatever the values are; a value
 * of several kinds is fine if one of them fits.
 */
export function typeOfExpression(ast: Node, scope: Scope, report: (fault: Fault) => void, sure = true): Type {
  return visit({ scope, locals: new Map(), sure, guarded: false, report, visit }, ast);
}

function visit(walk: Walk, node: Node, tolerant = false): Type {
  switch (node.type) {
    case 'literal':
      return typeOfJson(node.value);
    case 'name':
      return walk.locals.get(node.name) ?? walk.scope.root(node.name) ?? UNKNOWN;
    case 'chain':
      return typeOfChain(walk, node, tolerant);
    case 'logical':
      return visitLogical(walk, node, tolerant);
    case 'call':
      return typeOfCall(walk, node);
    default:
      return visitParts(walk, node);
  }
}

type Composed = Exclude<Node, { type: 'literal' | 'name' | 'chain' | 'logical' | 'call' }>;

function visitParts(walk: Walk, node: Composed): Type {
  switch (node.type) {
    case 'text':
      for (const hole of node.holes) visit(walk, hole);
      return STRING;
    case 'unary':
      return visitUnary(walk, node);
    case 'binary':
      return typeOfBinary(walk, node);
    case 'conditional':
      visit(walk, node.test);
      return union(visit(guarded(walk), node.yes), visit(guarded(walk), node.no));
    case 'array':
      return visitArray(walk, node);
    case 'object':
      return visitObject(walk, node);
  }
}

function visitUnary(walk: Walk, node: Extract<Node, { type: 'unary' }>): Type {
  const operand = visit(walk, node.operand);
  if (node.op === '!') return BOOLEAN;
  if (operand.any || isNever(operand) || operand.number) return negated(operand);
  mismatch(
    walk,
    node.start,
    `\`-\` needs a number, but \`${describe(node.operand)}\` is ${nounOf(operand)}.`,
  );
  return NUMBER;
}

function negated({ number }: Type): Type {
  if (Array.isArray(number)) return makeType({ number: number.map((n) => -n) });
  return NUMBER;
}

function visitLogical(walk: Walk, node: Extract<Node, { type: 'logical' }>, tolerant: boolean): Type {
  const left = visit(walk, node.left, node.op === '??');
  const right = visit(guarded(walk), node.right, node.op === '??' && tolerant);
  switch (node.op) {
    case '??':
    case '||':
      return union(without(left, 'null'), right);
    case '&&':
      return union(falsyOf(left), right);
  }
}

/** The result of `&&` if its left side does not hold. */
function falsyOf(type: Type): Type {
  return without(type, 'array', 'object');
}

function visitArray(walk: Walk, node: Extract<Node, { type: 'array' }>): Type {
  const items = node.items.map((item) => {
    if (item.type !== 'spread') return visit(walk, item);
    const list = visit(walk, item.value);
    if (list.any || isNever(list)) return UNKNOWN;
    if (list.array) return list.array;
    mismatch(walk, item.start, `\`...\` in an array needs an array, but this is ${nounOf(list)}.`);
    return UNKNOWN;
  });
  return arrayOf(unionOf(items));
}

const EMPTY: ObjectType = { fields: new Map(), rest: NEVER, strict: false };

function visitObject(walk: Walk, node: ObjectNode): Type {
  let made = EMPTY;
  for (const entry of node.entries) {
    const over =
      entry.type === 'entry'
        ? objectOf([[entry.key, visit(walk, entry.value)]])
        : spreadOf(walk, visit(walk, entry.value), entry.start);
    made = over.object ? assign(made, over.object) : made;
  }
  return makeType({ object: made });
}

/** The fields that a spread adds; none for null. */
function spreadOf(walk: Walk, type: Type, start: number): Type {
  if (type.any || isNever(type)) return ANY_OBJECT;
  if (!type.object && type.null) return objectOf([]);
  if (!type.object) {
    mismatch(walk, start, `\`...\` in an object needs an object, but this is ${nounOf(type)}.`);
    return ANY_OBJECT;
  }
  const own = makeType({ object: type.object });
  return type.null ? union(own, objectOf([])) : own;
}
