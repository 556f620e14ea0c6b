import type { Path } from './field-path.ts';
import { refersToItself, resolveRef } from './request-refs.ts';

/** What a request schema may measure: compiling a schema takes time, and many ways to write one are traps. */
export const REQUEST_SCHEMA_LIMITS = { nodes: 500, depth: 8, characters: 65_536, enum: 1000 } as const;

export interface SchemaFault {
  /** Inside the schema. */
  readonly path: Path;
  readonly message: string;
}

type Shape =
  | 'schema'
  | 'schemas'
  | 'list'
  | 'text'
  | 'number'
  | 'count'
  | 'boolean'
  | 'names'
  | 'any'
  | 'type'
  | 'enum'
  | 'ref';

/** The keywords that a request schema may use, with what each holds; everything else is refused, not passed over. */
const keywords: Readonly<Record<string, Shape>> = {
  ...{
    type: 'type',
    enum: 'enum',
    const: 'any',
    default: 'any',
    examples: 'any',
    $ref: 'ref',
    $defs: 'schemas',
  },
  ...{
    title: 'text',
    description: 'text',
    $comment: 'text',
    format: 'text',
    pattern: 'text',
    $schema: 'text',
  },
  ...{ properties: 'schemas', required: 'names', additionalProperties: 'schema', propertyNames: 'schema' },
  ...{
    patternProperties: 'schemas',
    minProperties: 'count',
    maxProperties: 'count',
    dependentRequired: 'any',
  },
  ...{
    items: 'schema',
    prefixItems: 'list',
    contains: 'schema',
    minItems: 'count',
    maxItems: 'count',
    uniqueItems: 'boolean',
  },
  ...{ minLength: 'count', maxLength: 'count', minimum: 'number', maximum: 'number', multipleOf: 'number' },
  ...{ exclusiveMinimum: 'number', exclusiveMaximum: 'number', nullable: 'boolean' },
  ...{
    anyOf: 'list',
    oneOf: 'list',
    allOf: 'list',
    not: 'schema',
    if: 'schema',
    then: 'schema',
    else: 'schema',
  },
  ...{ readOnly: 'boolean', writeOnly: 'boolean', deprecated: 'boolean' },
};

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const FORBIDDEN_NAMES = ['__proto__', 'constructor', 'prototype'];

/**
 * What is wrong with the JSON Schema of a trigger's request; empty when the server can compile it. The dialect is a part of
 * draft 2020-12 without remote references, custom keywords and names that lead from data to code.
 */
export function checkRequestSchema(schema: unknown): SchemaFault[] {
  const size = sizeFault(schema);
  if (size) return [size];
  const walk: Walk = { root: schema, faults: [], nodes: 0 };
  visitSchema(walk, schema, [], 1);
  if (walk.nodes > REQUEST_SCHEMA_LIMITS.nodes) {
    walk.faults.push({
      path: [],
      message: `The request schema has more than ${REQUEST_SCHEMA_LIMITS.nodes} schemas in it; make it simpler.`,
    });
  }
  return walk.faults;
}

function sizeFault(schema: unknown): SchemaFault | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return {
      path: [],
      message: 'The request schema must be an object, such as { "type": "object", "properties": {} }.',
    };
  }
  if (JSON.stringify(schema).length <= REQUEST_SCHEMA_LIMITS.characters) return undefined;
  return {
    path: [],
    message: `The request schema is longer than ${REQUEST_SCHEMA_LIMITS.characters} characters; make it shorter.`,
  };
}

interface Walk {
  readonly root: unknown;
  readonly faults: SchemaFault[];
  nodes: number;
}

function visitSchema(walk: Walk, schema: unknown, path: Path, depth: number): void {
  if (typeof schema === 'boolean') return;
  if (!isRecord(schema)) return fault(walk, path, 'must be a schema: an object, true or false');
  if (++walk.nodes > REQUEST_SCHEMA_LIMITS.nodes) return;
  if (depth > REQUEST_SCHEMA_LIMITS.depth)
    return fault(walk, path, `is nested deeper than ${REQUEST_SCHEMA_LIMITS.depth} schemas`);
  for (const [key, value] of Object.entries(schema)) {
    const shape = Object.hasOwn(keywords, key) ? keywords[key] : undefined;
    const at = [...path, key];
    if (shape === undefined) fault(walk, at, 'is no keyword that a request schema may use');
    else if (shape === 'schema') visitSchema(walk, value, at, depth + 1);
    else if (shape === 'schemas') visitNamed(walk, value, at, depth + 1, key);
    else if (shape === 'list') visitList(walk, value, at, depth + 1);
    else visitPlain(walk, shape, value, at);
  }
  if (schema['$ref'] !== undefined && refersToItself(walk.root, schema))
    fault(walk, [...path, '$ref'], 'leads back to itself');
  if (schema['pattern'] !== undefined) checkPattern(walk, schema['pattern'], [...path, 'pattern']);
}

function visitNamed(walk: Walk, value: unknown, path: Path, depth: number, keyword: string): void {
  if (!isRecord(value)) return fault(walk, path, 'must be an object of schemas');
  for (const [name, schema] of Object.entries(value)) {
    const at = [...path, name];
    if (FORBIDDEN_NAMES.includes(name)) fault(walk, at, 'is a name that a request may not have');
    if (keyword === 'patternProperties') checkPattern(walk, name, at);
    visitSchema(walk, schema, at, depth);
  }
}

function visitList(walk: Walk, value: unknown, path: Path, depth: number): void {
  if (!Array.isArray(value) || value.length === 0) return fault(walk, path, 'must be a list of schemas');
  value.forEach((schema, i) => visitSchema(walk, schema, [...path, i], depth));
}

function visitPlain(walk: Walk, shape: Shape, value: unknown, path: Path): void {
  const message = plainFault(walk.root, shape, value);
  if (message !== undefined) fault(walk, path, message);
}

function plainFault(root: unknown, shape: Shape, value: unknown): string | undefined {
  switch (shape) {
    case 'text':
      return typeof value === 'string' ? undefined : 'must be a text';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'number':
      return typeof value === 'number' ? undefined : 'must be a number';
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= 0
        ? undefined
        : 'must be a whole number from 0 on';
    case 'names':
      return isNameList(value) ? undefined : 'must be a list of names, each once';
    case 'type':
      return isType(value) ? undefined : `must be one of ${TYPES.join(', ')}, or a list of these`;
    case 'enum':
      return enumFault(value);
    case 'ref':
      return resolveRef(root, value) !== undefined
        ? undefined
        : 'must lead to a schema in this one, such as #/$defs/item';
    default:
      return undefined;
  }
}

function isNameList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string') &&
    new Set(value).size === value.length
  );
}

function isType(value: unknown): boolean {
  const types: unknown[] = Array.isArray(value) ? value : [value];
  return (
    types.length > 0 &&
    types.every((type) => TYPES.includes(type as string)) &&
    new Set(types).size === types.length
  );
}

function enumFault(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return 'must be a list with at least one value';
  return value.length > REQUEST_SCHEMA_LIMITS.enum
    ? `has more than ${REQUEST_SCHEMA_LIMITS.enum} values`
    : undefined;
}

function checkPattern(walk: Walk, pattern: unknown, path: Path): void {
  if (typeof pattern !== 'string') return;
  try {
    new RegExp(pattern);
  } catch {
    fault(walk, path, 'is no regular expression');
  }
}

function fault(walk: Walk, path: Path, what: string): void {
  const name = path.length === 0 ? 'The request schema' : `\`${path.join('.')}\` of the request schema`;
  walk.faults.push({ path, message: `${name} ${what}.` });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
