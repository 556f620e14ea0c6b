import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { defineOperator, input, output } from '../../base/operator.ts';
import { contentOf, encodingParam, maxBytesParam } from '../_document.ts';

export default defineOperator({
  title: 'Parse XML',
  doc: 'Reads XML as objects and lists. All values are texts; elements that occur more than once become lists.',
  icon: 'file-code-2',
  summary: 'text → value',
  synonyms: 'xml, rss parse, soap, xml to json',
  params: z.object({
    attributes: z
      .boolean()
      .default(true)
      .describe('Whether attributes are read, as fields with `@` before their name.'),
    prefixes: z
      .enum(['keep', 'remove'])
      .default('keep')
      .describe('Whether names keep the prefix of their namespace.'),
    lists: z
      .array(z.string().max(200))
      .max(100)
      .default([])
      .describe('Elements that are lists even where there is only one of them.'),
    encoding: encodingParam,
    maxBytes: maxBytesParam(10),
  }),
  options: { Format: ['encoding'], Limits: ['maxBytes'] },
  inputs: { in: input({ doc: 'XML as a text, or as a file.', schema: z.union([z.string(), FileValue]) }) },
  outputs: { out: output({ doc: 'The root element, by its name.' }) },
  effects: 'read',
  examples: [
    {
      title: 'An order',
      params: { lists: ['item'] },
      inputs: { in: '<order id="007"><item>pen</item><note/></order>' },
      outputs: { out: { order: { item: ['pen'], note: '', '@id': '007' } } },
    },
    { title: 'Not closed', inputs: { in: '<a><b></a>' }, error: 'document_unreadable' },
  ],
  async run(call) {
    const { content, ...hints } = await contentOf(call, call.params.encoding);
    return await call.service('documents').xml(content, { ...call.params, ...hints }, call.signal);
  },
});
