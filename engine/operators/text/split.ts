import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { checkCount } from '../_list.ts';
import { inSlices } from '../_slices.ts';
import { inputText } from '../_text.ts';

export default defineOperator({
  title: 'Split text',
  doc: 'Splits a text into a list of texts: its lines, or the parts between separators. To split at a pattern use Regular expression.',
  icon: 'scissors',
  summary: 'at {separator|quoted}',
  synonyms: 'split string, explode, tokenize, lines',
  params: z.object({
    separator: z
      .string()
      .max(1000)
      .default('\n')
      .describe('The separator; by default a line break, which also matches \r\n.'),
    trim: z.boolean().default(false).describe('Whether blanks around each part are removed.'),
    dropEmpty: z.boolean().default(false).describe('Whether empty parts are left out.'),
  }),
  inputs: { in: input({ doc: 'A text.', schema: z.string() }) },
  outputs: { out: output({ doc: 'The parts, in order.', schema: z.array(z.string()) }) },
  effects: 'pure',
  lift: true,
  examples: [
    { title: 'Lines', inputs: { in: 'one\r\ntwo\n' }, outputs: { out: ['one', 'two', ''] } },
    {
      title: 'A list in a text',
      params: { separator: ',', trim: true, dropEmpty: true },
      inputs: { in: 'red, green,, blue,' },
      outputs: { out: ['red', 'green', 'blue'] },
    },
    {
      title: 'Characters',
      params: { separator: '' },
      inputs: { in: 'a😀' },
      outputs: { out: ['a', '😀'] },
    },
  ],
  run: (call) => inSlices(call, parts(inputText(call.input), call.params)),
});

interface Wanted {
  readonly separator: string;
  readonly trim: boolean;
  readonly dropEmpty: boolean;
}

/** Number of parts after which the work can be interrupted. */
const PARTS_A_STEP = 1000;

function* parts(
  text: string,
  { separator, trim, dropEmpty }: Wanted,
): Generator<undefined, string[], undefined> {
  const found: string[] = [];
  let count = 0;
  for (const raw of separator === '' ? text : between(text, separator)) {
    const part = trim ? raw.trim() : raw;
    if (part !== '' || !dropEmpty) found.push(part);
    if (++count % PARTS_A_STEP !== 0) continue;
    checkCount(found.length);
    yield;
  }
  checkCount(found.length);
  return found;
}

function* between(text: string, separator: string): Generator<string, void, undefined> {
  let from = 0;
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, from)) {
    const crlf = separator === '\n' && text.charCodeAt(at - 1) === 0x0d && at > from;
    yield text.slice(from, crlf ? at - 1 : at);
    from = at + separator.length;
  }
  yield text.slice(from);
}
