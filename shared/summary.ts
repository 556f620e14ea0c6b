import type { OperatorInfo } from './catalog.ts';
import type { FlowNode } from './flow.ts';
import { isRecord } from './json.ts';
import { type SummaryFormat, formats, MAX_PART, words } from './summary-formats.ts';

/**
 * The one line that says what a node does, such as `GET api.example.com/users`. Operators declare it as a pattern:
 *
 * - `{path}` is a param, `{auth.type}` a field of one; `{cron|cron}` writes it in a format of `summary-formats.ts`,
 * - `{cases: {when} → {name}}` writes each element of a list so, with its fields,
 * - `[ · {model}]` is left out if a param in it is empty; if one outside of brackets is, the node has nothing to sum up yet.
 *
 * Card, outline, search, command line and reference read the same line. Secrets never appear in it.
 */
export type SummaryNode = Pick<FlowNode, 'params'>;

const MAX_SUMMARY = 140;
/** So many elements of a list are written; of the others only the number. */
const MAX_ELEMENTS = 3;

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: readonly string[]; readonly format: SummaryFormat }
  | { readonly kind: 'list'; readonly path: readonly string[]; readonly of: readonly Part[] }
  | { readonly kind: 'optional'; readonly of: readonly Part[] };

const written = new WeakMap<SummaryNode, { readonly info: OperatorInfo; readonly text: string }>();

/** What a node does, in one line, after the service that does it; the first sentence about its operator while nothing is set. */
export function summaryOf(node: SummaryNode, info: OperatorInfo): string {
  const known = written.get(node);
  if (known?.info === info) return known.text;
  const does = write(node.params ?? {}, info) || firstSentence(info.doc);
  const text = info.service === undefined ? does : `${info.service.title} · ${does}`;
  // A draft of a change is the same object before and after it.
  if (Object.isFrozen(node)) written.set(node, { info, text });
  return text;
}

function write(params: Readonly<Record<string, unknown>>, info: OperatorInfo): string {
  if (info.summary === undefined) return '';
  const parts = patternOf(info.summary);
  const filled: string[] = [];
  const schemas = isRecord(info.params['properties']) ? info.params['properties'] : {};
  const { text, complete } = fill(parts, { values: params, schemas }, (value) => filled.push(value));
  const isEmpty = filled.length === 0 && parts.some(({ kind }) => kind !== 'text');
  if (!complete || isEmpty) return '';
  // A separator stays at an end where the part before or after it was left out.
  return cut(text.replaceAll(/\s+/g, ' ').replaceAll(/^[\s·,]+|[\s·,]+$/g, ''), MAX_SUMMARY);
}

interface Scope {
  readonly values: Readonly<Record<string, unknown>>;
  /** The schemas of these values, for their defaults. */
  readonly schemas: Readonly<Record<string, unknown>>;
}

/** `note` gets each value that was written. */
function fill(
  parts: readonly Part[],
  scope: Scope,
  note: (text: string) => void,
): { text: string; complete: boolean } {
  let [text, complete] = ['', true];
  for (const part of parts) {
    const piece = pieceOf(part, scope, note);
    if (piece === undefined) complete = false;
    else text += piece;
  }
  return { text, complete };
}

function pieceOf(part: Part, scope: Scope, note: (text: string) => void): string | undefined {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'optional') {
    const inner = fill(part.of, scope, () => undefined);
    if (!inner.complete) return '';
    note(inner.text);
    return inner.text;
  }
  const value = valueAt(scope, part.path);
  const text =
    part.kind === 'list' ? listText(value, part.of) : formats[part.format.name](value, part.format.of);
  if (text !== undefined) note(text);
  return text;
}

function listText(value: unknown, of: readonly Part[]): string | undefined {
  if (!Array.isArray(value)) return words(value);
  const rows = value.slice(0, MAX_ELEMENTS).flatMap((element) => {
    const values = isRecord(element) ? element : {};
    const { text } = fill(of, { values, schemas: {} }, () => undefined);
    return text.trim() === '' ? [] : [cut(text.trim(), MAX_PART)];
  });
  if (rows.length === 0) return undefined;
  const left = value.length - MAX_ELEMENTS;
  return left > 0 ? `${rows.join(', ')}, +${left}` : rows.join(', ');
}

