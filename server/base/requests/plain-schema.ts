import { FILE_FORMAT, handleOf } from '#shared/file.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import { asSchema } from '#shared/json-schema.ts';

/** Whether a value is plainly valid. False only means that the real validator has to check it. */
export type PlainCheck = (value: unknown) => boolean;

/**
 * A check for a schema of nothing but types, properties, items, choices and limits, as most are: enough to accept
 * a right value without loading and compiling a validator for all of JSON Schema. Undefined for any other schema,
 * including one that is malformed.
 */
export function plainCheck(schema: JsonSchema): PlainCheck | undefined {
  const checks: PlainCheck[] = [];
  for (const [keyword, argument] of Object.entries(schema)) {
    if (NOTES.has(keyword)) continue;
    const make = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
    const check = make?.(argument);
    if (check === undefined) return undefined;
    checks.push(check);
  }
  const [only] = checks;
  if (only && checks.length === 1) return only;
  return (value) => {
    for (const check of checks) if (!check(value)) return false;
    return true;
  };
}

/** Keywords without an effect on validity. A wrong one is harmless, because the flow's check has refused it. */
const NOTES = new Set(['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']);

/** Each makes its check, or undefined if the argument is malformed. */
const keywords: Readonly<Record<string, (argument: unknown) => PlainCheck | undefined>> = {
  type(types) {
    if (typeof types === 'string') return checkOfType(types);
    if (!isUniqueTexts(types) || types.length === 0) return undefined;
    const all = types.map(checkOfType);
    return all.every((check) => check !== undefined)
      ? (value) => all.some((check) => check(value))
      : undefined;
  },
  properties(given) {
    const fields: [string, PlainCheck][] = [];
    const schemas = asSchema(given);
    if (!schemas) return undefined;
    for (const [name, schema] of Object.entries(schemas)) {
      const check = plainSub(schema);
      if (check === undefined || name === '__proto__') return undefined;
      fields.push([name, check]);
    }
    return (value) => {
      if (!isRecord(value)) return true;
      for (const [name, check] of fields) if (has(value, name) && !check(value[name])) return false;
      return true;
    };
  },
  required(names) {
    if (!isUniqueTexts(names)) return undefined;
    return (value) => !isRecord(value) || names.every((name) => has(value, name));
  },
  items(schema) {
    const check = plainSub(schema);
    return check && ((value) => !Array.isArray(value) || value.every(check));
  },
  format: (name) => (name === FILE_FORMAT ? (value) => handleOf(value) !== undefined : undefined),
  enum(choices) {
    if (!Array.isArray(choices) || choices.length === 0 || choices.some(isComposite)) return undefined;
    const all = new Set<unknown>(choices);
    return all.size === choices.length ? (value) => all.has(value) : undefined;
  },
  additionalProperties: (allowed) => (allowed === true ? () => true : undefined),
  minimum: (limit) => ofNumbers(limit, (value, least) => value >= least),
  maximum: (limit) => ofNumbers(limit, (value, most) => value <= most),
  exclusiveMinimum: (limit) => ofNumbers(limit, (value, below) => value > below),
  exclusiveMaximum: (limit) => ofNumbers(limit, (value, above) => value < above),
  minLength: (limit) => ofLength(limit, 'string', (length, least) => length >= least),
  maxLength: (limit) => ofLength(limit, 'string', (length, most) => length <= most),
  minItems: (limit) => ofLength(limit, 'array', (length, least) => length >= least),
  maxItems: (limit) => ofLength(limit, 'array', (length, most) => length <= most),
};

function checkOfType(type: string): PlainCheck | undefined {
  switch (type) {
    case 'string':
    case 'boolean':
      return (value) => typeof value === type;
    case 'number':
      return Number.isFinite;
    case 'integer':
      return Number.isInteger;
    case 'null':
      return (value) => value === null;
    case 'array':
      return Array.isArray;
    case 'object':
      return isRecord;
    default:
      return undefined;
  }
}

function plainSub(schema: unknown): PlainCheck | undefined {
  const sub = asSchema(schema);
  return sub && plainCheck(sub);
}

function ofNumbers(
  limit: unknown,
  isWithin: (value: number, limit: number) => boolean,
): PlainCheck | undefined {
  if (typeof limit !== 'number' || !Number.isFinite(limit)) return undefined;
  return (value) => typeof value !== 'number' || isWithin(value, limit);
}

/** The length of a text in characters: a surrogate pair counts once. */
function ofLength(
  limit: unknown,
  kind: 'string' | 'array',
  isWithin: (length: number, limit: number) => boolean,
): PlainCheck | undefined {
  if (!Number.isSafeInteger(limit) || (limit as number) < 0) return undefined;
  const count = limit as number;
  return (value) => {
    if (kind === 'array') return !Array.isArray(value) || isWithin(value.length, count);
    if (typeof value !== 'string') return true;
    return isWithin(value.length, count) && (!PAIR.test(value) || isWithin(Array.from(value).length, count));
  };
}

const PAIR = /[\uD800-\uDFFF]/;

function has(object: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== undefined;
}

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isUniqueTexts(names: unknown): names is readonly string[] {
  return (
    Array.isArray(names) &&
    names.every((name) => typeof name === 'string') &&
    new Set(names).size === names.length
  );
}
