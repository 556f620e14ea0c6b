import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { defineOperator, input } from '../../base/operator.ts';
import { maxBytesParam } from '../_document.ts';
import { readOutputs, readParams, readTable } from '../_table.ts';

export default defineOperator({
  title: 'Read Excel sheet',
  doc: 'Reads the rows of a sheet of an Excel workbook (XLSX), as a list or one by one. Times are ISO 8601 texts, formulas their results.',
  icon: 'sheet',
  summary: 'sheet {sheet}',
  synonyms: 'excel, xlsx, spreadsheet, google sheets, read excel',
  params: z.object({
    sheet: z
      .union([z.int().min(1), z.string().min(1).max(100)])
      .default(1)
      .describe('The sheet: its name, or its number counted from 1.'),
    ...readParams,
    maxBytes: maxBytesParam(50),
  }),
  inputs: { in: input({ doc: 'A workbook.', schema: FileValue }) },
  outputs: readOutputs,
  effects: 'read',
  examples: [
    { title: 'No file', inputs: { in: { name: 'a.xlsx' } }, error: 'bad_input' },
    {
      title: 'No workbook',
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
      error: 'document_unreadable',
    },
  ],
  async run(call) {
    const { sheet, maxBytes } = call.params;
    return await readTable(call, { format: 'xlsx', sheet, maxBytes }, { isStrict: false });
  },
});
