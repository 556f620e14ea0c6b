import { z } from 'zod';
import { defineOperator } from '../../base/operator.ts';
import { fieldText, writeField } from '../_csv.ts';
import { itemsOf, rowsToWrite, storeTable, writeInputs, writeOutputs, writeParams } from '../_table-file.ts';

export default defineOperator({
  title: 'Write CSV',
  doc: 'Writes a list or a stream of objects, or of lists, into a CSV file. Values are written as in templates; a missing field is empty.',
  icon: 'table-properties',
  summary: '{name}',
  synonyms: 'csv file, export csv, convert to file, spreadsheet file',
  params: z.object({
    ...writeParams('table.csv'),
    delimiter: z
      .enum([',', ';', '\t', '|'])
      .default(',')
      .describe('The separator between fields: a comma, a semicolon, a tab or a bar.'),
    mark: z
      .boolean()
      .default(false)
      .describe('Whether the file begins with a mark that tells Excel that it is UTF-8.'),
    spreadsheetSafe: z
      .boolean()
      .default(false)
      .describe(
        'Whether a text that a spreadsheet would take for a formula (it starts with =, +, - or @) gets a quote in front. Turn it on for texts of strangers, such as those of a form: a formula of theirs would run at whoever opens the file.',
      ),
  }),
  options: { Format: ['mark', 'spreadsheetSafe'] },
  inputs: writeInputs,
  outputs: writeOutputs,
  effects: 'read',
  examples: [
    {
      title: 'Objects',
      params: { name: 'people.csv' },
      inputs: { in: [{ name: 'Ada', note: 'a, b' }, { name: 'Tim' }] },
      outputs: {
        out: { $file: 'f_new00000000000000000000000000001', name: 'people.csv', type: 'text/csv', bytes: 29 },
      },
    },
    { title: 'Neither objects nor lists', inputs: { in: ['a'] }, error: 'bad_input' },
  ],
  run: async (call) => await storeTable(call, 'text/csv', lines(call)),
});

async function* lines(
  call: Parameters<typeof itemsOf>[0] & { readonly params: Wanted },
): AsyncGenerator<Uint8Array> {
  const { delimiter, mark, spreadsheetSafe } = call.params;
  const encoder = new TextEncoder();
  const lineOf = (fields: readonly unknown[]): string =>
    `${fields.map((field) => writeField(fieldText(field, spreadsheetSafe), delimiter)).join(delimiter)}\r\n`;
  if (mark) yield encoder.encode('\ufeff');
  for await (const rows of rowsToWrite(itemsOf(call), call.params))
    yield encoder.encode(rows.map(lineOf).join(''));
}

interface Wanted {
  readonly name: string;
  readonly columns?: readonly string[] | undefined;
  readonly header: boolean;
  readonly delimiter: string;
  readonly mark: boolean;
  readonly spreadsheetSafe: boolean;
}
