import { WeftError } from '../base/errors.ts';
import type { Span } from './ast.ts';
import { fieldText } from './describe.ts';
import { nearestName } from './names.ts';
import { aType, ownNames } from './read.ts';

/** Fails for a missing field and suggests the nearest one that exists. */
export function missingField(
  value: unknown,
  owner: string,
  key: string | number,
  { start, end }: Span,
): never {
  const { message, data } = missing(value, owner, key);
  throw new WeftError('missing_field', message, { data: { ...data, start, end } });
}

/** The error of a read of a missing field outside of expressions. */
export function missingFieldError(value: unknown, owner: string, key: string | number): WeftError {
  const { message, data } = missing(value, owner, key);
  return new WeftError('missing_field', message, { data });
}

function missing(value: unknown, owner: string, key: string | number) {
  const path = owner + fieldText(key);
  const suggestion = nearestField(value, key);
  const nearest = suggestion === undefined ? undefined : owner + fieldText(suggestion);
  const message =
    whyMissing(value, { owner, path }) + (nearest === undefined ? '.' : `; did you mean \`${nearest}\`?`);
  return { message, data: { path, ...(nearest === undefined ? {} : { suggestion: nearest }) } };
}

function whyMissing(value: unknown, { owner, path }: { owner: string; path: string }): string {
  if (value === null || value === undefined) return `\`${path}\` cannot be read, since \`${owner}\` is null`;
  if (Array.isArray(value)) return `\`${path}\` is not there: the array has ${value.length} elements`;
  if (typeof value !== 'object') return `\`${path}\` is not there: \`${owner}\` is ${aType(value)}`;
  return `\`${path}\` is not there`;
}

function nearestField(value: unknown, key: string | number): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return nearestName(String(key), ownNames(value));
}

/** Fails for a value of the wrong type, with its position in the source. */
export function wrongTypeAt(message: string, { start, end }: Span): never {
  throw new WeftError('expression_type', message, { data: { start, end } });
}

/** Adds the position in the source to an error of the library; other errors stay as they are. */
export function located(error: unknown, { start, end }: Span): unknown {
  if (!(error instanceof WeftError) || error.data !== undefined) return error;
  return new WeftError(error.code, error.message, { field: error.field, data: { start, end } });
}
