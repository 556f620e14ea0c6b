import type { BinaryOp, Chain, LogicalOp, Node } from './ast.ts';
import {
  atEnd,
  countOperator,
  type Cursor,
  cursorAt,
  deeper,
  expect,
  isSign,
  longestSource,
} from './cursor.ts';
import { moveTo, next, spanFrom, take, tooLong, unexpected } from './cursor.ts';
import { parseArguments, parseArray, parseObject, parseText, parseWord } from './parse-values.ts';
import { isForbidden } from './names.ts';
import { type ExprProblem, Fault, refuse } from './problem.ts';
import { patternText, readRegexLiteral, refuseRegexLiterals } from './regex-literal.ts';

/** A parsed expression, or the first thing that cannot be read. */
export type ParseResult = { ok: true; ast: Node } | { ok: false; error: ExprProblem };

/** Parses an expression. It never throws; `offset` and spans count from the start of `source`. */
export function parseExpression(source: string): ParseResult {
  return faultsAsValues(() => {
    if (source.length > longestSource) tooLong(0);
    const c = cursorAt(source, 0);
    if (atEnd(c)) refuse('The expression is empty.', 0);
    const ast = whole(c);
    if (!atEnd(c)) unexpected(c, 'Expected an operator or the end');
    return ast;
  });
}

/** Turns the fault that ends parsing into a result. */
export function faultsAsValues(parse: () => Node): ParseResult {
  try {
    return { ok: true, ast: parse() };
  } catch (error) {
    if (error instanceof Fault) return { ok: false, error: error.problem };
    throw error;
  }
}

/** Parses a whole expression. */
export function whole(c: Cursor): Node {
  const ast = expression(c);
  refuseRegexLiterals(c, ast);
  return ast;
}

/** Parses the expression at the cursor and stops at the first token that cannot belong to it. */
export function expression(c: Cursor): Node {
  const start = c.token.start;
  const test = binary(c, 0);
  if (!take(c, '?')) return test;
  countOperator(c);
  const yes = deeper(c, expression);
  expect(c, ':');
  const no = deeper(c, expression);
  return { type: 'conditional', test, yes, no, ...spanFrom(c, start) };
}

type Operator = { level: number } & ({ logical: LogicalOp } | { op: BinaryOp });

const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['??', { level: 1, logical: '??' }],
  ['||', { level: 1, logical: '||' }],
  ['&&', { level: 2, logical: '&&' }],
  ['==', { level: 3, op: '==' }],
  ['===', { level: 3, op: '===' }],
  ['!=', { level: 3, op: '!=' }],
  ['!==', { level: 3, op: '!==' }],
  ['<', { level: 4, op: '<' }],
  ['<=', { level: 4, op: '<=' }],
  ['>', { level: 4, op: '>' }],
  ['>=', { level: 4, op: '>=' }],
  ['+', { level: 5, op: '+' }],
  ['-', { level: 5, op: '-' }],
  ['*', { level: 6, op: '*' }],
  ['/', { level: 6, op: '/' }],
  ['%', { level: 6, op: '%' }],
]);

function binary(c: Cursor, level: number): Node {
  const start = c.token.start;
  let left = unary(c);
  for (;;) {
    const sign = c.token;
    const operator = sign.kind === 'sign' ? operators.get(sign.text) : undefined;
    if (!operator || operator.level <= level) return left;
    countOperator(c);
    next(c);
    const right = binary(c, operator.level);
    if ('logical' in operator) {
      if (mixes(c, operator.logical, left) || mixes(c, operator.logical, right)) {
        refuse('`??` next to `||` or `&&` needs parentheses to show which is evaluated first.', sign.start);
      }
      left = { type: 'logical', op: operator.logical, left, right, ...spanFrom(c, start) };
    } else {
      left = { type: 'binary', op: operator.op, left, right, ...spanFrom(c, start) };
    }
  }
}

/** JavaScript refuses this mixture too, since nobody remembers which binds tighter. */
function mixes(c: Cursor, op: LogicalOp, operand: Node): boolean {
  return operand.type === 'logical' && (operand.op === '??') !== (op === '??') && !c.grouped.has(operand);
}

