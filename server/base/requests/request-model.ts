import { isRecord, type JsonSchema } from '#shared/json.ts';
import { invalidRequest, ServiceError } from '../errors/errors.ts';
import { type Validator, validatorFor } from './ajv.ts';
import { elementCoercion, jsonCoercion, takesMany, textCoercion } from './coercion.ts';
import { type Checked, toProblems } from './problems.ts';
import { formFields, lastOf, pairsToObject, valuesOf } from './query-string.ts';
import { asSchema, defaultOf, propertiesOf, resolve } from '#shared/json-schema.ts';

/**
 * Applies a trigger's `request` schema to a request: coercion, defaults, then validation. All of it is prepared once;
 * the validator at the first request. Every function returns the value that the flow starts with, or throws
 * `invalid_request` (400) with all problems as `detail`.
 */
export interface RequestModel {
  /**
   * A query string or form, as names and values in turn. Undeclared params of a query are left out; undeclared fields of a form
   * are kept, like those of JSON, as texts, or as a list of texts if the field is repeated.
   */
  fromPairs(pairs: readonly string[], params: Params, place: 'query' | 'body', files?: FilesByField): unknown;
  /** A JSON body; undefined if there was none. `size` is the body's in bytes. */
  fromJson(value: unknown, params: Params, size: number): unknown;
  fromText(text: string): unknown;
}

/** The files of a form; those of a field that may not repeat come as one. */
export type FilesByField = ReadonlyMap<string, readonly unknown[]>;

export type Params = Readonly<Record<string, string>>;

/**
 * For larger bodies only the first problem is reported: collecting all costs memory and time in proportion to the
 * body.
 */
const ALL_PROBLEMS_SIZE = 64 * 1024;
const SHOWN_OBJECT_SIZE = 8 * 1024;

interface Field {
  readonly name: string;
  readonly inPath: boolean;
  readonly many: 'always' | 'when-repeated' | 'never';
  readonly coerce: ((text: string) => unknown) | undefined;
  readonly coerceElement: ((text: string) => unknown) | undefined;
  readonly fill: (() => unknown) | undefined;
}

/**
 * `pathNames`: params of the trigger's path; a field with such a name comes from there. `drops`: keep only the declared
 * fields of a body.
 */
export function createRequestModel(
  schema: JsonSchema,
  pathNames: readonly string[],
  drops = false,
): RequestModel {
  const fields = fieldsOf(schema, pathNames);
  const pathFields = fields.filter((field) => field.inPath);
  const coerceJson = jsonCoercion(schema, schema);
  const coerceText = textCoercion(schema, schema);
  const coerceOther = textCoercion(asSchema(resolve(schema, schema)['additionalProperties']) ?? {}, schema);
  let validator: Validator | undefined;

  /** `describe` is called for a refused value. */
  function validated(value: unknown, size: number, describe: () => Pick<Checked, 'raw' | 'place'>): unknown {
    validator ??= usableValidator(schema);
    if (validator.accepts(value)) return value;
    const errors = validator.errors(value, size <= ALL_PROBLEMS_SIZE);
    const showsObjects = size <= SHOWN_OBJECT_SIZE;
    throw invalidRequest(toProblems(errors, { schema, value, showsObjects, ...describe() }));
  }

  /** Fields that the schema does not name, with the type of `additionalProperties`. */
  function undeclared(given: Record<string, unknown>): Record<string, unknown> {
    for (const { name } of fields) delete given[name];
    if (coerceOther)
      for (const [name, value] of Object.entries(given))
        if (typeof value === 'string') given[name] = coerceOther(value);
    return given;
  }

  const partOf =
    (rest: 'query' | 'body') =>
    (name?: string): 'query' | 'body' | 'path' =>
      pathFields.some((field) => field.name === name) ? 'path' : rest;

  return {
    fromPairs(pairs, params, place, files) {
      const keeps = place === 'body' ? !drops : fields.length === 0;
      const others = keeps ? undeclared(place === 'body' ? formFields(pairs) : pairsToObject(pairs)) : {};
      const texts = {
        ...readFields(fields, pairs, params),
        ...others,
        ...(keeps && fields.length === 0 && params),
      };
      const value = files === undefined ? texts : { ...texts, ...filesFor(fields, files, keeps) };
      return validated(value, 0, () => ({ raw: rawFields(fields, pairs, params), place: partOf(place) }));
    },
    fromJson(body, params, size) {
      const coerced = coerceJson && body !== undefined ? coerceJson(body) : body;
      const value = withPath(drops ? declared(coerced, fields) : coerced, pathFields, params);
      if (body === undefined || (body === null && !usableValidator(schema).accepts(null))) throw noBody();
      return validated(value, size, () => ({
        raw: isRecord(body) ? { ...body, ...params } : body,
        place: partOf('body'),
      }));
    },
    fromText(text) {
      const value = coerceText ? coerceText(text) : text;
      return validated(value, text.length, () => ({ raw: text, place: () => 'body' }));
    },
  };
}

