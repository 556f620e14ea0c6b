import { z } from 'zod';
import { type Cell, defineOperator, toText } from '../../base/operator.ts';
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
      .describe('The name of the sheet: up to 31 characters, none of [ ] * / \\ ? :'),
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
  for await (const rows of together) yield rows.map((fields) => fields.map(cellOf));
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  return toText(value);
}
