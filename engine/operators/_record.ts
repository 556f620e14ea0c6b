import { WeftError } from '../operator.ts';

/** Would replace the prototype of an object instead of setting a field. */
export const FORBIDDEN_FIELD = '__proto__';

/** Whether a value is an object with named fields, i.e. not null, a list or of another kind. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads from a value that another operator made. Values should be plain JSON, but a user's operator may pass on an object
 * whose fields throw when they are read.
 * @throws WeftError `bad_input` instead of what the value throws.
 */
export function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof WeftError) throw error;
    throw new WeftError('bad_input', 'The input is no plain value: one of its fields cannot be read.');
  }
}
