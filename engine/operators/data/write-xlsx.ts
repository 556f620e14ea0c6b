import { z } from 'zod';
import { type Cell, defineOperator, toText, WeftError } from '../../base/operator.ts';
import { itemsOf, rowsToWrite, storeTable, writeInputs, writeOutputs, writeParams } from '../_table-file.ts';

const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export default defineOperator({
  title: 'Write Excel sheet',
  doc: 'Writes a list or a stream of objects, or of lists, into an Excel workbook (XLSX) with one sheet. Texts are never taken for formulas.',
  icon: 'sheet',
  summary: '{name}',
  synonyms: 'excel file, export excel, xlsx file, write excel, convert to spreadsheet',
  params: z.object({
    ...writeParams('table.xlsx'),
    sheet: z
      .string()
      .min(1)
      .max(31)
      .regex(/^[^[\]*/\\?:]+$/)
      .default('Sheet1')
      .describe('The name of the sheet: up to 31 characters, none of [ ] * / \\ ? :')
      .meta({ says: 'write a name of up to 31 characters without [ ] * / \\ ? and :' }),
  }),
  inputs: writeInputs,
  outputs: writeOutputs,
  effects: 'read',
  examples: [{ title: 'Neither objects nor lists', inputs: { in: ['a'] }, error: 'bad_input' }],
  async run(call) {
    const { sheet } = call.params;
    const rows = cells(rowsToWrite(itemsOf(call), call.params));
    const workbook = call.service('documents').workbook(rows, { sheet }, call.signal);
    return await storeTable(call, TYPE, workbook);
  },
});

async function* cells(
  together: AsyncIterable<readonly (readonly unknown[])[]>,
): AsyncGenerator<readonly (readonly Cell[])[]> {
  let number = 0;
  for await (const rows of together) {
    yield rows.map((fields, row) => fields.map((field, at) => cellOf(field, number + row, at)));
    number += rows.length;
  }
}

/** The most characters of a cell; Excel reports a file with longer texts as damaged. */
const LONGEST = 32_767;

function cellOf(value: unknown, row: number, column: number): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  const text = toText(value);
  if (text.length <= LONGEST) return text;
  throw new WeftError(
    'value_too_large',
    `Column ${column + 1} of row ${row + 1} has ${text.length} characters; a cell of Excel holds ${LONGEST}. Shorten the text, or write a CSV.`,
  );
}
