import type { Lambda, Node } from './ast.ts';
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
export function parseArguments(c: Cursor, expression: ParseExpression, method?: string): Node[] {
  const opened = c.token.start;
  next(c);
  const args: Node[] = [];
  while (!isSign(c, ')')) {
    if (isSign(c, '...'))
      refuse('Arguments can not be spread; most functions also take an array.', c.token.start);
    args.push(deeper(c, (at) => argument(at, expression, method)));
    if (!take(c, ',')) break;
  }
  expect(c, ')', opened);
  return args;
}

function argument(c: Cursor, expression: ParseExpression, method: string | undefined): Node {
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

/** Looks ahead for `x =>` or `(x, i) =>` without moving the cursor. */
function lambdaHead(c: Cursor): { params: string[]; end: number } | undefined {
  const first = c.token;
  if (first.kind === 'name') {
    const arrow = peek(c, first.end);
    return arrow?.text === '=>' ? { params: [first.text], end: arrow.end } : undefined;
  }
  if (!isSign(c, '(')) return undefined;
  const params: string[] = [];
  let at = first.end;
  for (;;) {
    const name = peek(c, at);
    if (name?.kind !== 'name') return undefined;
    params.push(name.text);
    const separator = peek(c, name.end);
    if (separator?.text === ',') {
      at = separator.end;
      continue;
    }
    const arrow = separator?.text === ')' ? peek(c, separator.end) : undefined;
    return arrow?.text === '=>' ? { params, end: arrow.end } : undefined;
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
