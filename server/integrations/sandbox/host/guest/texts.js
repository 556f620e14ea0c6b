import { MAX_ERROR, MAX_RESULT } from './limits.js';
import { placeOf, plain } from './plain.js';

/** Outside failures that the code got, so that the host finds the original again. @type {WeakMap<object, number>} */
const outside = new WeakMap();

/**
 * The error that stands for an outside failure.
 *
 * @type {(text: string) => Error}
 */
export function outsideError(text) {
  const { ref, code, message } = JSON.parse(text);
  const error = Object.assign(new Error(message), { code });
  outside.set(error, ref);
  return error;
}

/**
 * A result as JSON. Runs here, so that getters and `toJSON` stay within the limits of the call.
 *
 * @type {(value: unknown) => string}
 */
export function resultText(value) {
  const text = value === undefined ? 'null' : JSON.stringify(plain(value));
  if (text === undefined) throw new TypeError('The code gave what its `toJSON` makes nothing of.');
  if (text.length > MAX_RESULT) {
    const message = `The code gave ${text.length} characters of JSON; at most ${MAX_RESULT} may leave it.`;
    throw Object.assign(new RangeError(message), { code: 'value_too_large' });
  }
  return text;
}

/**
 * A thrown value as JSON: it may be anything, and looking at it may throw again.
 *
 * @type {(thrown: unknown) => string}
 */
export function errorText(thrown) {
  try {
    const isObject = typeof thrown === 'object' && thrown !== null;
    const ref = isObject ? outside.get(thrown) : undefined;
    if (!(thrown instanceof Error))
      return JSON.stringify({ name: 'Error', message: `The code threw ${shown(thrown)}.` });
    const { name, message, stack, code, retryable } =
      /** @type {Error & { code?: unknown, retryable?: unknown }} */ (thrown);
    const known = code === 'value_too_large' ? code : undefined;
    return JSON.stringify({
      name: cut(name, 100),
      message: cut(message),
      stack: cut(stack),
      ref,
      code: known,
      retryable: retryable === true ? true : undefined,
      path: placeOf(thrown),
    });
  } catch {
    return JSON.stringify({ name: 'Error', message: 'The code threw something that cannot be shown.' });
  }
}

/** @type {(value: unknown) => string} */
function shown(value) {
  if (typeof value === 'object' && value !== null) return cut(JSON.stringify(value), 500);
  return typeof value === 'string' ? JSON.stringify(cut(value, 500)) : cut(String(value), 500);
}

/** @type {(value: unknown, length?: number) => string} */
export function cut(value, length = MAX_ERROR) {
  const text = String(value);
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
