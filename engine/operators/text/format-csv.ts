import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { fieldText, writeField } from '../_csv.ts';
import { ITEMS_A_STEP, listOf } from '../_list.ts';
import { inSlices } from '../_slices.ts';
import { columnsOf, fieldsOf } from '../_table-file.ts';
import { TextBuilder } from '../_text.ts';

export default defineOperator({
  title: 'Format CSV',
  doc: 'Writes a list of objects, or of lists, as a CSV text with one line per item. Values are written as in templates; a missing field is empty.',
  icon: 'table-properties',
  summary: '[{columns}]',
  synonyms: 'to csv, csv text, stringify csv',
  params: z.object({
    columns: z
      .array(z.string().max(200).meta({ widget: 'field' }))
      .max(1000)
      .optional()
      .describe('The fields to write, in this order; by default all, in the order in which they occur.'),
    header: z.boolean().default(true).describe('Whether the first line names the columns.'),
    delimiter: z
      .enum([',', ';', '\t', '|'])
      .default(',')
      .describe('The separator between fields: a comma, a semicolon, a tab or a bar.'),
    spreadsheetSafe: z
      .boolean()
      .default(false)
      .describe(
        'Whether a text that a spreadsheet would take for a formula (it starts with =, +, - or @) gets a quote in front.',
      ),
  }),
  inputs: { in: input({ doc: 'A list of objects, or of lists.', schema: z.array(z.unknown()) }) },
  outputs: { out: output({ doc: 'The CSV text; each line ends with CRLF.', schema: z.string() }) },
  effects: 'pure',
  examples: [
    {
      title: 'Objects',
      inputs: {
        in: [
          { name: 'Ada', note: 'a, b' },
          { name: 'Tim', age: 9 },
        ],
      },
      outputs: { out: 'name,note,age\r\nAda,"a, b",\r\nTim,,9\r\n' },
    },
    {
      title: 'Lists',
      params: { delimiter: ';' },
      inputs: {
        in: [
          [1, 'x'],
          [null, true],
        ],
      },
      outputs: { out: '1;x\r\n;true\r\n' },
    },
    { title: 'Neither', inputs: { in: ['a'] }, error: 'bad_input' },
  ],
  run: (call) => inSlices(call, written(listOf(call.input), call.params)),
});

interface Wanted {
  readonly columns?: readonly string[] | undefined;
  readonly header: boolean;
  readonly delimiter: string;
  readonly spreadsheetSafe: boolean;
}

function* written(list: readonly unknown[], wanted: Wanted): Generator<undefined, string, undefined> {
  const { delimiter, header } = wanted;
  const columns = wanted.columns ?? columnsOf(list);
  const text = new TextBuilder();
  const addLine = (fields: readonly unknown[]): void =>
    text.add(
      `${fields.map((field) => writeField(fieldText(field, wanted.spreadsheetSafe), delimiter)).join(delimiter)}\r\n`,
    );
  if (columns && header) addLine(columns);
  for (let i = 0; i < list.length; i++) {
    addLine(fieldsOf(list[i], columns, { number: i }));
    if (i % ITEMS_A_STEP === 0) yield;
  }
  return text.toString();
}
