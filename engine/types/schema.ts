import { FILE_FORMAT } from '#shared/file.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import { resolveRef } from '../flow/request-keywords.ts';
import {
  ANY_ARRAY,
  ANY_OBJECT,
  arrayOf,
  BOOLEAN,
  type Field,
  FILE,
  INTEGER,
  isFile,
  isNever,
  makeType,
  NEVER,
  NULL,
  NUMBER,
  objectOf,
  STRING,
  type Type,
  union,
  unionOf,
  UNKNOWN,
} from './type.ts';

/** References beyond this depth are not followed. */
const MAX_HOPS = 12;
/** The type of a longer text is just text. */
const MAX_TEXT = 100;

/** The type of a JSON Schema. Keywords that only narrow it further (`pattern`, `minimum`, `not`) are ignored. */
export function fromSchema(schema: unknown, root: unknown = schema): Type {
  return read(schema, { root, depth: 0, filled: true });
}

/** The type of a value whose defaults are not filled in yet. */
export function fromSent(schema: unknown): Type {
  return read(schema, { root: schema, depth: 0, filled: false });
}

interface Place {
  readonly root: unknown;
  readonly depth: number;
  /** Fields with a default are present. */
  readonly filled: boolean;
}

function read(schema: unknown, at: Place): Type {
  if (schema === false) return NEVER;
  if (!isRecord(schema) || at.depth > MAX_HOPS) return UNKNOWN;
  const type = narrowest(schema, at);
  return schema['nullable'] === true ? union(type, NULL) : type;
}

function below(at: Place): Place {
  return { ...at, depth: at.depth + 1 };
}

function narrowest(schema: JsonSchema, at: Place): Type {
  const part = (inner: unknown) => read(inner, below(at));
  if (typeof schema['$ref'] === 'string') return part(resolveRef(at.root, schema['$ref']));
  if ('const' in schema) return typeOfJson(schema['const']);
  if (Array.isArray(schema['enum'])) return unionOf(schema['enum'].map(typeOfJson));
  const own = ofTypes(schema, at);
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const list = schema[key];
    if (!Array.isArray(list) || !own.any) continue;
    const found = key === 'allOf' ? list.map(part).find((type) => !type.any) : unionOf(list.map(part));
    if (found && !found.any) return key === 'allOf' ? opened(found) : found;
  }
  return Array.isArray(schema['allOf']) ? opened(own) : own;
}

/** If several schemas apply to one value, each may name more fields. */
function opened(type: Type): Type {
  if (!type.object || isNever(type.object.rest)) return type;
  return makeType({ ...type, object: { ...type.object, strict: false } });
}

function ofTypes(schema: JsonSchema, at: Place): Type {
  const names: unknown[] = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  return unionOf(names.map((name) => ofType(name, schema, at)));
}

function ofType(name: unknown, schema: JsonSchema, at: Place): Type {
  switch (name) {
    case 'string':
      return STRING;
    case 'number':
      return NUMBER;
    case 'integer':
      return INTEGER;
    case 'boolean':
      return BOOLEAN;
    case 'null':
      return NULL;
    case 'array':
      if (schema['items'] === undefined || schema['prefixItems'] !== undefined) return ANY_ARRAY;
      return arrayOf(read(schema['items'], below(at)));
    case 'object':
      return ofObject(schema, at);
    default:
      return UNKNOWN;
  }
}

function ofObject(schema: JsonSchema, at: Place): Type {
  if (schema['format'] === FILE_FORMAT) return FILE;
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = new Map(
    Object.entries(properties).map(([name, inner]): [string, Field] => [
      name,
      { type: read(inner, below(at)), required: isThere(inner, required.includes(name), at) },
    ]),
  );
  const rest = schema['additionalProperties'];
  const isOpen = schema['patternProperties'] !== undefined || fields.size === 0;
  if (rest === undefined && isOpen && fields.size === 0) return ANY_OBJECT;
  const type = schema['patternProperties'] ? UNKNOWN : read(rest, below(at));
  return makeType({ object: { fields, rest: type, strict: rest === undefined && !isOpen } });
}

/** A default is filled in before anybody reads the field, but the field need not be sent. */
function isThere(schema: unknown, isRequired: boolean, { root, filled }: Place): boolean {
  const target =
    isRecord(schema) && typeof schema['$ref'] === 'string' ? resolveRef(root, schema['$ref']) : schema;
  const hasDefault = [schema, target].some((one) => isRecord(one) && one['default'] !== undefined);
  return hasDefault ? filled : isRequired;
}

/** The type of a value in a flow file. */
export function typeOfJson(value: unknown): Type {
  switch (typeof value) {
    case 'string':
      return value.length > MAX_TEXT ? STRING : makeType({ string: [value] });
    case 'number':
      return makeType({ number: [value] });
    case 'boolean':
      return makeType({ boolean: [value] });
    case 'object':
      if (value === null) return NULL;
      if (Array.isArray(value)) return arrayOf(unionOf(value.map(typeOfJson)));
      return objectOf(Object.entries(value).map(([name, field]) => [name, typeOfJson(field)]));
    default:
      return UNKNOWN;
  }
}

/** A type as JSON Schema, which the editor shows and completes from. `fromSchema` reads it back. */
export function toSchema(type: Type): JsonSchema {
  if (type.any) return {};
  const parts = [...scalarSchemas(type), ...nestedSchemas(type)];
  const [first, second] = parts;
  if (!second) return first ?? { not: {} };
  const isPlain = (part: JsonSchema) => Object.keys(part).length === 1 && typeof part['type'] === 'string';
  return parts.every(isPlain) ? { type: parts.map((part) => part['type']) } : { anyOf: parts };
}

function scalarSchemas(type: Type): JsonSchema[] {
  const { string, number, boolean } = type;
  const parts: JsonSchema[] = [];
  if (string) parts.push({ type: 'string', ...(string !== true && { enum: string }) });
  if (Array.isArray(number)) parts.push({ type: numberWord(number), enum: number });
  else if (number) parts.push({ type: number });
  if (boolean) parts.push({ type: 'boolean', ...(boolean !== true && { enum: boolean }) });
  if (type.null) parts.push({ type: 'null' });
  return parts;
}

function numberWord(choices: readonly number[]): string {
  return choices.every((n) => Number.isInteger(n)) ? 'integer' : 'number';
}

function nestedSchemas({ array, object }: Type): JsonSchema[] {
  const parts: JsonSchema[] = [];
  if (array) parts.push({ type: 'array', ...(!array.any && { items: toSchema(array) }) });
  if (!object) return parts;
  const { fields, rest, strict } = object;
  const required = [...fields].filter(([, field]) => field.required).map(([name]) => name);
  const others = isNever(rest) ? false : rest.any ? true : toSchema(rest);
  const isPlain = fields.size === 0 && others === true;
  parts.push({
    type: 'object',
    ...(isFile(object) && { format: FILE_FORMAT }),
    ...(fields.size > 0 && {
      properties: Object.fromEntries([...fields].map(([name, field]) => [name, toSchema(field.type)])),
    }),
    ...(required.length > 0 && { required }),
    ...(!strict && !isPlain && { additionalProperties: others }),
  });
  return parts;
}

/** Whether two types are equal. */
export function isSameType(a: Type, b: Type): boolean {
  return a === b || JSON.stringify([toSchema(a), a.absent]) === JSON.stringify([toSchema(b), b.absent]);
}
