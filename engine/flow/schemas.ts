import { z } from 'zod';
import type { JsonSchema } from '#shared/json.ts';

const compiled = new WeakMap<JsonSchema, z.ZodType | undefined>();

/**
 * A validator for a schema of the catalog, made once per schema; undefined if zod cannot read the schema, which is then
 * unchecked.
 */
export function compiledSchema(schema: JsonSchema): z.ZodType | undefined {
  if (!compiled.has(schema)) compiled.set(schema, compile(schema));
  return compiled.get(schema);
}

function compile(schema: JsonSchema): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
  } catch {
    return undefined;
  }
}
