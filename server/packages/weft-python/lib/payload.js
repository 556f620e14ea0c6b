import { limits } from './limits.js';

/** The facts about the run that the code may read; the larger ones go along only where their names are in the code. */
const FACTS = /** @type {const} */ (['trigger', 'vars', 'item', 'index', 'attempt', 'idempotencyKey']);

/**
 * What a process needs for a call, as data. Throws `not_serialisable`, `value_too_large`.
 *
 * @param {import('./types.js').Kit} kit
 * @param {import('./types.js').PythonCall} call
 */
export function payloadOf({ WeftError }, call) {
  const { source, params } = call.params;
  /** @type {Record<string, unknown>} */
  const ctx = {};
  for (const name of FACTS) if (source.includes('ctx')) ctx[name] = call[name];
  const payload = { source, params, input: call.input ?? null, ctx };
  const found = withoutJson(payload, []);
  if (found !== undefined)
    throw new WeftError(
      'not_serialisable',
      `\`${found.path.join('.')}\` is ${found.kind}, which has no JSON for Python.`,
    );
  const size = JSON.stringify(payload).length - source.length;
  if (size > limits.input)
    throw new WeftError(
      'value_too_large',
      `The input of the code is ${size} characters of JSON; at most ${limits.input} are accepted.`,
    );
  return payload;
}

/**
 * The first place of what JSON would lose without a word.
 *
 * @param {unknown} value
 * @param {readonly string[]} path
 * @returns {{ path: readonly string[], kind: string } | undefined}
 */
function withoutJson(value, path) {
  if (typeof value === 'number' && !Number.isFinite(value)) return { path, kind: String(value) };
  if (typeof value === 'bigint' || typeof value === 'function') return { path, kind: `a ${typeof value}` };
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Uint8Array) return { path, kind: 'bytes' };
  if (Symbol.asyncIterator in value) return { path, kind: 'a stream' };
  for (const [name, item] of Object.entries(value)) {
    const found = withoutJson(item, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}
