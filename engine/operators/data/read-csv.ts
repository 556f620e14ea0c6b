import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import type { TypeRule } from '#shared/type-rule.ts';
import { defineOperator, input } from '../../base/operator.ts';
import { encodingParam } from '../_document.ts';
import { guesser } from '../_guess.ts';
import { readOutputs, readParams, readTable } from '../_table.ts';

const rowOf = (types: readonly string[]): TypeRule => {
  const cell = { type: [...types, 'null'] };
  const record = { schema: { type: 'object', additionalProperties: cell } };
  return {
    byParam: { name: 'header', cases: { true: record }, else: { schema: { type: 'array', items: cell } } },
  };
};
/** Without a guess all values are texts, so that a comparison with a number is found before it runs. */
const row: TypeRule = {
  byParam: {
    name: 'values',
    cases: { text: rowOf(['string']) },
    else: rowOf(['string', 'number', 'boolean']),
  },
};

export default defineOperator({
  title: 'Read CSV',
  doc: 'Reads the rows of a CSV file, as a list or one by one. Files of any size can be read as a stream.',
  icon: 'table',
  summary: '[{delimiter|unless:auto} ]{result}',
  synonyms: 'csv, spreadsheet, csv file, import csv, extract from file',
  params: z.object({
    ...readParams,
    delimiter: z
      .enum(['auto', ',', ';', '\t', '|'])
      .default('auto')
      .describe(
        'The separator between fields. `auto`: that of the line `sep=` if the file begins with one, otherwise the one that the first row uses most.',
      ),
    quote: z
      .enum(['"', "'", 'none'])
      .default('"')
      .describe(
        'The quotes around a field that contains a delimiter or a line break. none: there are no quotes.',
      ),
    escape: z
      .enum(['double', 'backslash'])
      .default('double')
      .describe('How a quote is written within quotes: twice, or with a backslash as MySQL and PHP do.')
      .meta({ when: { param: 'quote', not: ['none'] } }),
    relaxed: z
      .boolean()
      .default(false)
      .describe(
        'Whether a field such as "a" b, with a quote that closes too early, is read as it stands there; otherwise it is an error. The quote of 5" pipe is a plain character in any case.',
      )
      .meta({ when: { param: 'quote', not: ['none'] } }),
    trim: z
      .boolean()
      .default(false)
      .describe('Whether blanks around fields are left out, also those between a delimiter and a quote.'),
    comment: z.string().length(1).optional().describe('Lines that begin with this character are no rows.'),
    values: z
      .enum(['text', 'guess'])
      .default('text')
      .describe(
        'text: all values stay texts. guess: numbers, true and false become such, and empty fields null; what would be written in another way, such as 007 or 1.10, stays a text.',
      ),
    decimal: z
      .enum(['.', ','])
      .optional()
      .describe(
        'With `guess`: the decimal sign of the numbers. They may then have groups and zeros at the end, such as 1.234,50.',
      )
      .meta({ when: { param: 'values', is: ['guess'] } }),
    strict: z
      .boolean()
      .default(true)
      .describe(
        'Whether a row with fewer or more fields than the header is an error; otherwise missing ones are null, and further ones are called `column_7` or the like.',
      ),
    encoding: encodingParam,
  }),
  options: {
    Rows: ['firstRow', 'strict', 'comment', 'relaxed'],
    Values: ['values', 'decimal', 'trim'],
    Format: ['quote', 'escape', 'encoding'],
    Limits: ['maxRows'],
  },
  inputs: { in: input({ doc: 'A CSV file.', schema: FileValue }) },
  outputs: readOutputs,
  infer: { outputs: { rows: { array: row }, stream: row } },
  effects: 'read',
  examples: [
    {
      title: 'Numbers as such',
      params: { values: 'guess' },
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
      outputs: {
        rows: [
          { name: 'Ada', age: 36 },
          { name: 'Lin', age: 4 },
        ],
      },
    },
    {
      title: 'Too many rows',
      params: { maxRows: 1 },
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
      error: 'too_many_items',
    },
    { title: 'No file', inputs: { in: { name: 'a.csv' } }, error: 'bad_input' },
  ],
  async run(call) {
    const { delimiter, strict, values, decimal, ...dialect } = call.params;
    const options = {
      ...dialect,
      format: 'csv',
      delimiter: delimiter === 'auto' ? undefined : delimiter,
    } as const;
    return await readTable(call, options, {
      mayBeShort: !strict,
      mayBeLong: !strict,
      ...(values === 'guess' && { convert: guesser(decimal) }),
    });
  },
});
