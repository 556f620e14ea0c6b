import { fail } from '../enter.js';
import { offer } from '../offers.js';
import { encodeUtf8 } from '../utf8.js';
import { decodeBase64, toBase64, viewOf } from './bytes.js';
import { Buffer } from './buffer.js';
import { structuredClone } from './clone.js';
import { Crypto, CryptoKey, seedRandom, SubtleCrypto } from './crypto.js';
import { atob, btoa, TextDecoder, TextEncoder } from './encoders.js';
import { fileOf, newFile, stateOf } from './files.js';
import { Timers } from './timers.js';
import { URL, URLSearchParams } from './url.js';

/** The globals that all calls share; frozen with the language's own. */
const GLOBALS = { Buffer, TextDecoder, TextEncoder, URL, URLSearchParams, atob, btoa, structuredClone };

/** @type {WeakMap<object, Timers>} */
const timersByCall = new WeakMap();

/** @type {(call: import('../open-call.js').GuestCall) => Timers} */
function timersOf(call) {
  const known = timersByCall.get(call);
  if (known) return known;
  const timers = new Timers(call, (error) => fail(call, error));
  timersByCall.set(call, timers);
  return timers;
}

offer({
  shared: [...Object.values(GLOBALS), Crypto, CryptoKey, SubtleCrypto],
  install(seed) {
    seedRandom(seed);
    for (const [name, value] of Object.entries(GLOBALS))
      Object.defineProperty(globalThis, name, {
        value,
        writable: true,
        configurable: true,
        enumerable: false,
      });
  },
  context: (call) => ({
    sleep: (/** @type {unknown} */ ms) => timersOf(call).sleep(ms),
    file: (/** @type {unknown} */ value) => fileOf(call, value),
    newFile: (/** @type {unknown} */ given) => newFile(call, given),
    state: stateOf(call),
  }),
  body(given) {
    const bytes = viewOf(given);
    if (bytes) return { base64: toBase64(bytes), type: 'application/octet-stream' };
    if (!(given instanceof URLSearchParams)) return undefined;
    return { body: String(given), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
  },
  response: ({ text, base64 }) => {
    const bytes = async () => (base64 === undefined ? encodeUtf8(String(text)) : decodeBase64(base64));
    return { bytes, arrayBuffer: async () => (await bytes()).buffer };
  },
  callGlobals: ['crypto', 'setTimeout', 'clearTimeout'],
  makeCallGlobals: (call) => [
    new Crypto(call),
    (/** @type {unknown} */ fn, /** @type {unknown} */ ms, /** @type {unknown[]} */ ...given) =>
      timersOf(call).set(fn, ms, given),
    (/** @type {unknown} */ id) => timersOf(call).clear(id),
  ],
});
