import type { Argument, Lambda } from './ast.ts';
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
import { take } from './cursor.ts';
import { takesLambda } from './library.ts';
import { readToken } from './lexer.ts';
import { isForbidden } from './names.ts';
import { refuse } from './problem.ts';
import { reservedWord } from './words.ts';

/** Parses `(a, b)` after the name of a function or of a method; only some methods take `x => …`. */
export function parseArguments(c: Cursor, expression: ParseExpression, method?: string): Argument[] {
  const opened = c.token.start;
  next(c);
  const args: Argument[] = [];
  while (!isSign(c, ')')) {
    if (isSign(c, '...'))
      refuse('Arguments can not be spread; most functions also take an array.', c.token.start);
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
  if (reserved !== undefined || isForbidden(name)) refuse(`\`${name}\` can not be a parameter.`, offset);
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

/** A token further on, or nothing where there is no valid one; its fault is found again in order. */
function peek(c: Cursor, at: number): ReturnType<typeof readToken> | undefined {
  try {
    return readToken(c.text, at);
  } catch {
    return undefined;
  }
}
