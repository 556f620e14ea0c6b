import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { charsetOf, encodingOf } from '#shared/text-encoding.ts';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { encodingParam } from '../_document.ts';

export default defineOperator({
  title: 'File to text',
  doc: 'Reads a file as text.',
  icon: 'file-text',
  summary: '[as {encoding|unless:auto}]',
  synonyms: 'extract from file, decode file, read text file, document extractor',
  params: z.object({
    encoding: encodingParam,
    maxBytes: z
      .int()
      .min(1)
      .max(100_000_000)
      .default(10_000_000)
      .describe('Largest file that is read, in bytes.'),
  }),
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
    { title: 'No file', inputs: { in: { name: 'a.csv' } }, error: 'bad_input' },
  ],
  async run(call) {
    const { encoding, maxBytes } = call.params;
    const { file, content } = await call.service('files').open(call.input, call.asker);
    if (file.bytes > maxBytes)
      throw new WeftError(
        'file_too_large',
        `${file.name} has ${file.bytes} bytes; \`maxBytes\` allows ${maxBytes}.`,
        { field: 'params.maxBytes' },
      );
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
