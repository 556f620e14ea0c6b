import type { OperatorInfo } from '#shared/catalog.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import { hasTemplate } from '../expr/index.ts';
import type { Path } from './field-path.ts';

/** A value anywhere in a node's params. */
export interface ParamValue {
  readonly path: Path;
  readonly value: unknown;
  /** In or below a param that the operator evaluates itself, with its own `item` and `index`. */
  readonly lazy: boolean;
  /** In or below a param in which `{{ }}` is plain text. */
  readonly literal: boolean;
}

/** Calls `visit` with the params and everything in them; `info` determines which are lazy or literal. */
export function visitParams(
  params: unknown,
  info: OperatorInfo | undefined,
  visit: (at: ParamValue) => void,
): void {
  const lazyParams = new Set(info?.lazyParams);
  const literalParams = new Set(info?.literalParams);
  const walk = (
    value: unknown,
    path: Path,
    pattern: string,
    parent: { lazy: boolean; literal: boolean },
  ): void => {
    const lazy = parent.lazy || lazyParams.has(pattern);
    const literal = parent.literal || (!lazy && literalParams.has(pattern));
    visit({ path, value, lazy, literal });
    if (typeof value !== 'object' || value === null) return;
    const list = Array.isArray(value);
    for (const [key, child] of Object.entries(value)) {
      walk(child, [...path, list ? Number(key) : key], childPattern(pattern, list ? undefined : key), {
        lazy,
        literal,
      });
    }
  };
  walk(params, ['params'], '', { lazy: false, literal: false });
}

/** `cases[].when`: how the catalog names params, without positions in lists. */
function childPattern(pattern: string, key: string | undefined): string {
  if (key === undefined) return `${pattern}[]`;
  return pattern === '' ? key : `${pattern}.${key}`;
}

/** The name in a reference to a secret, `{ "$secret": "openai" }`. It is whatever value the reference holds. */
export function secretReference(value: unknown): { name: unknown } | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '$secret')) return undefined;
  return { name: (value as { $secret: unknown }).$secret };
}

/** Whether a value is known only in a run. */
export function isDynamic({ value, literal }: Pick<ParamValue, 'value' | 'literal'>): boolean {
  return !literal && typeof value === 'string' && hasTemplate(value);
}

/** Keywords of JSON Schema by which a value can be wrong. Others describe a setting for people, such as `widget` and `when`. */
const CONSTRAINTS: readonly string[] = [
  ...['enum', 'const', 'not', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', '$ref', '$defs', 'nullable'],
  ...['pattern', 'format', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems'],
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'required'],
  ...['minProperties', 'maxProperties', 'dependentRequired', 'unevaluatedProperties', 'unevaluatedItems'],
];

/**
 * The kind of a dynamic value at a place of the params schema: any value, text (any value is converted), or a value that fits the
 * schema.
 */
export function leafKind(schema: JsonSchema | undefined): 'any' | 'text' | 'typed' {
  if (schema === undefined || typeof schema !== 'object') return 'any';
  if (CONSTRAINTS.some((keyword) => Object.hasOwn(schema, keyword))) return 'typed';
  if (schema['type'] === undefined) return 'any';
  return schema['type'] === 'string' ? 'text' : 'typed';
}

/** Whether null omits a field: the field is optional and does not accept null. */
export function leavesOutNull(schema: JsonSchema | undefined, key: string): boolean {
  const { properties, required } = schema ?? {};
  if (!isRecord(properties) || !Object.hasOwn(properties, key)) return false;
  const isRequired = Array.isArray(required) && required.includes(key);
  const own = properties[key] as JsonSchema;
  return !isRequired && leafKind(own) === 'typed' && !takesNull(own);
}

/** Whether the schema accepts null; true if it refers to another schema, which may accept it. */
function takesNull(schema: unknown): boolean {
  if (!isRecord(schema)) return schema !== false;
  const { type, enum: values, const: value, anyOf, oneOf, nullable, $ref } = schema;
  if (type === 'null' || nullable === true || value === null || $ref !== undefined) return true;
  if ([type, values].some((list) => Array.isArray(list) && (list.includes('null') || list.includes(null))))
    return true;
  return [anyOf, oneOf].some((list) => Array.isArray(list) && list.some(takesNull));
}

/** The schema of a field: its own, or that of any field; undefined if there is neither. */
export function fieldSchema(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  const properties = schema?.['properties'];
  if (isRecord(properties) && Object.hasOwn(properties, key)) return properties[key] as JsonSchema;
  return schema?.['additionalProperties'] as JsonSchema | undefined;
}
