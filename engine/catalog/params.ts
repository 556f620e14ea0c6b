import { z } from 'zod';
import type { JsonSchema } from '#shared/json.ts';

/** The JSON Schema of the params in a flow file: defaults are filled in later, so params with defaults are not required. */
export function paramsSchema(params: z.ZodType): JsonSchema {
  return jsonSchema(params);
}

/** @throws if a part of the schema cannot be expressed in JSON Schema. */
export function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

/**
 * The paths of the params marked by `lazy()` and `literal()`: `condition`, `cases[].when`.
 * @throws if a marked param has no such path (in a union, in the values of a record).
 */
export function paramMarks(schema: JsonSchema): { lazyParams: string[]; literalParams: string[] } {
  const marks = { lazyParams: [] as string[], literalParams: [] as string[] };
  collect(schema, '', marks);
  const reached = marks.lazyParams.length + marks.literalParams.length;
  if (countMarks(schema) !== reached) {
    throw new Error(
      'lazy() and literal() may only mark a param, or a field of an object or of a list of objects.',
    );
  }
  return marks;
}

function collect(
  schema: JsonSchema,
  path: string,
  marks: { lazyParams: string[]; literalParams: string[] },
): void {
  if (schema['weft'] === 'lazy') marks.lazyParams.push(path);
  if (schema['weft'] === 'literal') {
    marks.literalParams.push(path);
    return;
  }
  for (const [name, field] of Object.entries(object(schema['properties']))) {
    collect(object(field), path === '' ? name : `${path}.${name}`, marks);
  }
  const items = schema['items'];
  if (path !== '' && items !== undefined) collect(object(items), `${path}[]`, marks);
}

/** Counts the marks at any depth. Everything below a literal is plain data. */
function countMarks(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const mark = (value as { weft?: unknown }).weft;
  if (mark === 'literal') return 1;
  const own = mark === 'lazy' ? 1 : 0;
  return Object.values(value).reduce<number>((sum, part) => sum + countMarks(part), own);
}

function object(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {};
}
