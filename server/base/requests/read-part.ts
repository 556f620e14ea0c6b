import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import { isLongerJson } from '#shared/json-length.ts';
import { invalidRequest, type RequestProblem, ServiceError } from '../errors/errors.ts';
import { type Broken, describe } from './problem-texts.ts';

type Part = 'body' | 'query' | 'path';
type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/**
 * Placeholders for the message of an issue whose schema has no message of its own; zod describes integers only as
 * numbers.
 */
const NO_WORDS = '\0';
const NO_INTEGER = '\0integer';
const MAX_PROBLEMS = 50;
/** Longer objects and texts are not sent back, because each problem would show them. */
const SHOWN_OBJECT = 8 * 1024;
const SHOWN_TEXT = 1000;

/**
 * Parses a part of a request by its schema; throws `invalid_request` with all problems in `detail`, in the words of
 * triggers. A schema's own messages take precedence.
 */
export function readPart<S extends z.ZodType>(schema: S, value: unknown, part: Part): z.output<S> {
  const result = schema.safeParse(value, { error: wordless });
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => problemsOf(issue, [], { value, part }));
  const shown = problems.slice(0, MAX_PROBLEMS);
  throw invalidRequest(shown, String(shown[0]?.loc[1] ?? part));
}

function wordless({ inst, schema }: z.core.$ZodRawIssue & { schema?: unknown }): string {
  return [inst, schema].some((one) => isInteger(one as Defined | undefined)) ? NO_INTEGER : NO_WORDS;
}

/** The marks by which a schema, or a check of one, is about integers. */
interface Defined {
  readonly _zod?: { readonly def?: { readonly format?: unknown; readonly checks?: readonly Defined[] } };
}

function isInteger(one: Defined | undefined): boolean {
  const { format, checks = [] } = one?._zod?.def ?? {};
  return format === 'safeint' || checks.some(isInteger);
}

function wordsOf({ message }: Issue): string | undefined {
  return message.startsWith(NO_WORDS) ? undefined : message;
}

interface Read {
  readonly value: unknown;
  readonly part: Part;
}

function problemsOf(issue: Issue, around: Path, read: Read): RequestProblem[] {
  const path = [...around, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.flatMap((key) =>
      written({ keyword: 'additionalProperties', params: {} }, [...path, key], read),
    );
  if (issue.code === 'invalid_union' && wordsOf(issue) === undefined) {
    const branches = issue.errors.flatMap((issues) => issues.flatMap((one) => problemsOf(one, path, read)));
    if (branches.length > 0) return distinct(branches);
  }
  return written(brokenOf(issue, valueAt(read.value, path)), path, read, wordsOf(issue));
}

/** If branches find the same problem, only one reports it. */
function distinct(problems: readonly RequestProblem[]): RequestProblem[] {
  return [...new Map(problems.map((one) => [`${one.loc.join('.')} ${one.type}`, one])).values()];
}

function written(broken: Broken, path: Path, { value, part }: Read, own?: string): RequestProblem[] {
  const at = valueAt(value, path);
  const isMissing = broken.keyword === 'required';
  const input = isMissing && part === 'body' ? valueAt(value, path.slice(0, -1)) : at;
  const loc = [part, ...path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
  return describe(broken, at).map(({ type, msg, ctx }) => ({
    type,
    loc,
    msg: isMissing ? msg : (own ?? msg),
    input: shown(input),
    ...(ctx && own === undefined && { ctx }),
  }));
}

/** An issue as the validator of triggers would report it. */
function brokenOf(issue: Issue, input: unknown): Broken {
  const isMissing = input === undefined && issue.code !== 'custom';
  return isMissing ? { keyword: 'required', params: {} } : refusedBy(issue);
}

function refusedBy(issue: Issue): Broken {
  switch (issue.code) {
    case 'invalid_type':
      return typeBroken(issue.message === NO_INTEGER ? 'int' : issue.expected);
    case 'too_small':
      return sizeBroken('Minimum', issue, issue.minimum);
    case 'too_big':
      return sizeBroken('Maximum', issue, issue.maximum);
    case 'not_multiple_of':
      return { keyword: 'multipleOf', params: { multipleOf: issue.divisor } };
    case 'invalid_value':
      return { keyword: 'enum', params: { allowedValues: issue.values } };
    case 'invalid_format':
      return formatBroken(issue.format, issue.pattern);
    default:
      return { keyword: issue.code, params: {}, message: wordsOf(issue) ?? 'not accepted' };
  }
}

const TYPES: Readonly<Record<string, string>> = {
  int: 'integer',
  record: 'object',
  map: 'object',
  tuple: 'array',
  set: 'array',
};

function typeBroken(expected: string): Broken {
  const type = TYPES[expected] ?? expected;
  const parentSchema = expected === 'object' ? { properties: {} } : {};
  return { keyword: 'type', params: { type }, parentSchema };
}

const COUNTED: Readonly<Record<string, string>> = {
  string: 'Length',
  array: 'Items',
  set: 'Items',
  map: 'Properties',
};

function sizeBroken(
  side: 'Minimum' | 'Maximum',
  { origin, inclusive = true }: { readonly origin: string; readonly inclusive?: boolean | undefined },
  limit: number | bigint,
): Broken {
  const counted = COUNTED[origin];
  const bound = inclusive ? side.toLowerCase() : `exclusive${side}`;
  const keyword = counted === undefined ? bound : `${side.slice(0, 3).toLowerCase()}${counted}`;
  return { keyword, params: { limit } };
}

const FORMATS: Readonly<Record<string, string>> = { url: 'uri', guid: 'uuid', datetime: 'date-time' };

function formatBroken(format: string, pattern: string | undefined): Broken {
  if (format === 'regex' && pattern !== undefined)
    return { keyword: 'pattern', params: { pattern: pattern.replace(/^\/(.*)\/[a-z]*$/s, '$1') } };
  return { keyword: 'format', params: { format: FORMATS[format] ?? format } };
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}

function shown(input: unknown): unknown {
  if (typeof input === 'string') return input.length > SHOWN_TEXT ? `${input.slice(0, SHOWN_TEXT)}…` : input;
  if (typeof input === 'number') return Number.isFinite(input) ? input : null;
  if (typeof input !== 'object') return typeof input === 'boolean' ? input : null;
  return isLongerJson(input, SHOWN_OBJECT) ? null : input;
}

/** The `Idempotency-Key` of a request, if it has one. Throws `idempotency_key_invalid`. */
export function idempotencyKeyOf({ headers }: { readonly headers: IncomingHttpHeaders }): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw new ServiceError('idempotency_key_invalid');
}
