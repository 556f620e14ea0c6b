import type { JsonSchema } from '#shared/json.ts';
import { recordOf } from './schema-shapes.ts';

/** Deeper or recursive schemas get an empty value; a sample is for people. */
const MAX_DEPTH = 5;

interface Place {
  readonly root: JsonSchema;
  /** The field, which also makes a telling text. */
  readonly name: string;
  readonly depth: number;
}

/**
 * A value to try a request with: what the schema gives as default, example or choice, else something plain of the right type.
 * Of an object it has the required fields and those with a default. A pattern may still refuse it.
 */
export function sampleInput(schema: JsonSchema): unknown {
  return sampleOf(schema, { root: schema, name: 'text', depth: 0 });
}

function sampleOf(given: JsonSchema, place: Place): unknown {
  const schema = resolve(given, place.root);
  const [stated] = ['default', 'const', 'examples', 'enum'].flatMap((key) => statedValue(schema, key));
  if (stated) return structuredClone(stated.value);
  const inner = { ...place, depth: place.depth + 1 };
  const union = schema['anyOf'] ?? schema['oneOf'];
  const branch = Array.isArray(union)
    ? (union as JsonSchema[]).find(({ type }) => type !== 'null')
    : undefined;
  if (branch && place.depth < MAX_DEPTH) return sampleOf(branch, inner);
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, inner);
    case 'array':
      return sampleArray(schema, inner);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return sampleText(schema, place.name);
  }
}

function typeOf(schema: JsonSchema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return type[0];
  return type ?? (schema['properties'] || schema['allOf'] ? 'object' : undefined);
}

function statedValue(schema: JsonSchema, key: string): { value: unknown }[] {
  if (!(key in schema)) return [];
  const value = schema[key];
  if (key === 'default' || key === 'const') return [{ value }];
  return Array.isArray(value) && value.length > 0 ? [{ value: value[0] as unknown }] : [];
}

function sampleObject(schema: JsonSchema, place: Place): Record<string, unknown> {
  if (place.depth > MAX_DEPTH) return {};
  const parts = Array.isArray(schema['allOf']) ? (schema['allOf'] as JsonSchema[]) : [];
  const all = [schema, ...parts.map((part) => resolve(part, place.root))];
  const required = new Set(all.flatMap((part) => (Array.isArray(part['required']) ? part['required'] : [])));
  const fields = all.flatMap((part) => Object.entries(recordOf(part['properties']) ?? {}));
  const shown = fields.filter(
    ([name, property]) => required.has(name) || recordOf(property)?.['default'] !== undefined,
  );
  return Object.fromEntries(
    shown.map(([name, property]) => [name, sampleOf(recordOf(property) ?? {}, { ...place, name })]),
  );
}

function sampleArray(schema: JsonSchema, place: Place): unknown[] {
  if (place.depth > MAX_DEPTH) return [];
  const { minItems } = schema;
  const length = typeof minItems === 'number' ? Math.min(Math.max(minItems, 1), 10) : 1;
  return Array.from({ length }, () => sampleOf(recordOf(schema['items']) ?? {}, place));
}

/** The smallest that fits, or 1. */
function sampleNumber(schema: JsonSchema): number {
  const { minimum, exclusiveMinimum, maximum, multipleOf } = schema;
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return Math.floor(exclusiveMinimum) + 1;
  const low = typeof multipleOf === 'number' ? multipleOf : 1;
  return typeof maximum === 'number' ? Math.min(low, maximum) : low;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2025-01-31',
  'date-time': '2025-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  hostname: 'example.com',
};

function sampleText({ format, minLength, maxLength }: JsonSchema, name: string): string {
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  if (known !== undefined) return known;
  const text = name.padEnd(typeof minLength === 'number' ? Math.min(minLength, 1000) : 0, 'x');
  return typeof maxLength === 'number' ? text.slice(0, maxLength) : text;
}

/** The schema that a chain of local references leads to; an unknown or endless one is a schema without rules. */
function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let at = schema;
  for (let hops = 0; hops < 50; hops++) {
    const ref = at['$ref'];
    if (typeof ref !== 'string' || !ref.startsWith('#')) return at;
    const keys = ref.split('/').slice(1);
    const found = keys.reduce<unknown>(
      (value, key) => recordOf(value)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      root,
    );
    at = recordOf(found) ?? {};
  }
  return {};
}
