import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { lostNumbers, lostNumbersAsTexts, lostNumberText } from '#shared/lost-digits.ts';
import { MAX_JSON_DEPTH } from '#shared/flow.ts';
import { WeftError } from '../base/operator.ts';
import { MAX_TEXT } from './_limits.ts';

/**
 * Parses a JSON text. Whole numbers that would lose digits become texts if `onLong`, which is called with the first,
 * returns.
 * @throws WeftError `bad_input` (not a text, not JSON with the position of the error, or such a number), `too_deep`,
 * `value_too_large`.
 */
export function readJson(text: unknown, onLong: (first: string) => void = refuseLong): unknown {
  if (typeof text !== 'string') throw new WeftError('bad_input', 'The input is not a text.');
  if (text.length > MAX_TEXT)
    throw new WeftError('value_too_large', `The text is longer than ${MAX_TEXT} characters.`);
  if (isDeeperThan(MAX_JSON_DEPTH, text)) {
    throw new WeftError('too_deep', `The JSON is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw notJson(json);
  }
  const lost = [...lostNumbers(json)];
  const [first] = lost;
  if (first === undefined) return value;
  onLong(lostNumberText(first));
  return JSON.parse(lostNumbersAsTexts(json, lost)) as unknown;
}

function refuseLong(first: string): never {
  const remedy = 'write it as a text, or set `longNumbers` to `text`';
  throw new WeftError('bad_input', `The JSON has ${first}: ${remedy}.`);
}

/** Counts brackets outside strings, before any recursive code sees the text. */
function isDeeperThan(limit: number, text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) at = stringEnd(text, at);
    else if (char === 0x5b || char === 0x7b) depth++;
    else if (char === 0x5d || char === 0x7d) depth--;
    if (depth > limit) return true;
  }
  return false;
}

/** Index of the closing quote. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at;
}

/** JSON.parse does not always report the position of an error, so another parser finds the first one. */
function notJson(text: string): WeftError {
  const fault = firstFault(text);
  if (!fault) return new WeftError('bad_input', 'The text is not valid JSON.');
  const before = text.slice(0, fault.offset).split('\n');
  const line = before.length;
  const column = (before.at(-1) ?? '').length + 1;
  const what = printParseErrorCode(fault.error);
  return new WeftError(
    'bad_input',
    `The text is not valid JSON: ${what} in line ${line}, column ${column}.`,
    {
      data: { offset: fault.offset, line, column },
    },
  );
}

function firstFault(text: string): { error: ParseErrorCode; offset: number } | undefined {
  let fault: { error: ParseErrorCode; offset: number } | undefined;
  const onError = (error: ParseErrorCode, offset: number): void => {
    fault = { error, offset };
    // Throwing is the only way to stop the visit: a badly broken text would report millions of errors.
    throw new Error('found');
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch {
    return fault;
  }
  return undefined;
}
