import { readNumber, readString } from './literals.ts';
import { refuse } from './problem.ts';

export type Token =
  | { kind: 'name'; start: number; end: number; text: string }
  | { kind: 'number'; start: number; end: number; value: number; text: string }
  | { kind: 'string'; start: number; end: number; value: string; text: string }
  | { kind: 'sign'; start: number; end: number; text: string }
  | { kind: 'end'; start: number; end: number; text: '' };

// Longest first. Signs outside the language are listed, so that an error names them as a whole.
const signs = `
  >>>= === !== ... >>> <<= >>= **= &&= ||= ??=
  => == != <= >= && || ?? ?. ++ -- ** << >> += -= *= /= %= &= |= ^=
  ( ) [ ] { } , : . ? ! + - * / % < > \`
  = & | ^ ~ ; # @`
  .trim()
  .split(/\s+/);

const signsByFirst = Map.groupBy(signs, (sign) => sign[0] ?? '');

const blank = /\s/;
const nameStart = /[\p{ID_Start}$_]/u;
const nameRest = /[\p{ID_Continue}$\u200c\u200d]/u;

/** The token at or after `from`. It reads no further, so that text after an expression is never looked at. */
export function readToken(text: string, from: number): Token {
  const start = skipBlanks(text, from);
  if (start >= text.length) return { kind: 'end', start: text.length, end: text.length, text: '' };
  const first = text.charAt(start);
  if (first === '"' || first === "'") return readString(text, start);
  if (isDigit(first) || (first === '.' && isDigit(text.charAt(start + 1)))) {
    const number = readNumber(text, start);
    if (nameStart.test(charAt(text, number.end)))
      refuse('There must be no word directly after a number.', start);
    return number;
  }
  const end = nameEnd(text, start);
  return end > start ? { kind: 'name', start, end, text: text.slice(start, end) } : readSign(text, start);
}

function readSign(text: string, start: number): Token {
  // `a?.5:b` is a condition, as in JavaScript.
  const fits = (sign: string) =>
    text.startsWith(sign, start) && !(sign === '?.' && isDigit(text.charAt(start + 2)));
  const sign = signsByFirst.get(text.charAt(start))?.find(fits);
  if (sign === undefined) refuse(`The character \`${charAt(text, start)}\` has no meaning here.`, start);
  return { kind: 'sign', start, end: start + sign.length, text: sign };
}

/** The offset of the first character at or after `from` that is neither blank nor in a comment. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (at < text.length && blank.test(text.charAt(at))) at++;
    if (text.charAt(at) !== '/') return at;
    const end = commentEnd(text, at);
    if (end === at) return at;
    at = end;
  }
}

/** The offset after the comment at `start`; `start` itself if there is none. */
function commentEnd(text: string, start: number): number {
  if (text.startsWith('//', start)) {
    const end = text.slice(start).search(/[\n\r\u2028\u2029]/);
    return end < 0 ? text.length : start + end;
  }
  if (!text.startsWith('/*', start)) return start;
  const end = text.indexOf('*/', start + 2);
  return end < 0 ? refuse('The comment that begins here is not closed: end it with `*/`.', start) : end + 2;
}

/** Whether the text can follow a dot as it is. */
export function isName(text: string): boolean {
  return text.length > 0 && nameEnd(text, 0) === text.length;
}

function nameEnd(text: string, start: number): number {
  let at = start;
  let pattern = nameStart;
  while (at < text.length) {
    const char = charAt(text, at);
    if (!pattern.test(char)) break;
    at += char.length;
    pattern = nameRest;
  }
  return at;
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9' && char.length === 1;
}

/** The whole character at an offset, even if it takes two code units. */
function charAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}
