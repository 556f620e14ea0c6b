import type { JsonSchema } from '#shared/json.ts';
import { recordOf } from './schema-shapes.ts';

/**
 * Converts the JSON Schema of a request to a list of fields and back. Only visible parts change; keywords that the list does
 * not show (`minLength`, `pattern`, …) stay. A schema that is more than an object of plain fields is edited as JSON.
 */
export const REQUEST_TYPES = [
  'string',
  'integer',
  'number',
  'boolean',
  'array',
  'object',
  'file',
  'any',
] as const;
/** `file`: an object of the format `file`; `any`: the schema says no type. */
export type RequestType = (typeof REQUEST_TYPES)[number];

/** A field of a request as a row of the list. */
export interface RequestField {
  readonly name: string;
  readonly type: RequestType;
  readonly required: boolean;
  /** Undefined for none. */
  readonly defaultValue: unknown;
  /** Empty for none. */
  readonly description: string;
  /** The field's schema as in the file. */
  readonly schema: JsonSchema;
}

const LISTED = new Set([
  'type',
  'properties',
  'required',
  'description',
  'title',
  '$schema',
  'additionalProperties',
]);

/** The fields; undefined if the schema has more than a list of fields can show. */
export function requestFields(schema: unknown): RequestField[] | undefined {
  const record = schema === undefined ? {} : recordOf(schema);
  if (!record || (record['type'] !== undefined && record['type'] !== 'object')) return undefined;
  if (Object.keys(record).some((key) => !LISTED.has(key))) return undefined;
  const properties = record['properties'] === undefined ? {} : recordOf(record['properties']);
  const required: unknown = record['required'] ?? [];
  if (!properties || !Array.isArray(required)) return undefined;
  const fields = Object.entries(properties).map(([name, property]) => requestField(name, property, required));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function requestField(
  name: string,
  property: unknown,
  required: readonly unknown[],
): RequestField | undefined {
  const schema = recordOf(property);
  const type = schema?.['format'] === 'file' ? 'file' : (schema?.['type'] ?? 'any');
  if (!schema || !REQUEST_TYPES.includes(type as RequestType)) return undefined;
  return {
    name,
    type: type as RequestType,
    required: required.includes(name),
    defaultValue: schema['default'],
    description: typeof schema['description'] === 'string' ? schema['description'] : '',
    schema,
  };
}

/** Keywords of one type that have no meaning for another. */
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'enum'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'enum'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'enum'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties'],
  file: ['format'],
};

/** The schema with these fields in place of its own. */
export function withRequestFields(schema: unknown, fields: readonly RequestField[]): JsonSchema {
  const { properties: _, required: __, ...rest } = recordOf(schema) ?? {};
  const required = fields.filter((field) => field.required).map((field) => field.name);
  return {
    ...rest,
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
  };
}

function fieldSchema({ type, description, defaultValue, schema }: RequestField): JsonSchema {
  const { type: written, description: _, default: __, ...rest } = schema;
  const before = schema['format'] === 'file' ? 'file' : written;
  const stale = before === type || before === undefined ? [] : (OF_TYPE[before as RequestType] ?? []);
  const kept = Object.entries(rest).filter(([key]) => !stale.includes(key));
  return {
    ...(type === 'file' ? { type: 'object', format: 'file' } : type !== 'any' && { type }),
    ...Object.fromEntries(kept),
    ...(defaultValue !== undefined && { default: defaultValue }),
    ...(description !== '' && { description }),
  };
}

/** Words by which fields of one type are called nearly everywhere; a verb says more than what comes behind it: `has_file`. */
const TYPE_WORDS: Readonly<Partial<Record<RequestType, readonly string[]>>> = {
  boolean: ['is', 'has', 'enabled', 'active', 'confirmed', 'accepted', 'agree'],
  number: [
    'amount',
    'price',
    'total',
    'sum',
    'cost',
    'count',
    'quantity',
    'qty',
    'age',
    'score',
    'rate',
    'weight',
    'temperature',
    'limit',
    'percent',
    'percentage',
  ],
  array: ['items', 'list', 'tags'],
  file: ['file', 'attachment', 'upload', 'photo', 'pdf'],
};

/** The type that a new field of this name most likely has; a text where the name does not say. */
export function typeByName(name: string): RequestType {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);
  const said = Object.entries(TYPE_WORDS).find(([type, known]) => {
    // What a boolean is about comes behind its verb, in other names last: `total_price`, `price_text`.
    const word = type === 'boolean' && words.length > 1 ? words[0] : words.at(-1);
    return word !== undefined && known.includes(word);
  });
  return (said?.[0] as RequestType | undefined) ?? 'string';
}

/** A field under another name. Its type follows the name as long as nobody has set it, nor what goes with it. */
export function renamedField(field: RequestField, name: string): RequestField {
  const { type, defaultValue, schema } = field;
  const { type: _, format, ...more } = schema;
  const isBare = (format === undefined || type === 'file') && Object.keys(more).length === 0;
  const follows = isBare && defaultValue === undefined && type === typeByName(field.name);
  return { ...field, name, ...(follows && { type: typeByName(name) }) };
}

/** A name that no field has yet. */
export function freshFieldName(fields: readonly RequestField[]): string {
  const taken = new Set(fields.map((field) => field.name));
  for (let n = 1; ; n++)
    if (!taken.has(n === 1 ? 'field' : `field_${n}`)) return n === 1 ? 'field' : `field_${n}`;
}
