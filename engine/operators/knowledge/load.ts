import { z } from 'zod';
import { SplitChange } from '#shared/split-document.ts';
import { handleOf } from '#shared/file.ts';
import { isRecord } from '#shared/json.ts';
import { type Call, defineOperator, optionalInput, output, WeftError } from '../../base/operator.ts';
import type { KnowledgeLoad } from '../../base/knowledge-service.ts';
import { reading } from '../_record.ts';
import { documentParam, LoadedChunk, LoadedDocument, metadataParam, spaceParam } from '../_knowledge.ts';

export default defineOperator({
  title: 'Load document',
  doc: 'Loads a file, a text or a web page into a knowledge space, which is created if there is none: reads it, splits it, and embeds it if the space has an embedding model. A document of the same name is replaced; what has not changed is not embedded again.',
  icon: 'book-up',
  summary: '{space}[ · {name}][{url|url}]',
  synonyms:
    'index document, ingest, embed document, add to knowledge, vector store insert, document loader, upload document',
  params: z.object({
    space: spaceParam,
    name: documentParam
      .optional()
      .describe('The name of the document; by default the name of the file, or the address.'),
    url: z
      .url({ protocol: /^https?$/ })
      .max(4000)
      .optional()
      .describe('The address of the document, instead of an input.'),
    metadata: metadataParam.describe('Facts about the document, to filter searches by.'),
    split: SplitChange.optional().describe('How it is split; by default as the space says.'),
    result: z
      .enum(['document', 'chunks'])
      .default('document')
      .describe('The output: facts about the loaded document, or its chunks with their text.'),
  }),
  options: { Document: ['metadata', 'split'], Result: ['result'] },
  inputs: {
    in: optionalInput({
      doc: 'A file (PDF, DOCX, HTML, Markdown, CSV, XLSX, text), a text, or an object with `text` or `url` and perhaps a `name`. Not needed with `url`.',
    }),
  },
  outputs: { out: output({ doc: 'The document with the number of its chunks, or the list of them.' }) },
  infer: {
    outputs: {
      out: {
        byParam: {
          name: 'result',
          cases: { chunks: { schema: z.toJSONSchema(z.array(LoadedChunk)) } },
          else: { schema: z.toJSONSchema(LoadedDocument) },
        },
      },
    },
  },
  effects: 'write',
  lift: true,
  examples: [
    {
      title: 'A text',
      params: { space: 'tea', name: 'green' },
      inputs: { in: 'Steep two minutes.' },
      outputs: { out: { id: '1', name: 'green', chunks: 1, pages: null, unread: [] } },
    },
    {
      title: 'A file has a name itself',
      params: { space: 'tea' },
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
      outputs: { out: { id: '1', name: 'people.csv', chunks: 1, pages: null, unread: [] } },
    },
    {
      title: 'A text with its name',
      params: { space: 'tea' },
      inputs: { in: { text: 'Steep two minutes.', name: 'green' } },
      outputs: { out: { id: '1', name: 'green', chunks: 1, pages: null, unread: [] } },
    },
    {
      title: 'Its chunks',
      params: { space: 'tea', name: 'green', result: 'chunks' },
      inputs: { in: 'Steep two minutes.' },
      outputs: { out: [{ content: 'Steep two minutes.', document: 'green', heading: '', page: null }] },
    },
    { title: 'A text needs a name', params: { space: 'tea' }, inputs: { in: 'Steep.' }, error: 'bad_input' },
    { title: 'Nothing to load', params: { space: 'tea', name: 'x' }, inputs: { in: 5 }, error: 'bad_input' },
  ],
  async run(call) {
    const { space, metadata, split, result } = call.params;
    const given = await givenOf(call);
    const document = { space, metadata, split, ...given };
    const { id, name, chunks, pages, unread } = await call
      .service('knowledge')
      .load(document, call.asker, call.signal);
    if (unread.length > 0) call.log('warn', `These pages could not be read: ${unread.join(', ')}.`);
    if (result === 'document') return { id, name, chunks, pages, unread };
    const all = await call.service('knowledge').chunksOf(id, MAX_CHUNKS, call.signal);
    return all.map(({ text, heading, page }) => ({ content: text, document: name, heading, page }));
  },
});

const MAX_CHUNKS = 10_000;

type Given = Pick<KnowledgeLoad, 'name' | 'content' | 'type'>;

async function givenOf(
  call: Call & { readonly params: { readonly name?: string | undefined; readonly url?: string | undefined } },
): Promise<Given> {
  const { name, url } = call.params;
  const { input } = call;
  if (url !== undefined) return { name: name ?? url.slice(0, 200), content: { url } };
  if (typeof input === 'string') {
    if (name !== undefined) return { name, content: input };
    throw bad('A text has no name of its own: set `name`.', 'params.name');
  }
  const source = reading(() => sourceOf(input));
  if (source !== undefined) return { ...source, name: name ?? source.name };
  if (reading(() => handleOf(input)) === undefined)
    throw bad('The input is neither a file nor a text, and it has neither a `text` nor a `url`: send one.');
  const { file, content } = await call.service('files').open(input, call.asker);
  return { name: name ?? file.name, content, type: file.type };
}

/** A text or an address in the input itself, for flows that learn at run time what they load. */
function sourceOf(input: unknown): Given | undefined {
  const { url, text, name } = isRecord(input) ? input : {};
  if (typeof url === 'string') {
    if (/^https?:\/\//i.test(url)) return { name: nameIn(name, url), content: { url } };
    throw bad(
      `The \`url\` of the input is no address that can be fetched, but ${JSON.stringify(url.slice(0, 200))}: it has to begin with https:// or http://. Send a text as \`text\`, or the file itself.`,
      'input.url',
    );
  }
  return typeof text === 'string' ? { name: nameIn(name, text), content: text } : undefined;
}

/** The given name, or else the beginning of the content. */
function nameIn(name: unknown, content: string): string {
  const line = (typeof name === 'string' && name.trim() !== '' ? name : content)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return line.slice(0, 200).toWellFormed().trim() || 'Text';
}

function bad(message: string, field?: string): WeftError {
  return new WeftError('bad_input', message, field === undefined ? {} : { field });
}
