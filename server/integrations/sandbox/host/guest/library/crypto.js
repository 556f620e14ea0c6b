import { ask } from '../ask.js';
import { sha256 } from '../sha256.js';
import { bytesOf, decodeBase64, decodeHex, encodeHex, toBase64, viewOf } from './bytes.js';

/** The part of Web Crypto that needs no secret of the machine: random values here, everything else in the host. */

/** Bytes that one call of `getRandomValues` may fill, as in browsers. */
const MAX_RANDOM = 65_536;
/** Bytes that may be hashed or signed at once, and those of a key. */
const MAX_DATA = 4_000_000;
const MAX_KEY = 12_000;

/** Random, from the host; each block of random values is a digest of it and of a number. */
let seed = '';
let block = 0;

/** @type {(given: string) => void} */
export function seedRandom(given) {
  seed = given;
}

/** @type {(bytes: Uint8Array, world: import('../simulate.js').World | undefined) => void} */
function fillRandom(bytes, world) {
  if (world) {
    for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(world.random() * 256);
    return;
  }
  for (let at = 0; at < bytes.length; at += 32)
    bytes.set(decodeHex(sha256(`${seed} ${++block}`)).subarray(0, bytes.length - at), at);
}

/** What signs and verifies with a key. @type {WeakMap<object, Record<string, unknown>>} */
const keys = new WeakMap();

export class CryptoKey {
  /** @param {Record<string, any>} facts */
  constructor(facts) {
    const { type, extractable, algorithm, usages } = facts;
    Object.assign(this, {
      type,
      extractable,
      algorithm: Object.freeze(algorithm),
      usages: Object.freeze(usages),
    });
    Object.freeze(this);
  }
}

/** @type {(data: unknown, what: string) => string} */
function dataOf(data, what) {
  const bytes = bytesOf(data, what);
  if (bytes.length <= MAX_DATA) return toBase64(bytes);
  throw new RangeError(
    `${what} has ${bytes.length} bytes; at most ${MAX_DATA} are hashed or signed at once.`,
  );
}

/** @type {(algorithm: unknown) => Record<string, unknown>} */
function algorithmOf(algorithm) {
  return typeof algorithm === 'object' && algorithm !== null ? { ...algorithm } : { name: String(algorithm) };
}

/** A key in PEM is taken as its bytes. @type {(format: unknown, key: unknown) => unknown} */
function keyData(format, key) {
  if (format === 'jwk') return key;
  const isPem = typeof key === 'string' && key.includes('-----BEGIN');
  const bytes = isPem ? decodeBase64(key.replace(/-----[^-]*-----/g, '')) : bytesOf(key, 'A key');
  if (bytes.length > MAX_KEY)
    throw new RangeError(`A key has ${bytes.length} bytes; at most ${MAX_KEY} are read.`);
  return toBase64(bytes);
}

/** @type {(key: unknown) => Record<string, unknown>} */
function partsOfKey(key) {
  const parts = typeof key === 'object' && key !== null ? keys.get(key) : undefined;
  if (!parts) throw new TypeError('The key is none that crypto.subtle.importKey has given.');
  return parts;
}

export class SubtleCrypto {
  #call;

  /** @param {import('../open-call.js').GuestCall} call */
  constructor(call) {
    this.#call = call;
    Object.freeze(this);
  }

  /** @type {(algorithm: unknown, data: unknown) => Promise<ArrayBuffer>} */
  async digest(algorithm, data) {
    const { name } = algorithmOf(algorithm);
    return this.#bytes({ does: 'digest', algorithm: { name }, data: dataOf(data, 'The data') });
  }

  /** @type {(format: unknown, key: unknown, algorithm: unknown, ...rest: unknown[]) => Promise<CryptoKey>} */
  async importKey(format, key, algorithm, ...[extractable = false, usages = []]) {
    const parts = {
      format,
      key: keyData(format, key),
      algorithm: algorithmOf(algorithm),
      usages: [.../** @type {string[]} */ (usages)],
    };
    const facts = /** @type {Record<string, any>} */ (
      await ask(this.#call, 'crypto', { does: 'importKey', ...parts })
    );
    const made = new CryptoKey({ ...facts, extractable: Boolean(extractable) });
    keys.set(made, parts);
    return made;
  }

  /** @type {(algorithm: unknown, key: unknown, data: unknown) => Promise<ArrayBuffer>} */
  async sign(algorithm, key, data) {
    const question = { does: 'sign', by: partsOfKey(key), algorithm: algorithmOf(algorithm) };
    return this.#bytes({ ...question, data: dataOf(data, 'The data') });
  }

  /** @type {(algorithm: unknown, key: unknown, signature: unknown, data: unknown) => Promise<unknown>} */
  async verify(algorithm, key, signature, data) {
    const question = { does: 'verify', by: partsOfKey(key), algorithm: algorithmOf(algorithm) };
    return ask(this.#call, 'crypto', {
      ...question,
      signature: dataOf(signature, 'The signature'),
      data: dataOf(data, 'The data'),
    });
  }

  /** @type {(question: object) => Promise<ArrayBuffer>} */
  async #bytes(question) {
    const text = await ask(this.#call, 'crypto', question);
    return decodeBase64(String(text)).buffer;
  }
}

export class Crypto {
  #call;

  /** @param {import('../open-call.js').GuestCall} call */
  constructor(call) {
    this.#call = call;
    /** @readonly */
    this.subtle = new SubtleCrypto(call);
    Object.freeze(this);
  }

  /** @template {ArrayBufferView} T @param {T} values @returns {T} */
  getRandomValues(values) {
    const bytes = values instanceof ArrayBuffer ? undefined : viewOf(values);
    if (
      !bytes ||
      values instanceof Float32Array ||
      values instanceof Float64Array ||
      values instanceof DataView
    )
      throw new TypeError('getRandomValues fills lists of whole numbers, such as a Uint8Array.');
    if (bytes.length > MAX_RANDOM)
      throw new RangeError(`getRandomValues fills at most ${MAX_RANDOM} bytes at once, not ${bytes.length}.`);
    fillRandom(bytes, this.#call.world);
    return values;
  }

  randomUUID() {
    const bytes = this.getRandomValues(new Uint8Array(16));
    bytes[6] = (Number(bytes[6]) & 0x0f) | 0x40;
    bytes[8] = (Number(bytes[8]) & 0x3f) | 0x80;
    return encodeHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }
}

// Code could make keys, or what asks for another call, with them.
for (const { prototype } of [CryptoKey, SubtleCrypto, Crypto])
  Reflect.deleteProperty(prototype, 'constructor');
