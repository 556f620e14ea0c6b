import type { Argument, Entry, Lambda, Node, Spread } from './ast.ts';
import {
  type Cursor,
  deeper,
  expect,
  isSign,
  moveTo,
  next,
  type ParseExpression,
  spanFrom,
  take,
  unexpected,
} from './cursor.ts';
import { readToken, type Token } from './lexer.ts';
import { takesLambda } from './library.ts';
import { readTemplateText } from './literals.ts';
import { isForbidden } from './names.ts';
import { Fault, refuse } from './problem.ts';

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
    const message = 'There is no `undefined` here; use `null`, or `?.` and `??` if a field may be missing.';
    throw new Fault({ code: 'expression-unknown-name', message, offset: start, suggestion: 'null' });
  }
  const reserved = constants.has(text) ? undefined : reservedWord(text);
  if (reserved !== undefined) refuse(reserved, start);
  if (isForbidden(text)) refuse(`\`${text}\` cannot be used in an expression.`, start);
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
  if (isSign(c, '[')) refuse('The keys of an object must be literal; they cannot be computed.', token.start);
  if (token.kind !== 'name' && token.kind !== 'string' && token.kind !== 'number') {
    return unexpected(c, 'Expected a key');
  }
  const key = token.kind === 'name' ? token.text : String(token.value);
  if (isForbidden(key)) refuse(`An object cannot have the key \`${key}\`.`, token.start);
  next(c);
  if (take(c, ':')) return { type: 'entry', key, value: deeper(c, expression) };
  if (token.kind !== 'name' || constants.has(key)) unexpected(c, `Expected \`:\` after the key \`${key}\``);
  if (isSign(c, '(')) refuse('An object holds values; it cannot have methods.', c.token.start);
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

/** Parses `(a, b)` after the name of a function or method; only some methods take `x => …`. */
export function parseArguments(c: Cursor, expression: ParseExpression, method?: string): Argument[] {
  const opened = c.token.start;
  next(c);
  const args: Argument[] = [];
  while (!isSign(c, ')')) {
    if (isSign(c, '...'))
      refuse('Arguments cannot be spread; most functions also take an array.', c.token.start);
    args.push(deeper(c, (at) => argument(at, expression, method)));
    if (!take(c, ',')) break;
  }
  expect(c, ')', opened);
  return args;
}

function argument(c: Cursor, expression: ParseExpression, method: string | undefined): Argument {
  const head = lambdaHead(c);
  if (!head) return expression(c);
  const { start } = c.token;
  if (method === undefined || !takesLambda(method)) {
    refuse(`\`${method ?? 'This function'}\` takes values, not a function.`, start);
  }
  for (const name of head.params) checkParam(name, start);
  if (new Set(head.params).size < head.params.length) refuse('Two parameters have the same name.', start);
  if (head.params.length > 3) refuse('A function has at most three parameters.', start);
  moveTo(c, head.end);
  if (isSign(c, '{')) {
    refuse('A function is one expression without braces; an object is written `({ … })`.', c.token.start);
  }
  const body = expression(c);
  const lambda: Lambda = { type: 'lambda', params: head.params, body, ...spanFrom(c, start) };
  return lambda;
}

function checkParam(name: string, offset: number): void {
  const reserved = reservedWord(name);
  if (reserved !== undefined || isForbidden(name)) refuse(`\`${name}\` cannot be a parameter.`, offset);
}

type Head = { params: string[]; end: number };

/** Looks ahead for `x =>` or `(x, i) =>` without moving the cursor. */
function lambdaHead(c: Cursor): Head | undefined {
  const { token } = c;
  const names = token.kind === 'name' ? { params: [token.text], end: token.end } : paramList(c);
  const arrow = names && peek(c, names.end);
  return names && arrow?.text === '=>' ? { params: names.params, end: arrow.end } : undefined;
}

function paramList(c: Cursor): Head | undefined {
  if (!isSign(c, '(')) return undefined;
  const params: string[] = [];
  for (let at = c.token.end; ; ) {
    const name = peek(c, at);
    if (name?.kind !== 'name') return undefined;
    params.push(name.text);
    const after = peek(c, name.end);
    if (after?.text === ')') return { params, end: after.end };
    if (after?.text !== ',') return undefined;
    at = after.end;
  }
}

/** A token further on, or undefined if none is valid there; the parser reports that fault when it gets there. */
function peek(c: Cursor, at: number): ReturnType<typeof readToken> | undefined {
  try {
    return readToken(c.text, at);
  } catch {
    return undefined;
  }
}

const outside = 'is not part of the expression language; use a code node for it.';

const others = `
  this instanceof void delete await yield class super import return throw if else for while do switch case
  break continue try catch finally var let const with debugger export default extends enum`;

const reserved: ReadonlyMap<string, string> = new Map([
  ...others
    .trim()
    .split(/\s+/)
    .map((word): [string, string] => [word, `\`${word}\` ${outside}`]),
  [
    'new',
    'There is no `new` here; write `now()` or `date(text)` for a date, and `parseUrl(text)` for an address.',
  ],
  ['typeof', 'Write `typeOf(value)` for the type of a value.'],
  ['in', 'Write `has(object, key)` to ask for a field.'],
  ['function', 'A function is written `x => …`, directly in the brackets of a method such as `map`.'],
]);

/** The message for a word that JavaScript reserves and that this language leaves out. */
function reservedWord(word: string): string | undefined {
  return constants.has(word) || word === 'undefined' ? `\`${word}\` is a value.` : reserved.get(word);
}

/** The words that are literal values. */
const constants: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
