import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import type { TypeRule } from '#shared/type-rule.ts';
import { type Cell, defineOperator, input } from '../../base/operator.ts';

import { encodingParam } from '../_document.ts';
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
      .describe('The separator between fields. `auto`: the one that the first line uses most.'),
    values: z
      .enum(['text', 'guess'])
      .default('text')
      .describe(
        'text: all values stay texts. guess: numbers, true and false become such, and empty fields null; what would lose a digit or a leading zero stays a text.',
      ),
    strict: z
      .boolean()
      .default(true)
      .describe('Whether a row with fewer fields than the header is an error; otherwise they are null.'),
    encoding: encodingParam,
  }),
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
    const { delimiter, encoding, strict, values } = call.params;
    const options = {
      format: 'csv',
      delimiter: delimiter === 'auto' ? undefined : delimiter,
      encoding,
      maxBytes: Number.MAX_SAFE_INTEGER,
    } as const;
    return await readTable(call, options, {
      isStrict: strict,
      ...(values === 'guess' && { convert: guess }),
    });
  },
});

/** A number only if it would be written the same way again. */
function guess(cell: Cell): Cell {
  if (typeof cell !== 'string') return cell;
  if (cell === '') return null;
  if (cell === 'true' || cell === 'false') return cell === 'true';
  if (!/^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/.test(cell)) return cell;
  const losesDigits = cell === '-0' || (cell.includes('.') && cell.length > 16);
  return losesDigits ? cell : Number(cell);
}
