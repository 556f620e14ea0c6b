import type { Entry, Node, Spread } from './ast.ts';
import {
  type Cursor,
  deeper,
  expect,
  isSign,
  moveTo,
  next,
  type ParseExpression,
  spanFrom,
} from './cursor.ts';
import { take, unexpected } from './cursor.ts';
import type { Token } from './lexer.ts';
import { readTemplateText } from './literals.ts';
import { isForbidden } from './names.ts';
import { parseArguments } from './parse-arguments.ts';
import { Fault, refuse } from './problem.ts';
import { constants, reservedWord } from './words.ts';

type NameToken = Extract<Token, { kind: 'name' }>;

/** Parses a constant, the name of a root or parameter, or a call of a function. */
export function parseWord(c: Cursor, expression: ParseExpression, word: NameToken): Node {
  checkName(word);
  next(c);
  const value = constants.get(word.text);
  if (value !== undefined) return { type: 'literal', value, ...spanFrom(c, word.start) };
  if (!isSign(c, '(')) return { type: 'name', name: word.text, ...spanFrom(c, word.start) };
  const args = parseArguments(c, expression);
  return { type: 'call', name: word.text, args, ...spanFrom(c, word.start) };
}

function checkName({ text, start }: { text: string; start: number }): void {
  if (text === 'undefined') {
    const message =
      'There is no `undefined` here; use `null`, or `?.` and `??` where a field may be missing.';
    throw new Fault({ code: 'expression-unknown-name', message, offset: start, suggestion: 'null' });
  }
  const reserved = constants.has(text) ? undefined : reservedWord(text);
  if (reserved !== undefined) refuse(reserved, start);
  if (isForbidden(text)) refuse(`\`${text}\` can not be used in an expression.`, start);
}

/** Parses `[a, ...b]`. */
export function parseArray(c: Cursor, expression: ParseExpression): Node {
  const opened = c.token.start;
  next(c);
  const items: (Node | Spread)[] = [];
  while (!isSign(c, ']')) {
    items.push(spread(c, expression) ?? deeper(c, expression));
    if (!take(c, ',')) break;
  }
  expect(c, ']', opened);
  return { type: 'array', items, ...spanFrom(c, opened) };
}

/** Parses `{ a: 1, "b": 2, c, ...d }`. */
export function parseObject(c: Cursor, expression: ParseExpression): Node {
  const opened = c.token.start;
  next(c);
  const entries: (Entry | Spread)[] = [];
  while (!isSign(c, '}')) {
    entries.push(spread(c, expression) ?? entry(c, expression));
    if (!take(c, ',')) break;
  }
  expect(c, '}', opened);
  return { type: 'object', entries, ...spanFrom(c, opened) };
}

function spread(c: Cursor, expression: ParseExpression): Spread | undefined {
  const { start } = c.token;
  if (!take(c, '...')) return undefined;
  const value = deeper(c, expression);
  return { type: 'spread', value, ...spanFrom(c, start) };
}

function entry(c: Cursor, expression: ParseExpression): Entry {
  const { token } = c;
  if (isSign(c, '[')) refuse('The keys of an object are written out; they can not be computed.', token.start);
  if (token.kind !== 'name' && token.kind !== 'string' && token.kind !== 'number') {
    return unexpected(c, 'Expected a key');
  }
  const key = token.kind === 'name' ? token.text : String(token.value);
  if (isForbidden(key)) refuse(`An object can not have the key \`${key}\`.`, token.start);
  next(c);
  if (take(c, ':')) return { type: 'entry', key, value: deeper(c, expression) };
  if (token.kind !== 'name' || constants.has(key)) unexpected(c, `Expected \`:\` after the key \`${key}\``);
  if (isSign(c, '(')) refuse('An object holds values; it can not have methods.', c.token.start);
  checkName(token);
  return { type: 'entry', key, value: { type: 'name', name: key, ...spanFrom(c, token.start) } };
}

/** Parses a template literal. */
export function parseText(c: Cursor, expression: ParseExpression): Node {
  const opened = c.token.start;
  const texts: string[] = [];
  const holes: Node[] = [];
  let piece = readTemplateText(c.text, opened + 1);
  texts.push(piece.value);
  while (piece.hole) {
    moveTo(c, piece.end);
    holes.push(deeper(c, expression));
    if (!isSign(c, '}')) unexpected(c, 'Expected `}` at the end of the `${`');
    piece = readTemplateText(c.text, c.token.end);
    texts.push(piece.value);
  }
  moveTo(c, piece.end);
  return { type: 'text', texts, holes, ...spanFrom(c, opened) };
}
