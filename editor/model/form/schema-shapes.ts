import { isRecord, type JsonSchema } from '#shared/json.ts';

/** Questions about a part of a JSON Schema. */

/** A value that a schema allows, as a choice in a list. */
export interface Option {
  readonly value: string | number | boolean | null;
  readonly label: string;
  /** Why it cannot be chosen; it is shown with it. */
  readonly refused?: string;
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined;
}

/** Without the `null` of a value that may be absent: `anyOf: [X, null]` is X, and so is `type: [X, null]`. */
export function unwrapped(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema['type'])) {
    const types = schema['type'].filter((type) => type !== 'null');
    return types.length === 1 ? { ...schema, type: types[0] } : schema;
  }
  const branches = schema['anyOf'];
  if (!Array.isArray(branches) || branches.length !== 2) return schema;
  const [only, ...others] = (branches as JsonSchema[]).filter((branch) => branch['type'] !== 'null');
  if (!only || others.length > 0) return schema;
  const { anyOf: _, ...around } = schema;
  return { ...only, ...around };
}

/** The choices of a schema; `labelOf` words them. */
export function optionsOf(
  schema: JsonSchema,
  labelOf: (value: unknown) => string = String,
): readonly Option[] | undefined {
  const values: unknown = schema['enum'] ?? ('const' in schema ? [schema['const']] : undefined);
  if (!Array.isArray(values) || values.length === 0) return undefined;
  const simple = values.every((value) => value === null || typeof value !== 'object');
  return simple ? values.map((value) => ({ value, label: labelOf(value) })) : undefined;
}

const MOST_CHOICES = 12;

/** The values of a set to choose from; a longer one is easier to edit as a list. */
export function choiceOptions(
  items: JsonSchema,
  labelOf?: (value: unknown) => string,
): readonly Option[] | undefined {
  const options = optionsOf(items, labelOf);
  return options && options.length <= MOST_CHOICES ? options : undefined;
}

/** The constant text of a field in a branch of a union. */
export function constOf(branch: JsonSchema, field: string): string {
  const value = recordOf(recordOf(branch['properties'])?.[field])?.['const'];
  return typeof value === 'string' ? value : '';
}

/** The field whose constant distinguishes the branches of a union. */
export function tagOf(branches: readonly JsonSchema[]): string | undefined {
  const [first] = branches;
  const names = Object.keys(recordOf(first?.['properties']) ?? {});
  return names.find((name) => branches.every((branch) => constOf(branch, name) !== ''));
}
