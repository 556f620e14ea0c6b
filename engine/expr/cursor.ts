import type { Node, Span } from './ast.ts';
import { readToken, type Token } from './lexer.ts';
import { refuse } from './problem.ts';
import type { RegexLiteral } from './regex-literal.ts';

/** Longest expression, in characters. */
export const longestSource = 16 * 1024;
const deepest = 64;
// A chain of operators nests to the left without nesting in the text, and the evaluator recurses over it.
const mostOperators = 1000;

/** The position of a parser. `origin` is where the expression starts in a larger text; spans count from there. */
export interface Cursor {
  readonly text: string;
  readonly origin: number;
  token: Token;
  /** End of the token before `token`. */
  last: number;
  depth: number;
  operators: number;
  /** Nodes that were written in parentheses; only some rules need that. */
  readonly grouped: Set<Node>;
  /** Patterns in slashes, which are refused once it is known what surrounds them. */
  readonly patterns: [node: Node, literal: RegexLiteral][];
}

/** Parses one whole expression. It is passed to the parts of the grammar that contain expressions. */
export type ParseExpression = (c: Cursor) => Node;

/** A cursor before the expression that starts at `origin`. */
export function cursorAt(text: string, origin: number): Cursor {
  const token = readToken(text, origin);
  return { text, origin, token, last: origin, depth: 0, operators: 0, grouped: new Set(), patterns: [] };
}

/** Goes to the token after `token`. */
export function next(c: Cursor): void {
  moveTo(c, c.token.end);
}

/** Goes to the first token at or after `offset`. */
export function moveTo(c: Cursor, offset: number): void {
  c.last = offset;
  c.token = readToken(c.text, offset);
  if (c.token.start - c.origin > longestSource) tooLong(c.origin);
}

/** Refuses an expression that is too long. */
export function tooLong(offset: number): never {
  return refuse(
    `An expression is at most ${longestSource} characters long; put this into a code node.`,
    offset,
  );
}

/** Whether the next token is this sign. */
export function isSign(c: Cursor, text: string): boolean {
  return c.token.kind === 'sign' && c.token.text === text;
}

/** Whether the text ends here. */
export function atEnd(c: Cursor): boolean {
  return c.token.kind === 'end';
}

/** Takes the sign if it is next. */
export function take(c: Cursor, text: string): boolean {
  if (!isSign(c, text)) return false;
  next(c);
  return true;
}

/** Takes the sign or refuses; `opened` is the position of the bracket that it closes. */
export function expect(c: Cursor, text: string, opened?: number): void {
  if (take(c, text)) return;
  if (opened !== undefined && c.token.kind === 'end') {
    refuse(`The \`${c.text.charAt(opened)}\` is not closed.`, opened);
  }
  unexpected(c, `Expected \`${text}\``);
}

/** The span from `start` (an offset into the text) to the last taken token. */
export function spanFrom(c: Cursor, start: number): Span {
  return { start: start - c.origin, end: c.last - c.origin };
}

/** Parses one level deeper, within the limit. */
export function deeper<T>(c: Cursor, parse: (c: Cursor) => T): T {
  if (c.depth >= deepest) refuse(`The expression is nested deeper than ${deepest} levels.`, c.token.start);
  c.depth++;
  const result = parse(c);
  c.depth--;
  return result;
}

/** Counts an operator, within the limit. */
export function countOperator(c: Cursor): void {
  if (++c.operators > mostOperators) {
    refuse(`The expression has more than ${mostOperators} operators.`, c.token.start);
  }
}

const hints: ReadonlyMap<string, readonly [message: string, suggestion?: string]> = new Map([
  ['=', ['Values are compared with `==`; there is no assignment.', '==']],
  ['=>', ['A function can only be written directly as the argument of a method such as `map`.']],
  ['&', ['Conditions are joined with `&&`.', '&&']],
  ['|', ['Conditions are joined with `||`.', '||']],
  ['**', ['There is no power operator; write `pow(base, exponent)`.']],
  ['++', ['Nothing can be changed in an expression; write `+ 1`.']],
  ['--', ['Nothing can be changed in an expression; write `- 1`.']],
  [';', ['An expression is one value; there are no statements.']],
  ['`', ['A template literal cannot follow a value.']],
]);

/** Refuses the next token. */
export function unexpected(c: Cursor, expected?: string): never {
  const { token } = c;
  const [hint, suggestion] = hints.get(token.kind === 'sign' ? token.text : '') ?? [];
  if (hint !== undefined) return refuse(hint, token.start, suggestion);
  const found = token.kind === 'end' ? 'the end' : `\`${token.text.slice(0, 40)}\``;
  return refuse(`${expected ?? 'Expected a value'}, but found ${found}.`, token.start);
}
