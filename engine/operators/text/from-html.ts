import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { defineOperator, input, output } from '../../base/operator.ts';
import { contentOf, encodingParam, formatParam, maxBytesParam } from '../_document.ts';

export default defineOperator({
  title: 'HTML to text',
  doc: 'Reads the text of a web page, as Markdown or plain text. Scripts are neither run nor kept.',
  icon: 'file-code',
  summary: 'as {format}',
  synonyms: 'scrape, html, web page, html extract, strip tags, readability, markdown, scraper',
  params: z.object({
    format: formatParam,
    main: z
      .boolean()
      .default(false)
      .describe('Whether only the article of the page is read, without menus, ads and footers.'),
    encoding: encodingParam,
    maxBytes: maxBytesParam(10),
  }),
  options: { Format: ['encoding'], Limits: ['maxBytes'] },
  inputs: { in: input({ doc: 'HTML as a text, or as a file.', schema: z.union([z.string(), FileValue]) }) },
  outputs: {
    text: output({ doc: 'The text.', schema: z.string() }),
    title: output({ doc: 'The title of the page, or null.', schema: z.string().nullable() }),
  },
  effects: 'read',
  examples: [
    {
      title: 'Markdown',
      inputs: {
        in: '<title>Tea</title><h1>Green tea</h1><p>Steep <b>two</b> minutes.</p><script>alert(1)</script>',
      },
      outputs: { text: '# Green tea\n\nSteep **two** minutes.', title: 'Tea' },
    },
    {
      title: 'Plain',
      params: { format: 'plain' },
      inputs: { in: '<ul><li>one<li>two</ul>' },
      outputs: { text: 'one\n\ntwo', title: null },
    },
    { title: 'Neither', inputs: { in: 1 }, error: 'bad_input' },
  ],
  async run(call) {
    const { content, ...hints } = await contentOf(call, call.params.encoding);
    const options = { ...call.params, ...hints };
    const { title, text } = await call.service('documents').html(content, options, call.signal);
    return { text, title: title ?? null };
  },
});
