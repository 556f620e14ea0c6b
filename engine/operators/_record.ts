import { WeftError } from '../base/operator.ts';

/** Setting this key would replace the prototype of an object. */
export const FORBIDDEN_FIELD = '__proto__';

/**
 * Reads from a value that another operator made. Values should be plain JSON, but a user's operator may pass on an object
 * whose fields throw when they are read.
 * @throws WeftError `bad_input` in place of the value's own error.
 */
export function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof WeftError) throw error;
    throw unreadable();
  }
}

export function unreadable(): WeftError {
  return new WeftError('bad_input', 'The input is not a plain value: one of its fields cannot be read.');
}

/**
 * Lists and plain objects are JSON; a Date, a Map or a function is not.
 * @throws WeftError `not_serialisable`.
 */
export function plainObject(value: unknown): object {
  if (typeof value === 'object' && value !== null) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (Array.isArray(value) || prototype === null || prototype === Object.prototype) return value;
  }
  const kind = typeof value === 'object' ? 'an object of this kind' : `a value of type ${typeof value}`;
  throw new WeftError('not_serialisable', `JSON cannot hold ${kind}.`);
}
