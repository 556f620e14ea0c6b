import type { z } from 'zod';
import { WeftError } from '#engine';

/** The arguments of a request of the code. Throws `code_failed`. */
export function readArgs<S extends z.ZodType>(schema: S, name: string, text: string): z.output<S> {
  const parsed = schema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new WeftError(
    'code_failed',
    `${name}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'not valid'}`,
  );
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function missing(what: string): WeftError {
  return new WeftError('service_missing', `\`${what}\` is not offered where the flow runs now.`);
}
