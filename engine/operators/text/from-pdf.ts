import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { defineOperator, input, output } from '../../base/operator.ts';
import { contentOf, maxBytesParam } from '../_document.ts';

export default defineOperator({
  title: 'PDF to text',
  doc: 'Reads the text of a PDF page by page. Scanned pages are pictures and have none.',
  icon: 'file-text',
  summary: 'at most {maxPages} pages',
  synonyms: 'pdf, read pdf, extract pdf, pdf loader',
  params: z.object({
    password: z
      .string()
      .max(200)
      .optional()
      .describe('For a document that is encrypted.')
      .meta({ format: 'password' }),
    maxPages: z
      .int()
      .min(1)
      .max(10_000)
      .default(500)
      .describe('Pages after these are not read; `total` tells how many there are.'),
    maxBytes: maxBytesParam(50),
  }),
  options: { Limits: ['maxPages', 'maxBytes'] },
  inputs: { in: input({ doc: 'A PDF.', schema: FileValue }) },
  outputs: {
    text: output({ doc: 'The text of all pages, with an empty line between them.', schema: z.string() }),
    pages: output({
      doc: 'The text of each page.',
      schema: z.array(z.object({ page: z.int(), text: z.string() })),
    }),
    title: output({ doc: 'The title of the document, or null.', schema: z.string().nullable() }),
    total: output({ doc: 'All pages of the document.', schema: z.int() }),
  },
  effects: 'read',
  examples: [
    {
      title: 'No PDF',
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
      error: 'document_unreadable',
    },
  ],
  async run(call) {
    const { content } = await contentOf(call);
    const read = await call.service('documents').pdf(content, call.params, call.signal);
    const { title = null, text, pages = [], pageCount = pages.length, unread = [] } = read;
    if (unread.length > 0) call.log('warn', `These pages could not be read: ${unread.join(', ')}.`);
    return { text, pages: pages.slice(), title, total: pageCount };
  },
});
