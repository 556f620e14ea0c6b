import { z } from 'zod';
import { handleOf } from '#shared/file.ts';
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
    'How characters are written as bytes. `auto`: UTF-8, or UTF-16 if the file begins with its mark.',
  );

export const formatParam = z
  .enum(['markdown', 'plain'])
  .default('markdown')
  .describe('markdown: with headings, lists, tables and links. plain: text alone.');

export function maxBytesParam(megabytes: number) {
  return z
    .int()
    .min(1)
    .max(100_000_000)
    .default(megabytes * 1_000_000)
    .describe('Largest document that is read, in bytes.');
}

/** The bytes of an input that is a file or, where that makes sense, a text. */
export async function contentOf(call: Call): Promise<AsyncIterable<Uint8Array>> {
  const { input } = call;
  if (typeof input === 'string') return once(input);
  if (reading(() => handleOf(input)) === undefined)
    throw new WeftError('bad_input', 'The input is neither a file nor a text.');
  return (await call.service('files').open(input, call.asker)).content;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
