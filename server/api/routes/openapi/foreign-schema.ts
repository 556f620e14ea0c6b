import { FILE_FORMAT } from '#shared/file.ts';
import { asSchema } from '#shared/json-schema.ts';
import type { JsonSchema } from '#shared/json.ts';

/** Keywords whose values are data and contain no references. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples']);
/** Keywords that name a schema or its dialect; inside the document, the document decides both. */
const NAMES: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
  '$recursiveAnchor',
]);
/** Keywords whose keys are names that the author chose. */
const BY_NAME: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const MAX_DEPTH = 100;

/**
 * A schema that a flow's author wrote, for `place` (a pointer like `#/components/schemas/x`) in a document: references
 * into the schema itself point there. All other references are omitted, so that no reader of the document fetches them.
 */
export function foreignSchema(schema: JsonSchema, place: string): JsonSchema {
  return schemaAt(schema, place, 0) as JsonSchema;
}

function schemaAt(value: unknown, place: string, depth: number): unknown {
  if (Array.isArray(value)) return value.map((one) => schemaAt(one, place, depth + 1));
  const schema = asSchema(value);
  if (schema === undefined) return value;
  if (depth > MAX_DEPTH) return {};
  if (schema['format'] === FILE_FORMAT) return fileSchema(schema);
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, inner]) => keyword(key, inner, place, depth)),
  );
}

/** How OpenAPI describes a file in a form. */
function fileSchema({ description, title }: JsonSchema): JsonSchema {
  return {
    type: 'string',
    format: 'binary',
    ...Object.fromEntries(Object.entries({ title, description }).filter(([, text]) => text !== undefined)),
  };
}

function keyword(key: string, value: unknown, place: string, depth: number): [string, unknown][] {
  if (NAMES.has(key) && typeof value === 'string') return [];
  if (DATA.has(key)) return [[key, value]];
  if (key === '$ref' || key === '$dynamicRef') return reference(value, place);
  if (BY_NAME.has(key)) return [[key, byName(value, place, depth + 1)]];
  return [[key, schemaAt(value, place, depth + 1)]];
}

function reference(value: unknown, place: string): [string, string][] {
  if (typeof value !== 'string' || !(value === '#' || value.startsWith('#/'))) return [];
  return [['$ref', place + value.slice(1)]];
}

function byName(value: unknown, place: string, depth: number): unknown {
  const schemas = Object.entries(asSchema(value) ?? {});
  return Object.fromEntries(schemas.map(([name, inner]) => [name, schemaAt(inner, place, depth + 1)]));
}
