/** UTF-8, because a bare context has no encoder. */

/** A lone surrogate becomes U+FFFD. @type {(text: string) => Uint8Array<ArrayBuffer>} */
export function encodeUtf8(text) {
  const bytes = new Uint8Array(utf8Length(text));
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const code = pointAt(text, i);
    if (code < 0x80) bytes[at++] = code;
    else {
      if (code > 0xffff) i++;
      at = putPoint(bytes, at, code);
    }
  }
  return bytes;
}

/** The number of bytes. @type {(text: string) => number} */
export function utf8Length(text) {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800) length += 1;
    else {
      length += 2;
      if (pointAt(text, i) > 0xffff) i++;
    }
  }
  return length;
}

/** @type {(text: string, i: number) => number} */
function pointAt(text, i) {
  const code = Number(text.codePointAt(i));
  return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
}

/** @type {(bytes: Uint8Array, at: number, code: number) => number} where the next one begins */
function putPoint(bytes, at, code) {
  const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const [lead = 0] = [[], [0xc0], [0xe0], [0xf0]][more] ?? [];
  bytes[at] = lead | (code >> (6 * more));
  for (let i = 1; i <= more; i++) bytes[at + i] = 0x80 | ((code >> (6 * (more - i))) & 63);
  return at + more + 1;
}
