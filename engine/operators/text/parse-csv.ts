import { z } from 'zod';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { readRows } from '../_csv.ts';
import { FORBIDDEN_FIELD } from '../_record.ts';
import { inSlices } from '../_slices.ts';
import { inputText } from '../_text.ts';

export default defineOperator({
  title: 'Parse CSV',
  doc: 'Parses a CSV text into rows: objects with the names of the first line as fields, or lists of texts. All values are texts.',
  icon: 'table',
  summary: '[delimiter {delimiter|unless:auto}]',
  synonyms: 'from csv, csv parser, parse comma separated',
  params: z.object({
    header: z.boolean().default(true).describe('Whether the first line names the columns.'),
    delimiter: z
      .enum([',', ';', '\t', '|'])
      .default(',')
      .describe('The separator between fields: a comma, a semicolon, a tab or a bar.'),
    trim: z.boolean().default(false).describe('Whether blanks around each field are removed.'),
  }),
  inputs: { in: input({ doc: 'A CSV text.', schema: z.string() }) },
  outputs: {
    out: output({
      doc: 'The rows.',
      schema: z.array(z.union([z.record(z.string(), z.string()), z.array(z.string())])),
    }),
  },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'With names',
      inputs: { in: 'name,note\nAda,"first, and ""best"""\n' },
      outputs: { out: [{ name: 'Ada', note: 'first, and "best"' }] },
    },
    {
      title: 'Without',
      params: { header: false, delimiter: ';' },
      inputs: { in: '1;2\r\n3;4' },
      outputs: {
        out: [
          ['1', '2'],
          ['3', '4'],
        ],
      },
    },
    { title: 'A field too many', inputs: { in: 'a,b\n1,2,3' }, error: 'bad_input' },
  ],
  run: (call) => inSlices(call, table(inputText(call.input), call.params)),
});

interface Wanted {
  readonly header: boolean;
  readonly delimiter: string;
  readonly trim: boolean;
}

type Row = Record<string, string> | string[];

function* table(text: string, { header, delimiter, trim }: Wanted): Generator<undefined, Row[], undefined> {
  const rows = yield* readRows(text, delimiter);
  const clean = (row: string[]): string[] => (trim ? row.map((field) => field.trim()) : row);
  if (!header) return rows.map(clean);
  const names = clean(rows[0] ?? []);
  checkNames(names);
  const records: Row[] = [];
  for (let i = 1; i < rows.length; i++) {
    records.push(recordOf(names, clean(rows[i] as string[]), i));
    if (i % 100 === 0) yield;
  }
  return records;
}

function checkNames(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new WeftError('bad_input', `Two columns are called ${JSON.stringify(name)}.`);
    if (name === FORBIDDEN_FIELD) throw new WeftError('bad_input', `No column may be called ${name}.`);
    seen.add(name);
  }
}

function recordOf(names: readonly string[], row: readonly string[], number: number): Record<string, string> {
  if (row.length !== names.length) {
    throw new WeftError(
      'bad_input',
      `Row ${number} has ${row.length} fields, but the first line names ${names.length}.`,
      { data: { row: number } },
    );
  }
  const record: Record<string, string> = {};
  for (let i = 0; i < names.length; i++) record[names[i] as string] = row[i] as string;
  return record;
}
