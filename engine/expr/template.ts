import type { Node } from './ast.ts';
import { atEnd, cursorAt, isSign, longestSource, tooLong, unexpected } from './cursor.ts';
import { skipBlanks } from './lexer.ts';
import { faultsAsValues, whole } from './parse.ts';
import { type ExprProblem, refuse } from './problem.ts';

/** An expression between `{{ }}`; spans in `ast` count from `offset`, where `source` begins in the text. */
export interface TemplatePart {
  ast: Node;
  source: string;
  offset: number;
}

/** A text with `{{ }}` parts. */
export interface Template {
  source: string;
  parts: (string | TemplatePart)[];
  /** Exactly one `{{ }}` and nothing else but blanks, so its value keeps its type. */
  whole: boolean;
}

/** A compiled template, or everything that is wrong with it. */
export type TemplateResult = { ok: true; template: Template } | { ok: false; errors: ExprProblem[] };

/** Whether a text contains `{{`, so that it must be parsed. */
export function hasTemplate(text: string): boolean {
  return text.includes('{{');
}

/** Parses a text with `{{ }}` parts; a literal `{{` is written `\{{`. Offsets of errors are into the whole text. */
export function parseTemplate(text: string): TemplateResult {
  const { parts, errors } = scanTemplate(text);
  if (errors.length > 0) return { ok: false, errors };
  const whole =
    parts.filter((part) => typeof part !== 'string').length === 1 &&
    parts.every((part) => typeof part !== 'string' || part.trim() === '');
  return { ok: true, template: { source: text, parts, whole } };
}

/** All parts that can be parsed, and the problems of all others. */
export function scanTemplate(text: string): { parts: (string | TemplatePart)[]; errors: ExprProblem[] } {
  const parts: (string | TemplatePart)[] = [];
  const errors: ExprProblem[] = [];
  let literal = '';
  let at = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    if (open > at && text.charAt(open - 1) === '\\') {
      literal += `${text.slice(at, open - 1)}{{`;
      at = open + 2;
      continue;
    }
    literal += text.slice(at, open);
    if (literal !== '') parts.push(literal);
    literal = '';
    const part = parsePart(text, open);
    if ('error' in part) errors.push(part.error);
    else parts.push(part);
    at = part.end;
  }
  literal += text.slice(at);
  if (literal !== '') parts.push(literal);
  return { parts, errors };
}

type Part = (TemplatePart & { end: number }) | { error: ExprProblem; end: number };

/** The parser finds the end of the expression, so a `}}` in a text or object inside it does no harm. */
function parsePart(text: string, open: number): Part {
  let offset = open + 2;
  let sourceEnd = offset;
  let end = offset;
  const parsed = faultsAsValues(() => {
    offset = skipBlanks(text, open + 2);
    if (text.startsWith('}}', offset)) refuse('There is no expression between `{{` and `}}`.', open);
    const c = cursorAt(text, offset);
    if (atEnd(c)) unclosed(text, open);
    const ast = whole(c);
    if (atEnd(c)) unclosed(text, open);
    if (!isSign(c, '}') || text.charAt(c.token.end) !== '}') unexpected(c, 'Expected an operator or `}}`');
    if (c.last - offset > longestSource) tooLong(offset);
    sourceEnd = c.last;
    end = c.token.end + 1;
    return ast;
  });
  if (parsed.ok) return { ast: parsed.ast, source: text.slice(offset, sourceEnd), offset, end };
  const close = text.indexOf('}}', parsed.error.offset);
  return { error: parsed.error, end: close < 0 ? text.length : close + 2 };
}

function unclosed(text: string, open: number): never {
  const isHidden = /\/\/[^\n]*\}\}[^\n]*$/.test(text.slice(open));
  const why = isHidden ? ': the comment from `//` on reaches to the end of the line' : '';
  return refuse(`This \`{{\` has no \`}}\`${why}.`, open);
}
