import { DECLARED_WITHIN, type EncodingHints, encodingOf } from '#shared/text-encoding.ts';
import { DocumentError } from '../protocol.ts';
import { tooLarge } from './whole.ts';

/** The text of a document chunk by chunk, without a byte order mark. */
export async function* decoded(
  bytes: AsyncIterable<Uint8Array>,
  hints: EncodingHints,
): AsyncGenerator<string, undefined> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  try {
    for await (const piece of withStart(bytes, hints.declares === undefined ? 3 : DECLARED_WITHIN)) {
      decoder ??= new TextDecoder(encodingOf(piece, hints), { fatal: true });
      const text = decoder.decode(piece, { stream: true });
      if (text !== '') yield text;
    }
    const rest = decoder?.decode();
    if (rest) yield rest;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const tried = (decoder?.encoding ?? 'utf-8').toUpperCase();
    throw new DocumentError({
      code: 'document_unreadable',
      message: `The file is not a text in ${tried}; choose its \`encoding\` where there is one, or convert it to UTF-8.`,
    });
  }
}

/** Makes the first chunk at least so many bytes long, if the document has as many. */
async function* withStart(bytes: AsyncIterable<Uint8Array>, least: number): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined;
  let isOpen = false;
  for await (const piece of bytes) {
    if (isOpen) yield piece;
    else {
      start = start === undefined ? piece : Buffer.concat([start, piece]);
      isOpen = start.length >= least;
      if (isOpen) yield start;
    }
  }
  if (!isOpen && start !== undefined) yield start;
}

export async function wholeText(
  bytes: AsyncIterable<Uint8Array>,
  hints: EncodingHints,
  maxBytes: number,
): Promise<string> {
  let text = '';
  for await (const piece of decoded(limited(bytes, maxBytes), hints)) text += piece;
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
