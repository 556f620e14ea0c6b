import type { JsonSchema } from '#shared/json.ts';
import { isRecord } from './request-keywords.ts';

const DESCRIPTIVE = new Set([
  'type',
  'default',
  'description',
  'title',
  'examples',
  'widget',
  'weft',
  '$schema',
]);

/** What a dynamic value must be at a place of the params schema: anything, text (which it is made), or what the schema takes. */
export function leafKind(schema: JsonSchema | undefined): 'any' | 'text' | 'typed' {
  if (schema === undefined || typeof schema !== 'object') return 'any';
  const constraints = Object.keys(schema).filter((key) => !DESCRIPTIVE.has(key));
  if (constraints.length > 0) return 'typed';
  if (schema['type'] === undefined) return 'any';
  return schema['type'] === 'string' ? 'text' : 'typed';
}

/** The schema of a field, of its own or of any; undefined where none says anything. */
export function fieldSchema(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  const properties = schema?.['properties'];
  if (isRecord(properties) && Object.hasOwn(properties, key)) return properties[key] as JsonSchema;
  return schema?.['additionalProperties'] as JsonSchema | undefined;
}
