import { z } from 'zod';
import { type ErrorCode, errorTable } from '#shared/errors.ts';
import type { JsonSchema } from '#shared/json.ts';
import type { Response } from './openapi.ts';
import { schemaPrefix } from './schemas.ts';

/** The one error body. */
export const ErrorAnswer = z.strictObject({
  success: z.literal(false),
  err_code: z.string().describe('A code from the error table: docs/reference/errors.md.'),
  err_msg: z.string().describe('What went wrong, for people; may change.'),
  data: z.null(),
  error: z.strictObject({
    message: z.string(),
    type: z.enum([
      'invalid_request_error',
      'authentication_error',
      'permission_error',
      'not_found_error',
      'rate_limit_error',
      'server_error',
    ]),
    param: z.string().nullable(),
    code: z.string(),
  }),
  detail: z
    .array(z.looseObject({}))
    .optional()
    .describe('All problems of a flow, or of a bad request, each with `type`, `loc`, `msg` and `input`.'),
});

export const errorSchema: JsonSchema = { $ref: `${schemaPrefix}Error` };

const body = { 'application/json': { schema: errorSchema } };

/** The error responses by status; any other error has the same body. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, Response> {
  const byStatus = Object.groupBy(new Set(codes), (code) => String(errorTable[code].status));
  const responses = Object.entries(byStatus).map(([status, same = []]) => {
    const description = same.map((code) => `\`${code}\`: ${errorTable[code].meaning}`).join('\n\n');
    return [status, { description, content: body }] as const;
  });
  return {
    ...Object.fromEntries(responses),
    default: { description: 'Any other error, with a code from the error table.', content: body },
  };
}
