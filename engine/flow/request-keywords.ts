import { isRecord } from '#shared/json.ts';
/** Most values that an `enum` may list. */
export const MAX_ENUM = 1000;

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** What is wrong with a keyword's value, as the end of a sentence; `root` is the whole schema. */
type Judge = (value: unknown, root: unknown) => string | undefined;

const anything: Judge = () => undefined;
const text: Judge = (value) => (typeof value === 'string' ? undefined : 'must be a text');
const flag: Judge = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const number: Judge = (value) => (typeof value === 'number' ? undefined : 'must be a number');
const positive: Judge = (value) =>
  typeof value === 'number' && value > 0 ? undefined : 'must be a number above 0';
const count: Judge = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'must be a whole number, 0 or above';
const names: Judge = (value) => (isDistinctTexts(value) ? undefined : 'must be a list of names, each once');
const localRef: Judge = (value, root) =>
  resolveRef(root, value) === undefined
    ? 'must point to a schema in this one, such as #/$defs/item'
    : undefined;

const type: Judge = (value) => {
  const types: unknown = Array.isArray(value) ? value : [value];
  const known = isDistinctTexts(types) && types.length > 0 && types.every((name) => TYPES.includes(name));
  return known ? undefined : `must be one of ${TYPES.join(', ')}, or a list of these`;
};

const choice: Judge = (value) => {
  if (!Array.isArray(value) || value.length === 0) return 'must be a list with at least one value';
  return value.length > MAX_ENUM ? `has more than ${MAX_ENUM} values` : undefined;
};

const namesByName: Judge = (value) =>
  isRecord(value) && Object.values(value).every(isDistinctTexts)
    ? undefined
    : 'must be an object of lists of names';

export const pattern: Judge = (value) => {
  if (typeof value !== 'string') return 'must be a text';
  try {
    new RegExp(value);
    return undefined;
  } catch {
    return 'is not a regular expression';
  }
};

/** The keywords that hold plain values. */
export const plainKeywords: ReadonlyMap<string, Judge> = new Map([
  ...entries(type, 'type'),
  ...entries(choice, 'enum'),
  ...entries(pattern, 'pattern'),
  ...entries(localRef, '$ref'),
  ...entries(names, 'required'),
  ...entries(namesByName, 'dependentRequired'),
  ...entries(positive, 'multipleOf'),
  ...entries(anything, 'const', 'default', 'examples'),
  ...entries(text, 'title', 'description', '$comment', '$schema', 'format'),
  ...entries(number, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
  ...entries(count, 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'),
  // Keywords of files.
  ...entries(names, 'accept'),
  ...entries(count, 'maxBytes'),
  ...entries(flag, 'uniqueItems', 'nullable', 'readOnly', 'writeOnly', 'deprecated'),
]);

function entries(judge: Judge, ...keywords: string[]): [string, Judge][] {
  return keywords.map((keyword) => [keyword, judge]);
}

function isDistinctTexts(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string') &&
    new Set(value).size === value.length
  );
}

/** The schema that a reference such as `#/$defs/item` points to; undefined if it points nowhere or out of the schema. */
export function resolveRef(root: unknown, ref: unknown): object | boolean | undefined {
  if (typeof ref !== 'string' || !/^#(\/|$)/.test(ref)) return undefined;
  let at = root;
  for (const part of ref.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return isRecord(at) || typeof at === 'boolean' ? at : undefined;
}

/** Keywords whose schemas apply to the same value, not to a part of it. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

/**
 * Whether following references from `schema` leads back to it at the same value, as `{ "$ref": "#" }` does: a validator
 * would never end.
 */
export function refersToItself(root: unknown, schema: object): boolean {
  const seen = new Set<unknown>();
  const queue = inPlace(root, schema);
  for (const next of queue) {
    if (next === schema) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    queue.push(...inPlace(root, next));
  }
  return false;
}

function inPlace(root: unknown, schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const record = schema as Record<string, unknown>;
  const target = resolveRef(root, record['$ref']);
  return [...IN_PLACE.flatMap((key) => record[key] ?? []), ...(target === undefined ? [] : [target])];
}
