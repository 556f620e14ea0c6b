import type { DocumentText } from '#engine';
import { DocumentError } from '../protocol.ts';

/** The most bytes of all parts of a document together, unpacked. */
export const MAX_UNPACKED = 200_000_000;
/** The most characters of text from a compressed file. */
const MAX_TEXT = 10_000_000;

/** All bytes of a document whose format can only be read as a whole. */
export async function whole(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > maxBytes)
      throw tooLarge(`The file has more than ${maxBytes} bytes, which \`maxBytes\` allows.`);
    all.push(piece);
  }
  return Buffer.concat(all);
}

/** Throws if a small file has unpacked to more text than a server should hold. */
export function checkText(read: DocumentText): DocumentText {
  if (read.text.length <= MAX_TEXT) return read;
  throw tooLarge(`The document has more than ${MAX_TEXT / 1e6} million characters of text.`);
}

export function unpacksTooMuch(): DocumentError {
  return tooLarge(`The file would have more than ${MAX_UNPACKED / 1e6} MB when it is unpacked.`);
}

export function tooLarge(message: string): DocumentError {
  return new DocumentError({ code: 'document_too_large', message });
}
