import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { WeftError } from '#engine';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** The names of the codings that are read. */
export const CODINGS = Object.keys(decoders).filter((name) => !name.startsWith('x-'));

/** More codings than this are an attack. */
const MAX_CODINGS = 2;

/**
 * A pipeline: bytes that are written to `first` leave `last` without the codings of `content-encoding`. Undefined if a coding is
 * unknown.
 */
export function decodersOf(
  encoding: string,
): { readonly first: Transform; readonly last: Transform } | 'identity' | undefined {
  const codings = encoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_CODINGS || codings.some((coding) => !Object.hasOwn(decoders, coding)))
    return undefined;
  const [first, second] = codings.reverse().map((coding) => decoders[coding]?.() as Transform);
  if (first === undefined) return 'identity';
  // Failures surface where the last stream is read.
  return { first, last: second === undefined ? first : pipeline(first, second, () => {}) };
}

/** The body decompressed according to `content-encoding`. Throws `bad_answer` for an unknown encoding. */
export function decodedBody(body: Readable, encoding: string | undefined): Readable {
  const decoder = decodersOf(encoding ?? '');
  if (decoder === undefined) {
    body.destroy();
    throw new WeftError(
      'bad_answer',
      `The answer is encoded as ${encoding?.slice(0, 100)}, which cannot be read.`,
    );
  }
  if (decoder === 'identity') return body;
  pipeline(body, decoder.first, () => {});
  return decoder.last;
}

/** The error `value_too_large` for an answer above its limit in bytes. */
export function tooLarge(maxBytes: number): WeftError {
  return new WeftError(
    'value_too_large',
    `The answer is larger than ${maxBytes} bytes; \`maxBytes\` raises the limit.`,
  );
}
