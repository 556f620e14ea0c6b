import { isRecord } from '#shared/json.ts';
import type { Path } from './field-path.ts';
import { MAX_ENUM, pattern, plainKeywords, refersToItself } from './request-keywords.ts';

/** Limits of a request schema: the time to compile it grows with its size. */
export const REQUEST_SCHEMA_LIMITS = { nodes: 500, depth: 8, characters: 65_536, enum: MAX_ENUM } as const;

/** A part of a schema that the dialect does not have. */
export interface SchemaFault {
  /** Position inside the schema. */
  readonly path: Path;
  readonly message: string;
}

/** The keywords that hold schemas: one, a list of them, or an object of them. */
const schemaKeywords: ReadonlyMap<string, 'one' | 'list' | 'named'> = new Map([
  ...['additionalProperties', 'propertyNames', 'items', 'contains', 'not', 'if', 'then', 'else'].map(
    (key) => [key, 'one'] as const,
  ),
  ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].map((key) => [key, 'list'] as const),
  ...['properties', 'patternProperties', '$defs'].map((key) => [key, 'named'] as const),
]);

const FORBIDDEN_NAMES = ['__proto__', 'constructor', 'prototype'];

/**
 * What is wrong with the JSON Schema of a trigger's request; empty if the server can compile it. The dialect is a part of
 * draft 2020-12 without remote references, custom keywords and names that lead from data to code. Unknown keywords are
 * refused, not ignored.
 */
export function checkRequestSchema(schema: unknown): SchemaFault[] {
  const size = sizeFault(schema);
  if (size) return [{ path: [], message: `The request schema ${size}.` }];
  const walk: Walk = { root: schema, faults: [], nodes: 0 };
  visitSchema(walk, schema, [], 1);
  if (walk.nodes > REQUEST_SCHEMA_LIMITS.nodes) {
    fault(walk, [], `has more than ${REQUEST_SCHEMA_LIMITS.nodes} schemas in it; make it simpler`);
  }
  return walk.faults;
}

function sizeFault(schema: unknown): string | undefined {
  if (!isRecord(schema)) return 'must be an object, such as { "type": "object", "properties": {} }';
  const { characters } = REQUEST_SCHEMA_LIMITS;
  return JSON.stringify(schema).length > characters
    ? `is longer than ${characters} characters; make it shorter`
    : undefined;
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
  if (depth > REQUEST_SCHEMA_LIMITS.depth) {
    return fault(walk, path, `is nested deeper than ${REQUEST_SCHEMA_LIMITS.depth} schemas`);
  }
  for (const [keyword, value] of Object.entries(schema)) visitKeyword(walk, [...path, keyword], value, depth);
  if (Object.hasOwn(schema, '$ref') && refersToItself(walk.root, schema)) {
    fault(walk, [...path, '$ref'], 'refers to itself');
  }
}

function visitKeyword(walk: Walk, path: Path, value: unknown, depth: number): void {
  const keyword = String(path.at(-1));
  const judge = plainKeywords.get(keyword);
  if (judge) return report(walk, path, judge(value, walk.root));
  switch (schemaKeywords.get(keyword)) {
    case 'one':
      return visitSchema(walk, value, path, depth + 1);
    case 'list':
      if (!Array.isArray(value) || value.length === 0) return fault(walk, path, 'must be a list of schemas');
      return value.forEach((schema, i) => visitSchema(walk, schema, [...path, i], depth + 1));
    case 'named':
      return visitNamed(walk, path, value, depth + 1);
    case undefined:
      return fault(walk, path, 'is not a keyword that a request schema may use');
  }
}

function visitNamed(walk: Walk, path: Path, value: unknown, depth: number): void {
  if (!isRecord(value)) return fault(walk, path, 'must be an object of schemas');
  for (const [name, schema] of Object.entries(value)) {
    const at = [...path, name];
    if (FORBIDDEN_NAMES.includes(name)) fault(walk, at, 'is a name that a request may not have');
    if (path.at(-1) === 'patternProperties') report(walk, at, pattern(name, walk.root));
    visitSchema(walk, schema, at, depth);
  }
}

function report(walk: Walk, path: Path, what: string | undefined): void {
  if (what !== undefined) fault(walk, path, what);
}

function fault(walk: Walk, path: Path, what: string): void {
  const name = path.length === 0 ? 'The request schema' : `\`${path.join('.')}\` of the request schema`;
  walk.faults.push({ path, message: `${name} ${what}.` });
}
