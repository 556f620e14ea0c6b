import { z } from 'zod';
import { FORBIDDEN_FIELD, isRecord } from './_record.ts';

/**
 * A param that holds fields by name. `__proto__` is refused before zod's own record sees it, which would drop it without a
 * word. `additionalProperties` says in JSON Schema what `value` is.
 */
export function namedFields<S extends z.ZodType>(value: S, doc: string, additionalProperties: object) {
  return z
    .unknown()
    .refine(
      (fields) => !isRecord(fields) || !Object.hasOwn(fields, FORBIDDEN_FIELD),
      `may not hold ${FORBIDDEN_FIELD}`,
    )
    .pipe(z.record(z.string(), value))
    .describe(doc)
    .meta({ type: 'object', additionalProperties, widget: 'fields' });
}
