import { type CodeCall, WeftError, writeJson } from '#engine';
import { isStream } from '#shared/json.ts';
import { limits } from './limits.ts';
import { isPlainJson } from './plain-json.ts';
import type { PreparedCode } from './prepare.ts';

const CONTEXT_FIELDS = ['trigger', 'vars', 'item', 'index', 'attempt', 'idempotencyKey'] as const;

/**
 * The data that a call sends: the input, and the parts of its context that the code reads. Throws what `writeJson`
 * does.
 */
export function payloadOf(code: PreparedCode, { input, context, simulated }: CodeCall): string {
  const world = simulated ? `,"simulated":${JSON.stringify(simulated)}` : '';
  const ctx = (code.usesContext ? `,"ctx":${contextText(code, context)}` : '') + world;
  if (isStream(input)) return `{"streamed":true${ctx}}`;
  const text = jsonText(input);
  return text === '' ? `{"streamed":false${ctx}}` : `{"input":${text}${ctx}}`;
}

function contextText({ contextFields }: PreparedCode, context: CodeCall['context']): string {
  const read = CONTEXT_FIELDS.filter((name) => contextFields === undefined || contextFields.has(name));
  const entries = read.map((name) => [name, context[name]] as const);
  return jsonText(Object.fromEntries(entries.filter(([, value]) => value !== undefined)));
}

/** JSON for the code's side; empty for `undefined`. */
export function jsonText(value: unknown): string {
  const text = value === undefined ? '' : isPlainJson(value) ? JSON.stringify(value) : writeJson(value);
  if (text.length <= limits.input) return text;
  const message = `The input of the code is ${text.length} characters of JSON; at most ${limits.input} are accepted.`;
  throw new WeftError('value_too_large', message);
}

/** A result as the code returned it. Throws `code_failed` for invalid JSON or too deep nesting. */
export function parseResult(text: string): unknown {
  if (isTooDeep(text)) {
    throw new WeftError(
      'code_failed',
      `The code gave a value that is nested deeper than ${limits.depth} levels.`,
    );
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new WeftError('code_failed', 'The code gave what is no JSON value.');
  }
}

/** Whether brackets are nested more than 200 deep; those inside texts are excluded only when that matters. */
function isTooDeep(text: string): boolean {
  if (text.length <= limits.depth) return false;
  let depth = 0;
  let inText = false;
  for (let i = 0; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (inText) {
      if (sign === BACKSLASH) i++;
      else if (sign === QUOTE) inText = false;
    } else if (sign === QUOTE) inText = true;
    else if (sign === OPEN_LIST || sign === OPEN_OBJECT) {
      if (++depth > limits.depth) return true;
    } else if (sign === CLOSE_LIST || sign === CLOSE_OBJECT) depth--;
  }
  return false;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
