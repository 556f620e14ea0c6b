import { isRecord, type JsonSchema } from './json.ts';

/** Reading JSON Schemas as data: for coercion, for the order of problems, and for examples. */

const NOTHING: JsonSchema = {};

/** The value, if it is an object; undefined otherwise. */
export function asSchema(value: unknown): JsonSchema | undefined {
  return isRecord(value) ? value : undefined;
}

/** The schema that a chain of local references leads to; an unknown or endless one is a schema without rules. */
export function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let at = schema;
  for (let hops = 0; hops < 100; hops++) {
    const ref = at['$ref'];
    if (typeof ref !== 'string') return at;
    at = pointed(ref, root) ?? NOTHING;
  }
  return NOTHING;
}

/** The types that a schema names; undefined when it names none. */
export function typesOf(schema: JsonSchema): readonly string[] | undefined {
  const type = schema['type'];
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((t): t is string => typeof t === 'string') : undefined;
}

/** The alternatives of a union: those of `anyOf` or `oneOf`, or one for each name in a list of types. */
export function alternatives(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] | undefined {
  const union = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(union)) return union.map((s) => resolve(asSchema(s) ?? NOTHING, root));
  const types = typesOf(schema);
  return types && types.length > 1 ? types.map((type) => ({ ...schema, type })) : undefined;
}

/** Declared properties in declaration order, those of `allOf` included. */
export function propertiesOf(schema: JsonSchema, root: JsonSchema): Map<string, JsonSchema> {
  const out = new Map<string, JsonSchema>();
  collectProperties(schema, root, out, 0);
  return out;
}

function collectProperties(
  schema: JsonSchema,
  root: JsonSchema,
  out: Map<string, JsonSchema>,
  depth: number,
): void {
  if (depth > 20) return;
  const resolved = resolve(schema, root);
  for (const [name, value] of Object.entries(asSchema(resolved['properties']) ?? NOTHING)) {
    if (!out.has(name)) out.set(name, asSchema(value) ?? NOTHING);
  }
  const all = resolved['allOf'];
  if (!Array.isArray(all)) return;
  for (const part of all) collectProperties(asSchema(part) ?? NOTHING, root, out, depth + 1);
}

/** What a missing value becomes, as a function that gives a fresh copy each time. */
export function defaultOf(schema: JsonSchema, root: JsonSchema): (() => unknown) | undefined {
  const value = 'default' in schema ? schema['default'] : resolve(schema, root)['default'];
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) return () => value;
  const text = JSON.stringify(value);
  return () => JSON.parse(text) as unknown;
}

function pointed(ref: string, root: JsonSchema): JsonSchema | undefined {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return asSchema(at);
}

/** The values of such a field are for whoever gets the request, and shown and kept nowhere. */
export function isHidden(schema: JsonSchema): boolean {
  return schema['format'] === 'password' || schema['writeOnly'] === true;
}

/** Whether anything in a schema is hidden; names in it count as schemas, so it may say yes too often. */
export function hidesAnything(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return (
    (!Array.isArray(schema) && isHidden(schema as JsonSchema)) || Object.values(schema).some(hidesAnything)
  );
}
