/**
 * Requests of code that need nothing outside this process: timers, digests and signatures. The code may have been replaced
 * by anything, so all that it sends is checked. Answers carry the sign `R`, failures `Q`, as those of the server do.
 */

/** The longest time limit of a call, in milliseconds. */
const MAX_SLEEP_MS = 900_000;
/** Characters of a key and of other data in base64, and bits of a key. */
const MAX_KEY = 20_000;
const MAX_DATA = 6_000_000;
const MAX_KEY_BITS = 4096;
const FORMATS = new Set(['raw', 'pkcs8', 'spki', 'jwk']);
const DIGESTS = new Set(['MD5', 'SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']);
const SIGNING = new Set(['HMAC', 'RSASSA-PKCS1-V1_5', 'RSA-PSS', 'ECDSA', 'ED25519']);

/** @typedef {(op: string, id: number, unit: number, text: string) => void} Answered */

export class LocalAnswers {
  /** The timers of each call. @type {Map<number, Set<NodeJS.Timeout>>} */
  #timers = new Map();
  #answered;

  /** @param {Answered} answered */
  constructor(answered) {
    this.#answered = answered;
  }

  /** False if the request is for the outside. @type {(id: number, unit: number, text: string) => boolean} */
  take(id, unit, text) {
    const [number = '', name = ''] = text.split(' ', 2);
    if (name !== 'sleep' && name !== 'crypto') return false;
    const tell = (/** @type {string} */ op, /** @type {unknown} */ value) =>
      this.#answered(op, id, unit, `${number} ${JSON.stringify(value)}`);
    const fail = (/** @type {unknown} */ error) =>
      tell('Q', { code: 'failed', message: error instanceof Error ? error.message : 'It failed.' });
    try {
      const asked = JSON.parse(text.slice(number.length + name.length + 2));
      if (name === 'sleep') this.#sleep(id, asked.ms, () => tell('R', null));
      else answerCrypto(asked).then((value) => tell('R', value), fail);
    } catch (error) {
      // Not in this turn: the realm is still being listened to.
      setImmediate(fail, error);
    }
    return true;
  }

  /** The call is over. @type {(id: number) => void} */
  forget(id) {
    if (this.#timers.size === 0) return;
    for (const timer of this.#timers.get(id) ?? []) clearTimeout(timer);
    this.#timers.delete(id);
  }

  /** @type {(id: number, ms: unknown, done: () => void) => void} */
  #sleep(id, ms, done) {
    if (typeof ms !== 'number' || !(ms >= 0 && ms <= MAX_SLEEP_MS))
      throw new RangeError(`A timer takes milliseconds from 0 to ${MAX_SLEEP_MS}.`);
    const own = this.#timers.get(id) ?? new Set();
    this.#timers.set(id, own);
    const timer = setTimeout(() => {
      own.delete(timer);
      if (own.size === 0) this.#timers.delete(id);
      done();
    }, ms);
    own.add(timer);
  }
}

/** @type {(asked: any) => Promise<unknown>} */
async function answerCrypto(asked) {
  switch (asked?.does) {
    case 'digest':
      return await digest(asked);
    case 'importKey':
      return await inspectKey(asked);
    case 'sign':
      return base64Of(
        await subtle().sign(signing(asked.algorithm), await keyOf(asked.by), bytesOf(asked.data)),
      );
    case 'verify': {
      const [key, signature, data] = [await keyOf(asked.by), bytesOf(asked.signature), bytesOf(asked.data)];
      return await subtle().verify(signing(asked.algorithm), key, signature, data);
    }
    default:
      throw new TypeError('crypto.subtle has digest, importKey, sign and verify here.');
  }
}

/** Loaded with the first use. */
function nodeCrypto() {
  return process.getBuiltinModule('node:crypto');
}

function subtle() {
  return nodeCrypto().webcrypto.subtle;
}

/** @type {(asked: any) => Promise<string>} */
async function digest({ algorithm, data }) {
  const name = String(algorithm?.name).toUpperCase();
  if (!DIGESTS.has(name))
    throw new TypeError(`crypto.subtle.digest knows ${[...DIGESTS].join(', ')}, not ${name.slice(0, 50)}.`);
  const bytes = bytesOf(data);
  if (name === 'MD5') return nodeCrypto().createHash('md5').update(bytes).digest('base64');
  return base64Of(await subtle().digest(name, bytes));
}

/** What the code sees of a key. @type {(asked: any) => Promise<object>} */
async function inspectKey(asked) {
  const { type, algorithm, usages } = await keyOf(asked);
  const { publicExponent: _, ...shown } = /** @type {Record<string, unknown>} */ ({ ...algorithm });
  return { type, algorithm: shown, usages };
}

/** @type {(asked: any) => Promise<import('node:crypto').webcrypto.CryptoKey>} */
async function keyOf({ format, key, algorithm, usages }) {
  if (!FORMATS.has(format)) throw new TypeError(`crypto.subtle.importKey reads ${[...FORMATS].join(', ')}.`);
  if (JSON.stringify(key).length > MAX_KEY)
    throw new RangeError(`A key has at most ${MAX_KEY} characters of base64.`);
  const data = format === 'jwk' ? key : bytesOf(key);
  const made = await imported(format, data, signing(algorithm), usages);
  const { modulusLength = 0, length = 0 } = /** @type {{ modulusLength?: number, length?: number }} */ (
    made.algorithm
  );
  if (modulusLength > MAX_KEY_BITS)
    throw new RangeError(`An RSA key has at most ${MAX_KEY_BITS} bits here, not ${modulusLength}.`);
  if (length > MAX_KEY * 6) throw new RangeError('The key is too long.');
  return made;
}

/** @type {(format: any, data: any, algorithm: any, usages: any) => Promise<import('node:crypto').webcrypto.CryptoKey>} */
async function imported(format, data, algorithm, usages) {
  try {
    return await subtle().importKey(format, data, algorithm, false, usages);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new TypeError(
      `crypto.subtle.importKey: ${message || 'the key is not valid'} (format \`${format}\`, algorithm \`${algorithm.name}\`).`,
    );
  }
}

/** Only what these algorithms need. @type {(given: any) => any} */
function signing(given) {
  const { name, hash, namedCurve, saltLength } = given ?? {};
  if (!SIGNING.has(String(name).toUpperCase()))
    throw new TypeError(
      `crypto.subtle signs with HMAC, RSASSA-PKCS1-v1_5, RSA-PSS, ECDSA and Ed25519, not ${String(name).slice(0, 50)}.`,
    );
  const chosen = Object.entries({ hash, namedCurve, saltLength }).filter(([, value]) => value !== undefined);
  return { name: String(name), ...Object.fromEntries(chosen) };
}

/** @type {(text: unknown) => Buffer<ArrayBuffer>} */
function bytesOf(text) {
  if (typeof text !== 'string' || text.length > MAX_DATA) throw new RangeError('The data are too long.');
  return Buffer.from(text, 'base64');
}

/** @type {(bytes: ArrayBuffer) => string} */
function base64Of(bytes) {
  return Buffer.from(bytes).toString('base64');
}
