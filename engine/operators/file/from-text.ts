import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { defineOperator, input, output } from '../../base/operator.ts';
import { bytesFromBase64 } from '../_encodings.ts';
import { inSlices } from '../_slices.ts';
import { inputText } from '../_text.ts';

export default defineOperator({
  title: 'Text to file',
  doc: 'Makes a file of a text, to answer with it, send it or store it. The text may hold the bytes as base64.',
  icon: 'file-plus',
  summary: '{name}',
  synonyms:
    'create file, make file, convert to file, text file, base64 to file, base64 decode, data url, move base64 to file',
  params: z.object({
    name: z.string().min(1).max(1000).default('file.txt').describe('Name of the file, such as report.csv.'),
    content: z
      .enum(['text', 'base64'])
      .default('text')
      .describe(
        'text: the text itself. base64: bytes as base64, or a data URL, which may name the media type.',
      ),
    type: z
      .string()
      .max(200)
      .optional()
      .describe('Media type, such as text/csv; by the ending of the name if it is left out.'),
    encoding: z
      .enum(['utf-8', 'utf-8-bom', 'utf-16le'])
      .default('utf-8')
      .describe('How characters are written as bytes. `utf-8-bom`: with the mark by which Excel knows UTF-8.')
      .meta({ when: { param: 'content', is: ['text'] } }),
  }),
  options: { Format: ['type', 'encoding'] },
  inputs: { in: input({ doc: 'The text.', schema: z.string() }) },
  outputs: { out: output({ doc: 'The file.', schema: FileValue }) },
  effects: 'read',
  lift: true,
  examples: [
    {
      title: 'A table to download',
      params: { name: 'people.csv' },
      inputs: { in: 'name\nAda\n' },
      outputs: {
        out: { $file: 'f_new00000000000000000000000000001', name: 'people.csv', type: 'text/csv', bytes: 9 },
      },
    },
    {
      title: 'A picture as a data URL',
      params: { name: 'dot.png', content: 'base64' },
      inputs: { in: 'data:image/png;base64,iVBORw==' },
      outputs: {
        out: { $file: 'f_new00000000000000000000000000001', name: 'dot.png', type: 'image/png', bytes: 4 },
      },
    },
    { title: 'No text', inputs: { in: { name: 'Ada' } }, error: 'bad_input' },
  ],
  async run(call) {
    const { name, encoding } = call.params;
    const text = inputText(call.input);
    const { type: own, content } =
      call.params.content === 'base64'
        ? await decoded(call, text)
        : { type: undefined, content: encoded(text, encoding) };
    const type = call.params.type ?? own ?? typeOf(name);
    return call.service('files').create({ name, type, content }, call.asker, call.signal);
  },
});

/** The head of a data URL whose bytes are base64. */
const DATA_URL = /^\s*data:([^;,]*)(?:;(?!base64,)[^,;]*)*;base64,/i;

/** The bytes of base64 or of a data URL. Throws `bad_input`. */
async function decoded(call: Parameters<typeof inSlices>[0], text: string) {
  const [head = '', type] = DATA_URL.exec(text) ?? [];
  return { type: type || undefined, content: await inSlices(call, bytesFromBase64(text.slice(head.length))) };
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  ndjson: 'application/x-ndjson',
  svg: 'image/svg+xml',
  tsv: 'text/tab-separated-values',
  vcf: 'text/vcard',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

function typeOf(name: string): string {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(TYPES, ending) ? (TYPES[ending] as string) : 'text/plain';
}

function encoded(text: string, encoding: 'utf-8' | 'utf-8-bom' | 'utf-16le'): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(text);
  if (encoding === 'utf-8-bom') return new TextEncoder().encode(`\ufeff${text}`);
  const bytes = new Uint8Array(2 * text.length + 2);
  bytes.set([0xff, 0xfe]);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    bytes[2 * i + 2] = unit & 0xff;
    bytes[2 * i + 3] = unit >> 8;
  }
  return bytes;
}
