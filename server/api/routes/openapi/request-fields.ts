import type { JsonSchema } from '#shared/json.ts';
import { defaultOf, propertiesOf, resolve } from '#shared/json-schema.ts';
import type { Endpoint } from '../../triggers/endpoint.ts';
import { foreignSchema } from './foreign-schema.ts';
import type { Parameter, RequestBody } from './openapi.ts';
import type { SchemaPool } from './schemas.ts';

/** The request schema in the document. */
export interface Fields {
  readonly whole: JsonSchema;
  readonly reference: JsonSchema;
  readonly of: ReadonlyMap<string, JsonSchema>;
  readonly required: ReadonlySet<string>;
}

export function requestFields(request: JsonSchema, name: string, pool: SchemaPool): Fields {
  const place = pool.add(name, (at) => foreignSchema(request, at));
  const properties = [...propertiesOf(request, request)];
  const root = resolve(request, request);
  const required = (Array.isArray(root['required']) ? root['required'] : []).map(String);
  const filled = new Set(properties.filter(([, one]) => defaultOf(one, request)).map(([field]) => field));
  return {
    whole: foreignSchema(request, place),
    reference: { $ref: place },
    of: new Map(properties.map(([field, schema]) => [field, foreignSchema(schema, place)])),
    required: new Set(required.filter((field) => !filled.has(field))),
  };
}

export function pathParameter(name: string, schema: JsonSchema = { type: 'string' }): Parameter {
  return { name, in: 'path', required: true, schema };
}

export function queryParameters(fields: Fields | undefined, params: readonly string[]): Parameter[] {
  if (fields === undefined) {
    const schema = { type: 'object', additionalProperties: { type: 'string' } };
    return [{ name: 'query', in: 'query', required: false, description: 'Any fields.', schema }];
  }
  return [...fields.of]
    .filter(([name]) => !params.includes(name))
    .map(([name, schema]) => ({ name, in: 'query', required: fields.required.has(name), schema }));
}

const mediaTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain',
  multipart: 'multipart/form-data',
  bytes: '*/*',
};

export function requestBody(
  { accept }: Endpoint,
  fields: Fields | undefined,
  params: readonly string[],
): RequestBody {
  const schema = fields && withoutFields(fields, params);
  return {
    required: fields !== undefined,
    content: Object.fromEntries(accept.map((kind) => [mediaTypes[kind] ?? kind, { schema: schema ?? {} }])),
  };
}

/** Fields that come from the path are not required in the body. */
function withoutFields({ whole, reference, of }: Fields, params: readonly string[]): JsonSchema {
  const required = whole['required'];
  if (!Array.isArray(required) || !params.some((name) => of.has(name))) return reference;
  return { ...whole, required: required.filter((name) => !params.includes(String(name))) };
}
