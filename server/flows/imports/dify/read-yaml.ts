import { parseDocument } from 'yaml';
import { MAX_JSON_DEPTH } from '#shared/flow.ts';

/** Files of Dify have some hundred kilobytes; the parser needs about a second for as many characters as this. */
export const MOST_CHARACTERS = 3_000_000;
/** How often values may be repeated by reference; files of Dify repeat none. */
const MOST_ALIASES = 100;
/** Values in all, those that are repeated counted each time. */
const MOST_VALUES = 500_000;

export type YamlRead =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** The value of a YAML text, as JSON has it. Never throws; a message says what is wrong and where. */
export function readYaml(text: string): YamlRead {
  if (text.length > MOST_CHARACTERS)
    return wrong(
      `The file has ${text.length} characters; at most ${MOST_CHARACTERS} are read. An export of one app is smaller.`,
    );
  const deep = deepPlace(text);
  if (deep !== undefined) return wrong(tooDeep(`line ${deep}`));
  try {
    const document = parseDocument(text, { logLevel: 'silent', prettyErrors: true, strict: false });
    const [error] = document.errors;
    if (error?.message.includes('call stack')) return wrong(tooDeep('brackets in brackets'));
    if (error) return wrong(`The file is no valid YAML: ${firstLine(error.message)}. Export the app again.`);
    return plain(document.toJS({ maxAliasCount: MOST_ALIASES }));
  } catch (error) {
    if (error instanceof RangeError) return wrong(tooDeep('somewhere'));
    return wrong(`The file is no valid YAML: ${firstLine(error instanceof Error ? error.message : '')}.`);
  }
}

const wrong = (message: string): YamlRead => ({ ok: false, message });
const tooDeep = (where: string): string =>
  `The file is nested deeper than ${MAX_JSON_DEPTH} levels (${where}), which no export of Dify is.`;
const firstLine = (message: string): string =>
  (message.split('\n')[0] ?? '').replace(/[.:]\s*$/, '').slice(0, 300);

/** The line at which brackets or indentation are deeper than any file of Dify; the parser calls itself for each level. */
function deepPlace(text: string): number | undefined {
  let line = 1;
  for (const one of text.split('\n')) {
    // Only what stands at the beginning of a line opens levels without anything between them.
    const opening = /^[\s\-?[{:]*/.exec(one)?.[0] ?? '';
    const levels = opening.replaceAll(/[^[{\-?]/g, '').length;
    if (levels > MAX_JSON_DEPTH || opening.length - opening.trimStart().length > 10 * MAX_JSON_DEPTH)
      return line;
    line += 1;
  }
  return undefined;
}

/** Copies the value as JSON: dates and numbers without a JSON form become texts, keys are texts. */
function plain(value: unknown): YamlRead {
  let count = 0;
  const copy = (given: unknown, depth: number): unknown => {
    count += 1;
    if (count > MOST_VALUES) throw new Error(`it has more than ${MOST_VALUES} values`);
    if (depth > MAX_JSON_DEPTH) throw new RangeError('too deep');
    if (Array.isArray(given)) return given.map((one) => copy(one, depth + 1));
    if (typeof given !== 'object' || given === null || given instanceof Date) return single(given);
    const entries: [unknown, unknown][] = given instanceof Map ? [...given] : Object.entries(given);
    return Object.fromEntries(entries.map(([key, one]) => [String(single(key)), copy(one, depth + 1)]));
  };
  return { ok: true, value: copy(value, 0) };
}

function single(value: unknown): string | number | boolean | null {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  return value === null || value === undefined ? null : JSON.stringify(value);
}