/** The value of a param or of a field of one, or its default. */
function valueAt({ values, schemas }: Scope, [name = '', ...rest]: readonly string[]): unknown {
  const schema = Object.hasOwn(schemas, name) && isRecord(schemas[name]) ? schemas[name] : {};
  const value = Object.hasOwn(values, name) ? values[name] : schema['default'];
  if (rest.length === 0) return value;
  if (!isRecord(value)) return undefined;
  return valueAt(
    { values: value, schemas: isRecord(schema['properties']) ? schema['properties'] : {} },
    rest,
  );
}

function firstSentence(doc: string): string {
  return cut(/^[^]*?[.:](?=\s|$)/.exec(doc)?.[0].replace(/:$/, '.') ?? doc, MAX_SUMMARY).replaceAll('`', '');
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;
}

// ------------------------------------------------------------------------------------------------------ the pattern

const patterns = new Map<string, readonly Part[]>();

function patternOf(pattern: string): readonly Part[] {
  const known = patterns.get(pattern);
  if (known) return known;
  const parts = parsePattern(pattern);
  patterns.set(pattern, parts);
  return parts;
}

/** @throws Error that says what is wrong with the pattern. */
function parsePattern(pattern: string): readonly Part[] {
  const reader = { text: pattern, at: 0 };
  const parts = parseParts(reader, '');
  if (reader.at < pattern.length) throw new Error(`has a ${pattern[reader.at]} that nothing opens`);
  return parts;
}

interface Reader {
  readonly text: string;
  at: number;
}

function parseParts(reader: Reader, end: '' | ']' | '}'): Part[] {
  const parts: Part[] = [];
  while (reader.at < reader.text.length) {
    const next = reader.text[reader.at] as string;
    if (next === ']' || next === '}') return parts;
    if (next === '[') {
      reader.at += 1;
      parts.push({ kind: 'optional', of: parseParts(reader, ']') });
      expect(reader, ']');
    } else if (next === '{') parts.push(parseValue(reader));
    else parts.push({ kind: 'text', text: take(reader, /[^[\]{}]+/y) });
  }
  if (end !== '') throw new Error(`lacks a ${end}`);
  return parts;
}

function parseValue(reader: Reader): Part {
  reader.at += 1;
  const path = take(reader, /[\w-]+(?:\.[\w-]+)*/y).split('.');
  if (reader.text[reader.at] === ':') {
    reader.at += 1;
    const of = parseParts(reader, '}');
    expect(reader, '}');
    return { kind: 'list', path, of };
  }
  const [, name = 'words', of = ''] = /^\|([a-z]+)(?::(.*))?$/.exec(take(reader, /[^}]*/y)) ?? [];
  expect(reader, '}');
  if (!Object.hasOwn(formats, name)) throw new Error(`has an unknown format, ${name}`);
  return { kind: 'value', path, format: { name: name as SummaryFormat['name'], of } };
}

function take(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  if (found === undefined) throw new Error(`lacks the name of a param after {`);
  reader.at += found.length;
  return found;
}

function expect(reader: Reader, sign: string): void {
  if (reader.text[reader.at] !== sign) throw new Error(`lacks a ${sign}`);
  reader.at += 1;
}

/** What is wrong with the summary of an operator with these params; undefined if nothing is. */
export function summaryFault(pattern: string, params: readonly string[]): string | undefined {
  try {
    const unknown = namesIn(patternOf(pattern)).find((name) => !params.includes(name));
    return unknown === undefined ? undefined : `names ${JSON.stringify(unknown)}, which is not a param`;
  } catch (error) {
    return (error as Error).message;
  }
}

function namesIn(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    if (part.kind === 'text') return [];
    return part.kind === 'optional' ? namesIn(part.of) : [part.path[0] as string];
  });
}
