import { ask } from '../ask.js';
import { plain } from '../plain.js';
import { bytesOf, decodeBase64, decodeUtf8, toBase64 } from './bytes.js';

/** Files and stored values, as `ctx` has them. The server decides what belongs to the run. */

/** Bytes of a file that code reads or makes. */
const MAX_FILE = 4_000_000;

/** @typedef {import('../open-call.js').GuestCall} Call */

/** @type {(call: Call, value: unknown) => object} */
export function fileOf(call, value) {
  const { $file, name, type, bytes: size } = /** @type {Record<string, unknown>} */ (Object(value));
  if (typeof $file !== 'string') throw new TypeError('ctx.file takes a file: a value with `$file`.');
  const bytes = async (/** @type {{ start?: number, end?: number }} */ { start, end } = {}) =>
    decodeBase64(String(await ask(call, 'readFile', { file: { $file }, start, end })));
  return Object.freeze({
    name,
    type,
    size,
    bytes,
    text: async () => decodeUtf8(await bytes(), true).replace(/^\ufeff/, ''),
  });
}

/** @type {(call: Call, given: unknown) => Promise<unknown>} */
export async function newFile(call, given) {
  const { name, type, bytes, text } = /** @type {Record<string, unknown>} */ (Object(given));
  if ((bytes === undefined) === (text === undefined))
    throw new TypeError('ctx.newFile takes `bytes` or `text`, and a `name` and a `type`.');
  const content = bytesOf(bytes ?? String(text), 'The content of a file');
  if (content.length > MAX_FILE) {
    const message = `The file has ${content.length} bytes; code makes files of at most ${MAX_FILE}.`;
    throw Object.assign(new RangeError(message), { code: 'value_too_large' });
  }
  return ask(call, 'newFile', { name, type, base64: toBase64(content) });
}

/** @type {(call: Call) => object} */
export function stateOf(call) {
  const asked = (/** @type {string} */ does, /** @type {unknown} */ key, /** @type {object} */ more) =>
    ask(call, 'state', { ...more, does, key: String(key) });
  return Object.freeze({
    get: (/** @type {unknown} */ key, /** @type {object} */ options = {}) => asked('get', key, options),
    set: (/** @type {unknown} */ key, /** @type {unknown} */ value, /** @type {object} */ options = {}) =>
      asked('set', key, { ...options, value: plain(value) ?? null }),
    add: (/** @type {unknown} */ key, /** @type {unknown} */ by = 1, /** @type {object} */ options = {}) =>
      asked('add', key, { ...options, by }),
    remove: (/** @type {unknown} */ key, /** @type {object} */ options = {}) => asked('remove', key, options),
  });
}
