import type { JsonSchema } from '#shared/json.ts';
import { code, json } from './markdown.ts';

/** One field that a JSON Schema describes, however deep: `cases[].name`, `nodes.*.operator`. */
export interface Field {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly defaultValue: string;
  readonly doc: string;
}

/** All fields of an object schema in order, those of inner objects and lists of objects behind their own. */
export function fieldsOf(schema: JsonSchema, above = ''): Field[] {
  const required = (schema['required'] ?? []) as readonly string[];
  const own = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(
    ([name, field]) => {
      const path = above === '' ? name : `${above}.${name}`;
      return [describe(path, field, required.includes(name)), ...within(field, path)];
    },
  );
  return own;
}

function within(field: JsonSchema, path: string): Field[] {
  if (field['properties']) return fieldsOf(field, path);
  const choices = (field['anyOf'] ?? field['oneOf'] ?? []) as JsonSchema[];
  const variants = choices.filter((choice) => tagOf(choice) !== undefined);
  if (variants.length > 0) return variants.flatMap((variant) => variantFields(variant, path));
  const items = field['items'] as JsonSchema | undefined;
  if (items?.['properties']) return fieldsOf(items, `${path}[]`);
  const values = field['additionalProperties'] as JsonSchema | undefined;
  return values?.['properties'] ? fieldsOf(values, `${path}.*`) : [];
}

/** The fields of one of several sorts of object, without the one that tells them apart. */
function variantFields(variant: JsonSchema, path: string): Field[] {
  const [name, value] = tagOf(variant) ?? [];
  return fieldsOf(variant, path)
    .filter((field) => field.path !== `${path}.${name}`)
    .map((field) => ({ ...field, doc: `With ${code(`${name}: ${String(value)}`)}. ${field.doc}` }));
}

/** The field that is always the same, and says which sort of object it is. */
function tagOf(schema: JsonSchema): [name: string, value: unknown] | undefined {
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const tag = fields.find(([, field]) => field['const'] !== undefined);
  return tag && [tag[0], tag[1]['const']];
}

function describe(path: string, field: JsonSchema, required: boolean): Field {
  return {
    path,
    type: typeText(field),
    required,
    defaultValue: field['default'] === undefined ? '' : json(field['default']),
    doc: (field['description'] as string | undefined) ?? '',
  };
}

/** A schema in a few words: `text`, `whole number, 1 to 100`, `list of text`. */
export function typeText(schema: JsonSchema): string {
  if (schema['weft'] === 'lazy') return 'condition or value';
  if (schema['const'] !== undefined) return json(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map(json).join(' or ');
  const choices = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined;
  if (choices) return choices.map(typeText).join(' or ');
  switch (schema['type']) {
    case 'string':
      return `text${bounds(schema, 'minLength', 'maxLength', ' characters')}${pattern(schema)}`;
    case 'integer':
      return `whole number${bounds(schema, 'minimum', 'maximum')}`;
    case 'number':
      return `number${bounds(schema, 'minimum', 'maximum')}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `list${listOf(schema)}${bounds(schema, 'minItems', 'maxItems', ' items')}`;
    case 'object':
      return `object${tagText(schema)}${objectOf(schema)}`;
    default:
      return 'any value';
  }
}

function tagText(schema: JsonSchema): string {
  const tag = tagOf(schema);
  return tag ? ` with ${tag[0]}: ${json(tag[1])}` : '';
}

function listOf(schema: JsonSchema): string {
  const items = (schema['items'] ?? {}) as JsonSchema;
  return Object.keys(items).length === 0 ? '' : ` of ${typeText(items)}`;
}

function objectOf(schema: JsonSchema): string {
  const values = schema['additionalProperties'];
  if (
    schema['properties'] ||
    typeof values !== 'object' ||
    values === null ||
    Object.keys(values).length === 0
  )
    return '';
  return ` of ${typeText(values as JsonSchema)}, by name`;
}

function pattern(schema: JsonSchema): string {
  return typeof schema['pattern'] === 'string' ? ` like ${code(schema['pattern'])}` : '';
}

function bounds(schema: JsonSchema, low: string, high: string, unit = ''): string {
  const min = bound(schema[low]);
  const max = bound(schema[high]);
  if (min === undefined && max === undefined) return '';
  if (max === undefined) return `, at least ${min}${unit}`;
  return min === undefined ? `, at most ${max}${unit}` : `, ${min} to ${max}${unit}`;
}

/** zod writes the bounds of safe integers where a schema has none. */
function bound(value: unknown): number | undefined {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}
