import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { defineOperator, input, output } from '../../base/operator.ts';
import { contentOf, formatParam, maxBytesParam } from '../_document.ts';

export default defineOperator({
  title: 'Word to text',
  doc: 'Reads the text of a Word document (DOCX), as Markdown or plain text: headings, lists, tables and notes. Pictures are left out.',
  icon: 'file-type',
  summary: 'as {format}',
  synonyms: 'word, docx, read word',
  params: z.object({ format: formatParam, maxBytes: maxBytesParam(50) }),
  options: { Limits: ['maxBytes'] },
  inputs: { in: input({ doc: 'A document.', schema: FileValue }) },
  outputs: { out: output({ doc: 'Its text.', schema: z.string() }) },
  effects: 'read',
  examples: [
    {
      title: 'No document',
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
      error: 'document_unreadable',
    },
  ],
  async run(call) {
    const { content } = await contentOf(call);
    const { text } = await call.service('documents').docx(content, call.params, call.signal);
    return text;
  },
});