function unary(c: Cursor): Node {
  const { token } = c;
  if (isSign(c, '!') || isSign(c, '-')) {
    next(c);
    const operand = deeper(c, unary);
    const op = token.text === '!' ? '!' : '-';
    if (op === '-' && operand.type === 'literal' && typeof operand.value === 'number' && operand.value >= 0) {
      return { type: 'literal', value: -operand.value, ...spanFrom(c, token.start) };
    }
    return { type: 'unary', op, operand, ...spanFrom(c, token.start) };
  }
  if (isSign(c, '+')) refuse('Write `number(…)` to turn a text into a number.', token.start);
  return chain(c);
}

function chain(c: Cursor): Node {
  const start = c.token.start;
  const first = primary(c);
  const result: Chain = { type: 'chain', base: first, links: [], start: 0, end: 0 };
  // Without `?.` inside, parentheses around the start of a chain change nothing.
  if (first.type === 'chain' && !first.links.some((link) => link.optional)) {
    result.base = first.base;
    result.links = [...first.links];
  }
  const before = result.links.length;
  while (takeLink(c, result)) {
    // Each iteration parses one link.
  }
  return result.links.length === before ? first : Object.assign(result, spanFrom(c, start));
}

function takeLink(c: Cursor, into: Chain): boolean {
  const { start } = c.token;
  const optional = take(c, '?.');
  if (take(c, '[')) {
    bracket(c, into, { start, optional });
    return true;
  }
  if (isSign(c, '(')) refuse('Only functions and methods can be called, by their name.', c.token.start);
  if (!optional && !take(c, '.')) return false;
  const word = c.token;
  if (word.kind !== 'name') return unexpected(c, 'Expected a field name after the dot');
  next(c);
  if (isSign(c, '(')) {
    const args = parseArguments(c, expression, word.text);
    into.links.push({ kind: 'method', name: word.text, optional, args, ...spanFrom(c, start) });
    return true;
  }
  checkField(word.text, word.start);
  const nameStart = word.start - c.origin;
  const nameEnd = word.end - c.origin;
  into.links.push({ kind: 'field', name: word.text, optional, nameStart, nameEnd, ...spanFrom(c, start) });
  return true;
}

function bracket(c: Cursor, into: Chain, { start, optional }: { start: number; optional: boolean }): void {
  const keyStart = c.token.start;
  const key = deeper(c, expression);
  expect(c, ']', keyStart - 1);
  if (isSign(c, '(')) refuse('Only functions and methods can be called, by their name.', c.token.start);
  if (key.type !== 'literal' || typeof key.value !== 'string') {
    into.links.push({ kind: 'index', key, optional, ...spanFrom(c, start) });
    return;
  }
  checkField(key.value, keyStart);
  const { start: nameStart, end: nameEnd } = key;
  into.links.push({ kind: 'field', name: key.value, optional, nameStart, nameEnd, ...spanFrom(c, start) });
}

function checkField(name: string, offset: number): void {
  if (isForbidden(name)) refuse(`A field named \`${name}\` cannot be read in an expression.`, offset);
}

function primary(c: Cursor): Node {
  const { token } = c;
  switch (token.kind) {
    case 'number':
    case 'string':
      next(c);
      return { type: 'literal', value: token.value, ...spanFrom(c, token.start) };
    case 'name':
      return parseWord(c, expression, token);
    case 'end':
      return refuse('The expression ends where a value is expected.', token.start);
    case 'sign':
      if (token.text === '(') return parenthesised(c);
      if (token.text === '[') return parseArray(c, expression);
      if (token.text === '{') return parseObject(c, expression);
      if (token.text === '`') return parseText(c, expression);
      if (token.text.startsWith('/')) return pattern(c);
      return unexpected(c);
  }
}

function pattern(c: Cursor): Node {
  const { start } = c.token;
  const literal = readRegexLiteral(c.text, start);
  moveTo(c, literal.end);
  const node: Node = { type: 'literal', value: patternText(literal), ...spanFrom(c, start) };
  c.patterns.push([node, literal]);
  return node;
}

function parenthesised(c: Cursor): Node {
  const opened = c.token.start;
  next(c);
  const inner = deeper(c, expression);
  expect(c, ')', opened);
  if (inner.type === 'logical') c.grouped.add(inner);
  return inner;
}
