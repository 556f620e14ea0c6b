import { type Readable, pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { WeftError } from '#engine';

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** More codings than this are an attack. */
const MAX_CODINGS = 2;

/** The body decompressed according to `content-encoding`. Throws `bad_answer` for an unknown encoding. */
export function decodedBody(body: Readable, encoding: string | undefined): Readable {
  const codings = (encoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_CODINGS || codings.some((coding) => !Object.hasOwn(decoders, coding))) {
    body.destroy();
    throw new WeftError(
      'bad_answer',
      `The answer is encoded as ${encoding?.slice(0, 100)}, which cannot be read.`,
    );
  }
  let decoded = body;
  for (const coding of codings.reverse()) {
    const decoder = decoders[coding]?.() as Readable & NodeJS.ReadWriteStream;
    // Failures surface where the last stream is read.
    decoded = pipeline(decoded, decoder, () => {}) as unknown as Readable;
  }
  return decoded;
}

export function tooLarge(maxBytes: number): WeftError {
  return new WeftError(
    'value_too_large',
    `The answer is larger than ${maxBytes} bytes; \`maxBytes\` raises the limit.`,
  );
}
