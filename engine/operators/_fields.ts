import { isRecord } from '#shared/json.ts';
import { z } from 'zod';
import { FORBIDDEN_FIELD } from './_record.ts';

/**
 * A param that holds fields by name. `__proto__` is refused before zod's own record, which would silently drop it.
 * `additionalProperties` is `value` as JSON Schema.
 */
export function namedFields<S extends z.ZodType>(value: S, doc: string, additionalProperties: object) {
  return z
    .unknown()
    .refine(
      (fields) => !isRecord(fields) || !Object.hasOwn(fields, FORBIDDEN_FIELD),
      `may not contain ${FORBIDDEN_FIELD}`,
    )
    .pipe(z.record(z.string(), value))
    .describe(doc)
    .meta({ type: 'object', additionalProperties, widget: 'fields' });
}
