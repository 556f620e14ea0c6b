import { z } from 'zod';
import { type DocumentPart, splitDocument } from '#shared/split-document.ts';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { splitParams } from '../_knowledge.ts';
import { checkCount, listOf } from '../_list.ts';
import { reading } from '../_record.ts';
import { inSlices } from '../_slices.ts';

export default defineOperator({
  title: 'Split document',
  doc: 'Splits a text, or the pages of a PDF, into chunks for a search or a model. Headings and places are kept. Load document does this itself.',
  icon: 'split',
  summary: 'by {by}, {size} characters',
  synonyms: 'chunk, text splitter, chunker, token splitter, recursive splitter',
  params: z.object(splitParams),
  inputs: {
    in: input({ doc: 'A text in Markdown or plain, or a list of pages as PDF to text gives them.' }),
  },
  outputs: {
    out: output({
      doc: 'The chunks, in order.',
      schema: z.array(
        z.object({
          text: z.string(),
          heading: z.string(),
          page: z.int().nullable(),
          start: z.int(),
          end: z.int(),
        }),
      ),
    }),
  },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'At headings',
      inputs: { in: '# Tea\n\nSteep it.\n\n## Green\n\nTwo minutes.' },
      outputs: {
        out: [
          { text: '# Tea\n\nSteep it.', heading: 'Tea', page: null, start: 0, end: 16 },
          { text: '## Green\n\nTwo minutes.', heading: 'Tea › Green', page: null, start: 18, end: 40 },
        ],
      },
    },
    {
      title: 'Pages',
      params: { by: 'pages' },
      inputs: {
        in: [
          { page: 1, text: 'One.' },
          { page: 2, text: 'Two.' },
        ],
      },
      outputs: {
        out: [
          { text: 'One.', heading: '', page: 1, start: 0, end: 4 },
          { text: 'Two.', heading: '', page: 2, start: 0, end: 4 },
        ],
      },
    },
    { title: 'Not a text', inputs: { in: 5 }, error: 'bad_input' },
  ],
  run: (call) => inSlices(call, chunks(partsOf(call.input), call.params)),
});

/** Number of chunks after which the work can be interrupted. */
const CHUNKS_A_STEP = 100;

function* chunks(parts: readonly DocumentPart[], settings: Parameters<typeof splitDocument>[1]) {
  const found: ReturnType<typeof splitDocument> extends Generator<infer T> ? T[] : never = [];
  for (const chunk of splitDocument(parts, settings)) {
    found.push(chunk);
    if (found.length % CHUNKS_A_STEP !== 0) continue;
    checkCount(found.length);
    yield undefined;
  }
  return found;
}

const Page = z.object({ text: z.string(), page: z.int().optional() });
const MAX_PAGES = 10_000;

function partsOf(given: unknown): readonly DocumentPart[] {
  if (typeof given === 'string') return [{ text: given }];
  const pages = listOf(given, 'What is no text');
  if (pages.length > MAX_PAGES)
    throw new WeftError('too_many_items', `A document has at most ${MAX_PAGES} pages here.`);
  return Array.from({ length: pages.length }, (_, at) => {
    const read = reading(() => Page.safeParse(pages[at]));
    if (read.success) return read.data;
    throw new WeftError('bad_input', 'The input is neither a text nor a list of pages.');
  });
}
