import { createScanner, printParseErrorCode, visit } from 'jsonc-parser';
import { MAX_JSON_DEPTH } from '#shared/flow.ts';
import { losesDigits } from '#shared/lost-digits.ts';
import type { Problem } from '#shared/problem.ts';
import { type Path, problemPlace } from './field-path.ts';

/** A parser that continues after each error finds more and more of them; these are enough to fix a file. */
const MAX_SYNTAX_PROBLEMS = 50;

/** The value of a JSON text, or undefined with at least one error among `problems`. */
export function readJson(text: string): { value: unknown; problems: Problem[] } {
  const plain = plainly(text);
  if (plain) return { value: plain.value, problems: [] };
  const deep = tooDeep(text);
  if (deep) return { value: undefined, problems: [deep] };
  const problems = inspect(text);
  if (problems.some((p) => p.severity === 'error')) return { value: undefined, problems };
  try {
    return { value: JSON.parse(text) as unknown, problems };
  } catch (error) {
    return {
      value: undefined,
      problems: [syntaxProblem(`The text is not JSON: ${(error as Error).message}.`, 0, 0)],
    };
  }
}

const STRING_OR_SPACE = /("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g;
/** A text may have such keys and numbers without being wrong; they are looked at closely. */
const SUSPICIOUS = /__proto__|\d{16}/;

/**
 * The value of a text that comes out of it unchanged but for its white space, as nearly all flow files do: without a key
 * that is there twice, and without a number that would become another. That takes a tenth of the time of the close look.
 */
function plainly(text: string): { readonly value: unknown } | undefined {
  if (SUSPICIOUS.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isShallow(value, MAX_JSON_DEPTH)) return undefined;
    return JSON.stringify(value) === text.replace(STRING_OR_SPACE, '$1') ? { value } : undefined;
  } catch {
    return undefined;
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1));
}

// The token numbers of jsonc-parser, whose enums cannot be imported as values.
const OPEN_BRACE = 1;
const CLOSE_BRACE = 2;
const OPEN_BRACKET = 3;
const CLOSE_BRACKET = 4;
const END = 17;

/** The parser is recursive, so a non-recursive pass refuses text that is nested too deep. */
function tooDeep(text: string): Problem | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    const token: number = scanner.scan();
    if (token === END) return undefined;
    if (token === OPEN_BRACE || token === OPEN_BRACKET) depth++;
    else if ((token === CLOSE_BRACE || token === CLOSE_BRACKET) && depth > 0) depth--;
    if (depth <= MAX_JSON_DEPTH) continue;
    return {
      code: 'too-deep',
      severity: 'error',
      message: `The JSON is nested deeper than ${MAX_JSON_DEPTH} levels; flatten it.`,
      line: scanner.getTokenStartLine() + 1,
      column: scanner.getTokenStartCharacter() + 1,
    };
  }
}

/** What `JSON.parse` cannot report or accepts: the positions of all syntax errors, repeated keys, numbers that change. */
function inspect(text: string): Problem[] {
  const problems: Problem[] = [];
  const open: Set<string>[] = [];
  let syntaxErrors = 0;
  visit(
    text,
    {
      onObjectBegin: () => void open.push(new Set()),
      onObjectEnd: () => void open.pop(),
      onObjectProperty(name, ...[, , line, column, parentPath]) {
        const keys = open.at(-1);
        if (name === '__proto__' || keys?.has(name))
          problems.push(keyProblem([...parentPath(), name], line, column));
        keys?.add(name);
      },
      onLiteralValue(value: unknown, ...[offset, length, line, column, path]) {
        const found =
          typeof value === 'number' ? numberFault(value, text.slice(offset, offset + length)) : undefined;
        if (found) problems.push({ ...found, ...problemPlace(path()), line: line + 1, column: column + 1 });
      },
      onError(code, ...[, , line, column]) {
        if (syntaxErrors++ >= MAX_SYNTAX_PROBLEMS) return;
        const problem = syntaxProblem(syntaxMessage(printParseErrorCode(code)), line, column);
        // A text that breaks off is reported once, not once for every open bracket.
        if (!problems.some((p) => samePlace(p, problem))) problems.push(problem);
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  );
  return problems;
}

function samePlace(a: Problem, b: Problem): boolean {
  return a.line === b.line && a.column === b.column && a.message === b.message;
}

function syntaxProblem(message: string, line: number, column: number): Problem {
  return { code: 'json-syntax', severity: 'error', message, line: line + 1, column: column + 1 };
}

function keyProblem(path: Path, line: number, column: number): Problem {
  const key = String(path.at(-1));
  const place = { severity: 'error' as const, ...problemPlace(path), line: line + 1, column: column + 1 };
  if (key === '__proto__')
    return { code: 'bad-field', message: 'The key `__proto__` is not allowed; rename it.', ...place };
  return {
    code: 'duplicate-key',
    message: `The key \`${key}\` is there twice in one object; remove one of them.`,
    ...place,
  };
}

/** A number that would be different after a save. */
function numberFault(value: number, text: string): Problem | undefined {
  if (!Number.isFinite(value)) {
    return {
      code: 'bad-field',
      severity: 'error',
      message: 'This number is too large; write it as a text.',
    };
  }
  if (!/^-?\d+$/.test(text) || !losesDigits(text)) return undefined;
  const message = `This number would become ${value}; write it as a text.`;
  return { code: 'bad-field', severity: 'error', message };
}

const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'This word means nothing in JSON; texts need double quotes.',
  InvalidNumberFormat: 'This is not a valid JSON number.',
  PropertyNameExpected:
    'A key in double quotes is expected here; a comma before a closing brace is not allowed.',
  ValueExpected: 'A value is expected here; there may be one comma too many.',
  ColonExpected: 'A colon is missing after the key.',
  CommaExpected: 'A comma is missing here.',
  CloseBraceExpected: 'A closing brace `}` is missing.',
  CloseBracketExpected: 'A closing bracket `]` is missing.',
  EndOfFileExpected: 'The JSON ends before this; remove what follows.',
  InvalidCommentToken: 'JSON has no comments; use `description` instead.',
  UnexpectedEndOfComment: 'JSON has no comments, and this one is not closed.',
  UnexpectedEndOfString: 'The text that begins here is not closed on its line.',
  UnexpectedEndOfNumber: 'The number that begins here has no end.',
  InvalidUnicode: 'A text holds a bad `\\u` escape; it takes four hexadecimal digits.',
  InvalidEscapeCharacter: 'A text holds a bad escape; write `\\\\` for a backslash.',
  InvalidCharacter: 'A text holds a raw control character; write it as an escape.',
};

function syntaxMessage(name: string): string {
  return messages[name] ?? 'The text is not JSON here.';
}
