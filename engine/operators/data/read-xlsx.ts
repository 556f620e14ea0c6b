import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { defineOperator, input } from '../../base/operator.ts';
import { maxBytesParam } from '../_document.ts';
import { readOutputs, readParams, readTable } from '../_table.ts';

export default defineOperator({
  title: 'Read Excel sheet',
  doc: 'Reads the rows of a sheet of an Excel workbook (XLSX), as a list or one by one. Times are ISO 8601 texts, durations such as 36:00:00 too; formulas are their results.',
  icon: 'sheet',
  summary: 'sheet {sheet}',
  synonyms: 'excel, xlsx, spreadsheet, google sheets, read excel',
  params: z.object({
    sheet: z
      .union([z.int().min(1), z.string().min(1).max(100)])
      .default(1)
      .describe('The sheet: its name, or its number counted from 1.'),
    range: z
      .string()
      .regex(/^(?:[A-Za-z]{1,3}\d{1,7}:[A-Za-z]{1,3}\d{1,7}|[A-Za-z]{1,3}:[A-Za-z]{1,3}|\d{1,7}:\d{1,7})$/)
      .optional()
      .describe('The cells to read, if not all: `B2:F40`, or whole columns such as `B:F`.')
      .meta({ says: 'write cells such as B2:F40, or whole columns such as B:F' }),
    strict: z
      .boolean()
      .default(true)
      .describe(
        'Whether a value to the right of the named columns is an error; otherwise it is called `column_7` or the like.',
      ),
    ...readParams,
    maxBytes: maxBytesParam(50),
  }),
  options: { Rows: ['firstRow', 'strict'], Limits: ['maxRows', 'maxBytes'] },
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
    const { sheet, range, firstRow, maxBytes, strict } = call.params;
    const options = { format: 'xlsx', sheet, range, firstRow, maxBytes } as const;
    return await readTable(call, options, { mayBeShort: true, mayBeLong: !strict });
  },
});
