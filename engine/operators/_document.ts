import { z } from 'zod';
import { handleOf } from '#shared/file.ts';
import { charsetOf } from '#shared/text-encoding.ts';
import { type Call, WeftError } from '../base/operator.ts';
import { reading } from './_record.ts';

/** Encodings of texts in files. */
export const encodingParam = z
  .enum([
    'auto',
    'utf-8',
    'utf-16le',
    'utf-16be',
    'windows-1252',
    'iso-8859-1',
    'iso-8859-2',
    'iso-8859-15',
    'windows-1250',
    'windows-1251',
    'koi8-r',
    'macintosh',
    'shift_jis',
    'euc-jp',
    'euc-kr',
    'gb18030',
    'big5',
  ])
  .default('auto')
  .describe(
    'How characters are written as bytes. `auto`: as the file says (a byte order mark, the charset of the answer that it came from, the declaration of HTML or XML), otherwise UTF-8.',
  );

export const formatParam = z
  .enum(['markdown', 'plain'])
  .default('markdown')
  .describe('markdown: with headings, lists, tables and links. plain: text alone.');

/** The param for the largest document; `megabytes` is its default. */
export function maxBytesParam(megabytes: number) {
  return z
    .int()
    .min(1)
    .max(100_000_000)
    .default(megabytes * 1_000_000)
    .describe('Largest document that is read, in bytes.');
}

/** The bytes of a document, and their encoding. */
export interface Content {
  readonly content: AsyncIterable<Uint8Array>;
  readonly encoding?: string | undefined;
  readonly charset?: string | undefined;
}

/** The content of an input that is a file or, where that makes sense, a text. */
export async function contentOf(
  call: Pick<Call, 'input' | 'asker' | 'service'>,
  encoding?: string,
): Promise<Content> {
  const { input } = call;
  // A text is decoded already: its declaration, or the `encoding` for files, does not apply.
  if (typeof input === 'string') return { content: once(input), encoding: 'utf-8' };
  if (reading(() => handleOf(input)) === undefined)
    throw new WeftError('bad_input', 'The input is neither a file nor a text.');
  const { file, content } = await call.service('files').open(input, call.asker);
  return { content, encoding, charset: charsetOf(file.type) };
}

/** A text as the content of a document. */
export async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** Bytes as the content of a document. */
export async function* bytesOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