function noBody(): ServiceError {
  return invalidRequest([{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }]);
}

/** `check` refuses such schemas; this catches those that fail only when they are compiled. */
function usableValidator(schema: JsonSchema): Validator {
  try {
    return validatorFor(schema);
  } catch (error) {
    throw new ServiceError(
      'flow_invalid',
      `The request schema of this trigger cannot be used: ${(error as Error).message}.`,
    );
  }
}

function fieldsOf(schema: JsonSchema, pathNames: readonly string[]): Field[] {
  const fields: Field[] = [];
  for (const [name, property] of propertiesOf(resolve(schema, schema), schema)) {
    if (name === '__proto__') continue;
    fields.push({
      name,
      inPath: pathNames.includes(name),
      many: takesMany(property, schema),
      coerce: textCoercion(property, schema),
      coerceElement: elementCoercion(property, schema),
      fill: defaultOf(property, schema),
    });
  }
  return fields;
}

function readFields(
  fields: readonly Field[],
  pairs: readonly string[],
  params: Params,
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const field of fields) {
    const value = readField(field, pairs, params);
    if (value !== undefined) out[field.name] = value;
  }
  return out;
}

/** `keeps`: including fields that the schema does not name. */
function filesFor(fields: readonly Field[], files: FilesByField, keeps: boolean): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, values] of files) {
    const field = fields.find((one) => one.name === name);
    if (name === '__proto__' || (field === undefined ? !keeps : field.inPath)) continue;
    const isList = field === undefined ? values.length > 1 : field.many === 'always' || values.length > 1;
    out[name] = isList ? values : values[0];
  }
  return out;
}

function readField(field: Field, pairs: readonly string[], params: Params): unknown {
  if (field.many !== 'never' && !field.inPath) {
    const values = valuesOf(pairs, field.name);
    if (values.length > (field.many === 'always' ? 0 : 1)) return coerceAll(values, field.coerceElement);
  }
  const text = field.inPath ? params[field.name] : lastOf(pairs, field.name);
  if (text === undefined) return field.fill?.();
  return field.coerce ? field.coerce(text) : text;
}

function coerceAll(
  values: readonly string[],
  coerce: ((text: string) => unknown) | undefined,
): readonly unknown[] {
  return coerce ? values.map((text) => coerce(text)) : values;
}

/** The fields as they arrived, to show in problems. */
function rawFields(
  fields: readonly Field[],
  pairs: readonly string[],
  params: Params,
): Record<string, unknown> {
  const raw: Record<string, unknown> = { ...pairsToObject(pairs), ...params };
  for (const { name, many, inPath } of fields) {
    const values = many === 'never' || inPath ? [] : valuesOf(pairs, name);
    if (values.length > 0 && (many === 'always' || values.length > 1)) raw[name] = values;
  }
  return raw;
}

function withPath(value: unknown, pathFields: readonly Field[], params: Params): unknown {
  if (pathFields.length === 0 || !isRecord(value)) return value;
  return { ...value, ...readFields(pathFields, [], params) };
}

/** The fields of a body that the schema names, in its order. */
function declared(body: unknown, fields: readonly Field[]): unknown {
  if (!isRecord(body)) return body;
  const named = fields.filter(({ name }) => Object.hasOwn(body, name));
  return Object.fromEntries(named.map(({ name }) => [name, body[name]]));
}
