import { encodeUtf8 } from '../utf8.js';
import {
  decodeBase64,
  decodeLatin1,
  decodeUtf16,
  decodeUtf8,
  encodeLatin1,
  toBase64,
  viewOf,
} from './bytes.js';

/** `atob`, `btoa`, `TextEncoder` and `TextDecoder`, as browsers have them. */

/** @type {(text: unknown) => string} */
export function btoa(text) {
  const given = String(text);
  for (let i = 0; i < given.length; i++)
    if (given.charCodeAt(i) > 255)
      throw new TypeError(
        "btoa takes characters up to U+00FF; use Buffer.from(text).toString('base64') for others.",
      );
  return toBase64(encodeLatin1(given));
}

/** @type {(text: unknown) => string} */
export function atob(text) {
  const given = String(text).replace(/[\t\n\f\r ]/g, '');
  const bare = given.length % 4 === 0 ? given.replace(/={1,2}$/, '') : given;
  if (bare.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(bare)) throw new TypeError('The text is not base64.');
  return decodeLatin1(decodeBase64(bare));
}

export class TextEncoder {
  get encoding() {
    return 'utf-8';
  }

  encode(text = '') {
    return encodeUtf8(String(text));
  }
}

const LABELS = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['utf-16le', 'utf-16le'],
  ['utf-16', 'utf-16le'],
]);

export class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBOM;

  /** @param {unknown} label @param {{ fatal?: unknown, ignoreBOM?: unknown }} options */
  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    const encoding = LABELS.get(String(label).trim().toLowerCase());
    if (encoding === undefined)
      throw new RangeError(
        `TextDecoder knows utf-8 and utf-16le, not ${String(label)}; \`file.to-text\` reads other encodings.`,
      );
    this.#encoding = encoding;
    this.#fatal = Boolean(fatal);
    this.#ignoreBOM = Boolean(ignoreBOM);
  }

  get encoding() {
    return this.#encoding;
  }

  get fatal() {
    return this.#fatal;
  }

  get ignoreBOM() {
    return this.#ignoreBOM;
  }

  /** @param {unknown} given @param {{ stream?: unknown }} options */
  decode(given = new Uint8Array(), { stream = false } = {}) {
    if (stream) throw new TypeError('TextDecoder decodes whole values here: put the pieces together first.');
    const bytes = viewOf(given);
    if (!bytes) throw new TypeError('TextDecoder decodes bytes: a Uint8Array, a Buffer or an ArrayBuffer.');
    const text = this.#encoding === 'utf-8' ? decodeUtf8(bytes, this.#fatal) : this.#utf16(bytes);
    return !this.#ignoreBOM && text.startsWith('\ufeff') ? text.slice(1) : text;
  }

  /** @param {Uint8Array} bytes */
  #utf16(bytes) {
    const text = decodeUtf16(bytes);
    const whole = bytes.length % 2 === 0 ? text : `${text}\ufffd`;
    if (this.#fatal && (bytes.length % 2 !== 0 || !text.isWellFormed()))
      throw new TypeError('The bytes are not UTF-16.');
    return whole.toWellFormed();
  }
}
