import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { charsetOf, encodingOf } from '#shared/text-encoding.ts';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { encodingParam } from '../_document.ts';
import { bytesToBase64 } from '../_encodings.ts';
import { inSlices } from '../_slices.ts';

export default defineOperator({
  title: 'File to text',
  doc: 'Reads a file as text, or the bytes of any file as base64.',
  icon: 'file-text',
  summary: '[as {as|unless:text}][as {encoding|unless:auto}]',
  synonyms:
    'extract from file, decode file, read text file, document extractor, file to base64, base64 encode, binary to string, data url',
  params: z.object({
    as: z
      .enum(['text', 'base64', 'data-url'])
      .default('text')
      .describe(
        'text: its characters. base64 and data-url: the bytes of any file as base64, alone or as a data URL.',
      ),
    encoding: encodingParam.meta({ when: { param: 'as', is: ['text'] } }),
    maxBytes: z
      .int()
      .min(1)
      .max(100_000_000)
      .default(10_000_000)
      .describe('Largest file that is read, in bytes.'),
  }),
  options: { Format: ['encoding'], Limits: ['maxBytes'] },
  inputs: { in: input({ doc: 'A file.', schema: FileValue }) },
  outputs: { out: output({ doc: 'Its text, without a mark at the beginning.', schema: z.string() }) },
  effects: 'read',
  lift: true,
  examples: [
    {
      title: 'A text file',
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'a.csv', type: 'text/csv', bytes: 21 },
      },
      outputs: { out: 'name,age\nAda,36\nLin,4' },
    },
    {
      title: 'A picture for a model',
      params: { as: 'data-url' },
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'a.csv', type: 'text/csv', bytes: 21 },
      },
      outputs: { out: 'data:text/csv;base64,bmFtZSxhZ2UKQWRhLDM2Ckxpbiw0' },
    },
    { title: 'No file', inputs: { in: { name: 'a.csv' } }, error: 'bad_input' },
  ],
  async run(call) {
    const { as, encoding, maxBytes } = call.params;
    const { file, content } = await call.service('files').open(call.input, call.asker);
    if (file.bytes > maxBytes)
      throw new WeftError(
        'file_too_large',
        `${file.name} has ${file.bytes} bytes; \`maxBytes\` allows ${maxBytes}.`,
        { field: 'params.maxBytes' },
      );
    if (as !== 'text') {
      const digits = await inSlices(call, bytesToBase64(await wholeOf(content, file.bytes, call.signal)));
      return as === 'base64' ? digits : `data:${file.type};base64,${digits}`;
    }
    let decoder: TextDecoder | undefined;
    let text = '';
    try {
      for await (const piece of content) {
        call.signal.throwIfAborted();
        decoder ??= new TextDecoder(encodingOf(piece, { encoding, charset: charsetOf(file.type) }), {
          fatal: true,
        });
        text += decoder.decode(piece, { stream: true });
      }
      return text + (decoder?.decode() ?? '');
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      const tried = (decoder?.encoding ?? 'utf-8').toUpperCase();
      throw new WeftError('bad_input', `${file.name} is not a text in ${tried}; choose its \`encoding\`.`, {
        field: 'params.encoding',
      });
    }
  },
});

async function wholeOf(content: AsyncIterable<Uint8Array>, size: number, signal: AbortSignal) {
  const bytes = new Uint8Array(size);
  let at = 0;
  for await (const piece of content) {
    signal.throwIfAborted();
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
