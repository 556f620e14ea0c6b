import { MAX_JSON_DEPTH } from '#shared/flow.ts';
import { isLongerJson } from '#shared/json-length.ts';
import { WeftError } from '../base/operator.ts';
import { MAX_TEXT } from './_limits.ts';
import { plainObject, reading } from './_record.ts';

/**
 * A value as JSON text.
 * @throws WeftError `bad_number`, `not_serialisable`, `too_deep`, `value_too_large`, `bad_input`.
 */
export function writeJson(value: unknown, indent = 0): string {
  return reading(() => {
    refuseUnwritable(value);
    return JSON.stringify(value, undefined, indent);
  });
}

/** Number of parts and characters from which a value counts as large. */
const LARGE = 100_000;

/**
 * Refuses values that JSON.stringify would silently lose (NaN, functions), never finish (cycles), or expand beyond any use
 * (one list in many places). Deep values end at the depth limit, so the recursion is safe.
 */
function refuseUnwritable(root: unknown): void {
  const above = new Set<object>();
  let size = 0;
  let nextLook = LARGE;

  const grow = (by: number): void => {
    size += by;
    if (size < nextLook) return;
    // A value that holds the same part in very many places would take seconds to walk through.
    nextLook = MAX_TEXT + 1;
    if (size > MAX_TEXT || isLongerJson(root, MAX_TEXT))
      throw new WeftError('value_too_large', `The JSON would be longer than ${MAX_TEXT} characters.`);
  };

  const visit = (value: unknown): void => {
    grow(1);
    if (typeof value === 'string') return grow(value.length);
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new WeftError('bad_number', `JSON cannot hold ${value}.`);
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return;
    visitChildren(plainObject(value));
  };

  const visitChildren = (object: object): void => {
    if (above.has(object))
      throw new WeftError('not_serialisable', 'The value contains itself, so it cannot be written as JSON.');
    if (above.size === MAX_JSON_DEPTH)
      throw new WeftError('too_deep', `The value is nested deeper than ${MAX_JSON_DEPTH} levels.`);
    above.add(object);
    if (Array.isArray(object)) for (let i = 0; i < object.length; i++) visit(object[i]);
    else for (const [key, field] of Object.entries(object)) visitField(key, field);
    above.delete(object);
  };

  const visitField = (key: string, field: unknown): void => {
    grow(key.length);
    // As in JSON.stringify, a field that is undefined does not count.
    if (field !== undefined) visit(field);
  };

  visit(root);
}
