import type { DocumentText } from '#engine';
import { DocumentError } from '../protocol.ts';

/** What the parts of a document may have together, unpacked, in bytes. */
export const MAX_UNPACKED = 200_000_000;
/** Characters of the text of a document whose file is packed. */
const MAX_TEXT = 10_000_000;

/** Texts of a document piece by piece, without a byte order mark. `auto`: UTF-8, or UTF-16 if it begins with its mark. */
export async function* decoded(
  bytes: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<string, undefined> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  try {
    for await (const piece of fromMark(bytes)) {
      decoder ??= new TextDecoder(encoding === 'auto' ? markedEncoding(piece) : encoding, { fatal: true });
      const text = decoder.decode(piece, { stream: true });
      if (text !== '') yield text;
    }
    const rest = decoder?.decode();
    if (rest) yield rest;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const known = encoding === 'auto' ? 'UTF-8' : encoding;
    throw new DocumentError({
      code: 'document_unreadable',
      message: `The file is not a text in ${known}; choose its \`encoding\`.`,
    });
  }
}

/** The first piece is long enough to hold a mark. */
async function* fromMark(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined;
  let isOpen = false;
  for await (const piece of bytes) {
    if (isOpen) yield piece;
    else {
      start = start === undefined ? piece : Buffer.concat([start, piece]);
      isOpen = start.length >= 3;
      if (isOpen) yield start;
    }
  }
  if (!isOpen && start !== undefined) yield start;
}

function markedEncoding(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8';
}

/** All bytes of a document that can only be read as a whole. */
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

export async function wholeText(
  bytes: AsyncIterable<Uint8Array>,
  encoding: string,
  maxBytes: number,
): Promise<string> {
  let text = '';
  for await (const piece of decoded(limited(bytes, maxBytes), encoding)) text += piece;
  return text;
}

async function* limited(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > maxBytes)
      throw tooLarge(`The document has more than ${maxBytes} bytes, which \`maxBytes\` allows.`);
    yield piece;
  }
}

/** Throws if a small file has become more text than a server should hold. */
export function checkText(read: DocumentText): DocumentText {
  if (read.text.length <= MAX_TEXT) return read;
  throw tooLarge(`The document has more than ${MAX_TEXT / 1e6} million characters of text.`);
}

export function unpacksTooMuch(): DocumentError {
  return tooLarge(`The file would take more than ${MAX_UNPACKED / 1e6} MB when it is unpacked.`);
}

export function tooLarge(message: string): DocumentError {
  return new DocumentError({ code: 'document_too_large', message });
}
