import { encodeUtf8 } from './utf8.js';

/** SHA-256 (FIPS 180-4), because a bare context has no crypto. */

const K = roundConstants();

/**
 * @type {(text: string) => string} the digest of the text's UTF-8 bytes, in hex
 */
export function sha256(text) {
  const bytes = padded(encodeUtf8(text));
  const state = new Uint32Array([
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  ]);
  const view = new DataView(bytes.buffer);
  const words = new Uint32Array(64);
  for (let at = 0; at < bytes.length; at += 64) addBlock(state, words, view, at);
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
}

/** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
function roundConstants() {
  const constants = [];
  for (let n = 2; constants.length < 64; n++) {
    let isPrime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) isPrime = false;
    if (isPrime) constants.push(((Math.cbrt(n) % 1) * 2 ** 32) | 0);
  }
  return constants;
}

/** @type {(state: Uint32Array, w: Uint32Array, view: DataView, at: number) => void} */
function addBlock(state, w, view, at) {
  const get = (/** @type {Uint32Array} */ list, /** @type {number} */ i) => /** @type {number} */ (list[i]);
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const [x, y] = [get(w, i - 15), get(w, i - 2)];
    const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    w[i] = get(w, i - 16) + s0 + get(w, i - 7) + s1;
  }
  const work = state.slice();
  for (let i = 0; i < 64; i++) {
    const [a, b, c, d, e, f, g, h] = /** @type {number[]} */ (/** @type {unknown} */ (work));
    const choice = (Number(e) & Number(f)) ^ (~Number(e) & Number(g));
    const majority = (Number(a) & Number(b)) ^ (Number(a) & Number(c)) ^ (Number(b) & Number(c));
    const s1 = turn(Number(e), 6) ^ turn(Number(e), 11) ^ turn(Number(e), 25);
    const s0 = turn(Number(a), 2) ^ turn(Number(a), 13) ^ turn(Number(a), 22);
    const first = (Number(h) + s1 + choice + Number(K[i]) + get(w, i)) | 0;
    work.set([
      first + s0 + majority,
      Number(a),
      Number(b),
      Number(c),
      Number(d) + first,
      Number(e),
      Number(f),
      Number(g),
    ]);
  }
  for (let i = 0; i < 8; i++) state[i] = get(state, i) + get(work, i);
}

/** @type {(x: number, by: number) => number} */
function turn(x, by) {
  return (x >>> by) | (x << (32 - by));
}

/** @type {(bytes: Uint8Array) => Uint8Array<ArrayBuffer>} */
function padded(bytes) {
  const all = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  all.set(bytes);
  all[bytes.length] = 0x80;
  const view = new DataView(all.buffer);
  view.setUint32(all.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(all.length - 4, (bytes.length << 3) >>> 0);
  return all;
}
