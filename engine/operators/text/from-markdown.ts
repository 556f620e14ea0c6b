import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { defineOperator, input, output } from '../../base/operator.ts';
import { contentOf, encodingParam, maxBytesParam } from '../_document.ts';

export default defineOperator({
  title: 'Markdown to HTML',
  doc: 'Writes Markdown as HTML, for a mail or a page. HTML within it becomes text, and links that run code stay text.',
  icon: 'file-code',
  summary: 'as HTML',
  synonyms: 'markdown, render markdown, convert markdown, html mail',
  params: z.object({
    breaks: z.boolean().default(false).describe('Whether a single line break starts a new line.'),
    encoding: encodingParam,
    maxBytes: maxBytesParam(1),
  }),
  options: { Format: ['encoding'], Limits: ['maxBytes'] },
  inputs: {
    in: input({ doc: 'Markdown as a text, or as a file.', schema: z.union([z.string(), FileValue]) }),
  },
  outputs: { out: output({ doc: 'The HTML, without the frame of a page.', schema: z.string() }) },
  effects: 'read',
  examples: [
    {
      title: 'An answer of a model',
      inputs: { in: '# Tea\n\nSteep **two** minutes.' },
      outputs: { out: '<h1>Tea</h1>\n<p>Steep <strong>two</strong> minutes.</p>' },
    },
    { title: 'No text', inputs: { in: 1 }, error: 'bad_input' },
  ],
  async run(call) {
    const { breaks, maxBytes } = call.params;
    const { content, ...hints } = await contentOf(call, call.params.encoding);
    return call.service('documents').markdown(content, { breaks, maxBytes, ...hints }, call.signal);
  },
});
