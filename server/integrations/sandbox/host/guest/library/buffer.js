import { encodeUtf8, utf8Length } from '../utf8.js';
import { encodingOf, isEncoding, viewOf } from './bytes.js';

/** The part of Node's `Buffer` that handles bytes in memory. */

/** @type {(value: unknown, encoding?: unknown) => Uint8Array<ArrayBuffer>} */
function copyOf(value, encoding = 'utf8') {
  if (typeof value === 'string') return encodingOf(encoding).encode(value);
  const bytes = viewOf(value);
  if (bytes) return bytes.slice();
  const { type, data } = /** @type {{ type?: unknown, data?: unknown }} */ (Object(value));
  const list = type === 'Buffer' && Array.isArray(data) ? data : value;
  if (Array.isArray(list)) return Uint8Array.from(list);
  throw new TypeError('Buffer.from takes a text, bytes, an ArrayBuffer or a list of numbers.');
}

/** @type {(bytes: Uint8Array) => Buffer} */
function asBuffer({ buffer, byteOffset, byteLength }) {
  return new Buffer(/** @type {ArrayBuffer} */ (buffer), byteOffset, byteLength);
}

/** @type {(value: unknown) => Uint8Array} */
function needBytes(value) {
  if (!(value instanceof Uint8Array)) throw new TypeError('A Buffer or a Uint8Array is needed.');
  return value;
}

export class Buffer extends Uint8Array {
  /** @override @type {(value: any, encoding?: any, length?: any) => any} */
  static from(value, encoding, length) {
    if (value instanceof ArrayBuffer) return new Buffer(value, encoding, length);
    return asBuffer(copyOf(value, encoding));
  }

  /** @type {(size: number, fill?: number | string, encoding?: string) => Buffer} */
  static alloc(size, fill = 0, encoding = 'utf8') {
    const buffer = new Buffer(size);
    if (typeof fill === 'number') return fill === 0 ? buffer : /** @type {Buffer} */ (buffer.fill(fill));
    const piece = encodingOf(encoding).encode(fill);
    for (let at = 0; piece.length > 0 && at < size; at++) buffer[at] = Number(piece[at % piece.length]);
    return buffer;
  }

  /** @type {(size: number) => Buffer} */
  static allocUnsafe(size) {
    return new Buffer(size);
  }

  /** @type {(list: Uint8Array[], length?: number) => Buffer} */
  static concat(list, length) {
    const all = list.map(needBytes);
    const buffer = new Buffer(length ?? all.reduce((sum, bytes) => sum + bytes.length, 0));
    let at = 0;
    for (const bytes of all) {
      const part = bytes.subarray(0, buffer.length - at);
      buffer.set(part, at);
      at += part.length;
    }
    return buffer;
  }

  /** @type {(value: unknown, encoding?: unknown) => number} */
  static byteLength(value, encoding = 'utf8') {
    if (typeof value !== 'string') return copyOf(value).length;
    const known = encodingOf(encoding);
    return known.encode === encodeUtf8 ? utf8Length(value) : known.encode(value).length;
  }

  /** @type {(value: unknown) => boolean} */
  static isBuffer(value) {
    return value instanceof Buffer;
  }

  /** @type {(name: unknown) => boolean} */
  static isEncoding(name) {
    return isEncoding(name);
  }

  /** @type {(a: Uint8Array, b: Uint8Array) => number} */
  static compare(a, b) {
    const length = Math.min(needBytes(a).length, needBytes(b).length);
    for (let i = 0; i < length; i++) if (a[i] !== b[i]) return Number(a[i]) < Number(b[i]) ? -1 : 1;
    return Math.sign(a.length - b.length);
  }

  /** @override @type {(encoding?: any, start?: number, end?: number) => string} */
  toString(encoding = 'utf8', start = 0, end = this.length) {
    return encodingOf(encoding).decode(
      Uint8Array.prototype.subarray.call(this, Math.max(0, start), Math.max(0, end)),
    );
  }

  toJSON() {
    return { type: 'Buffer', data: Array.from(this) };
  }

  /** @type {(other: Uint8Array) => boolean} */
  equals(other) {
    return Buffer.compare(this, other) === 0;
  }

  /** @type {(other: Uint8Array) => number} */
  compare(other) {
    return Buffer.compare(this, other);
  }

  /** @override Of the same bytes, as in Node. @type {(start?: number, end?: number) => any} */
  slice(start, end) {
    return this.subarray(start, end);
  }

  /** @type {(target: Uint8Array, at?: number, start?: number, end?: number) => number} */
  copy(target, at = 0, start = 0, end = this.length) {
    const part = this.subarray(start, Math.min(end, start + Math.max(0, target.length - at)));
    target.set(part, at);
    return part.length;
  }

  /** @type {(text: string, at?: number, length?: number | string, encoding?: string) => number} */
  write(text, at = 0, length = this.length - at, encoding = 'utf8') {
    if (typeof length === 'string') return this.write(text, at, this.length - at, length);
    return asBuffer(encodingOf(encoding).encode(text)).copy(this.subarray(0, at + length), at);
  }

  /** @override @type {(wanted: any, from?: any, encoding?: any) => number} */
  indexOf(wanted, from = 0, encoding = 'utf8') {
    if (typeof wanted === 'number') return super.indexOf(wanted & 255, from);
    const bytes = typeof wanted === 'string' ? encodingOf(encoding).encode(wanted) : needBytes(wanted);
    const start = from < 0 ? Math.max(0, this.length + from) : from;
    for (let at = start; at + bytes.length <= this.length; at++) {
      let same = 0;
      while (same < bytes.length && this[at + same] === bytes[same]) same++;
      if (same === bytes.length) return at;
    }
    return -1;
  }

  /** @override @type {(wanted: any, from?: any, encoding?: any) => boolean} */
  includes(wanted, from, encoding) {
    return this.indexOf(wanted, from, encoding) !== -1;
  }
}

/** Numbers in bytes: the name in Buffer, the one in DataView, and how many bytes. */
const NUMBERS = /** @type {const} */ ([
  ['UInt8', 'Uint8', 1],
  ['Int8', 'Int8', 1],
  ['UInt16', 'Uint16', 2],
  ['Int16', 'Int16', 2],
  ['UInt32', 'Uint32', 4],
  ['Int32', 'Int32', 4],
  ['BigUInt64', 'BigUint64', 8],
  ['BigInt64', 'BigInt64', 8],
  ['Float', 'Float32', 4],
  ['Double', 'Float64', 8],
]);

for (const [name, viewName, size] of NUMBERS) {
  for (const order of size === 1 ? [''] : ['LE', 'BE']) {
    /** @type {(buffer: Buffer) => any} */
    const view = ({ buffer, byteOffset, byteLength }) => new DataView(buffer, byteOffset, byteLength);
    defineHidden(Buffer.prototype, `read${name}${order}`, function (/** @type {number} */ at = 0) {
      return view(this)[`get${viewName}`](at, order === 'LE');
    });
    defineHidden(
      Buffer.prototype,
      `write${name}${order}`,
      function (/** @type {number} */ value, /** @type {number} */ at = 0) {
        view(this)[`set${viewName}`](at, value, order === 'LE');
        return at + size;
      },
    );
  }
}

/** @type {(object: object, name: string, value: (this: any, ...given: any[]) => unknown) => void} */
function defineHidden(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
}
