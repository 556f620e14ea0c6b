import type { z } from 'zod';
import { ServiceError } from '../errors.ts';

/** A part of a request as its schema reads it; throws `invalid_request` with all problems in `detail`. */
export function readPart<S extends z.ZodType>(
  schema: S,
  value: unknown,
  part: 'body' | 'query' | 'path',
): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const detail = result.error.issues.slice(0, 50).map((issue) => ({
    type: issue.code,
    loc: [part, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))],
    msg: issue.message,
    input: shown(issue.input),
  }));
  const [first] = detail;
  const more = detail.length > 1 ? ` (and ${detail.length - 1} more)` : '';
  throw new ServiceError('invalid_request', `${first?.loc.join('.')}: ${first?.msg}${more}`, {
    detail,
    param: String(first?.loc[1] ?? part),
  });
}

/** Plain values only: an object may be the whole body, and would be sent back with every problem. */
function shown(input: unknown): unknown {
  if (typeof input === 'object' && input !== null) return undefined;
  return typeof input === 'string' ? input.slice(0, 200) : input;
}
