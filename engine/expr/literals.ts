import { losesDigits } from '#shared/lost-digits.ts';
import { refuse } from './problem.ts';

type NumberToken = { kind: 'number'; start: number; end: number; value: number; text: string };
type StringToken = { kind: 'string'; start: number; end: number; value: string; text: string };

const numberForm = /0[xX][0-9a-fA-F]+|(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;

/** Reads `1`, `1.5`, `.5`, `1e3` or `0xff`. */
export function readNumber(source: string, start: number): NumberToken {
  numberForm.lastIndex = start;
  const text = numberForm.exec(source)?.[0] ?? '';
  const end = start + text.length;
  const next = source.charCodeAt(end);
  if (text === '' || (next >= 48 && next <= 57)) {
    return refuse('This is not a number: numbers have no leading zeros.', start);
  }
  const value = Number(text);
  if (isOther(text, value))
    return refuse(`This number would become ${value}; write it as a text, in quotes.`, start);
  return { kind: 'number', start, end, value, text };
}

/**
 * Whether a number would differ from its written form: a whole number with too many digits, or a number that is too large or too
 * small.
 */
function isOther(text: string, value: number): boolean {
  if (/^\d+$/.test(text)) return losesDigits(text);
  if (/^0x/i.test(text)) return BigInt(text) !== BigInt(value);
  return !Number.isFinite(value) || (value === 0 && /^[0.]*[1-9]/.test(text));
}

/** Reads a text in single or double quotes. */
export function readString(source: string, start: number): StringToken {
  const quote = source.charAt(start);
  let value = '';
  let at = start + 1;
  for (;;) {
    const char = source.charAt(at);
    if (char === '' || char === '\n' || char === '\r') {
      return refuse(`The text that begins here has no closing ${quote}.`, start);
    }
    if (char === quote) break;
    if (char === '\\') {
      const escape = readEscape(source, at);
      value += escape.value;
      at = escape.end;
    } else {
      value += char;
      at++;
    }
  }
  return { kind: 'string', start, end: at + 1, value, text: source.slice(start, at + 1) };
}

/** Reads the text of a template literal from `from` to its next hole or its end. */
export function readTemplateText(
  source: string,
  from: number,
): { value: string; end: number; hole: boolean } {
  let value = '';
  let at = from;
  for (;;) {
    const char = source.charAt(at);
    if (char === '') return refuse('The text that begins with a backquote is not closed.', from - 1);
    if (char === '`') return { value, end: at + 1, hole: false };
    if (char === '$' && source.charAt(at + 1) === '{') return { value, end: at + 2, hole: true };
    if (char === '\\') {
      const escape = readEscape(source, at);
      value += escape.value;
      at = escape.end;
      continue;
    }
    if (char === '\r') {
      // A template literal has \n for every line break, whatever the file uses.
      value += '\n';
      at += source.charAt(at + 1) === '\n' ? 2 : 1;
      continue;
    }
    value += char;
    at++;
  }
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['`', '`'],
  ['$', '$'],
  ['{', '{'],
  ['}', '}'],
  ['/', '/'],
]);

const codeEscape = /x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|0(?![0-9])/y;

function readEscape(source: string, backslash: number): { value: string; end: number } {
  const char = source.charAt(backslash + 1);
  const simple = simpleEscapes.get(char);
  if (simple !== undefined) return { value: simple, end: backslash + 2 };
  codeEscape.lastIndex = backslash + 1;
  const match = codeEscape.exec(source);
  const code = match ? Number.parseInt(match.slice(1).find(Boolean) ?? '0', 16) : 0;
  if (match && code <= 0x10ffff) {
    // \uXXXX may be half of a surrogate pair, which fromCodePoint keeps.
    return { value: String.fromCodePoint(code), end: backslash + 1 + match[0].length };
  }
  // JavaScript would silently drop the backslash, which breaks patterns such as "\d".
  return refuse(`\`\\${char}\` means nothing in a text; write \`\\\\${char}\` for a backslash.`, backslash);
}
