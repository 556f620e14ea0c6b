import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { following, ofAll, type Port } from '../graph.ts';
import { isTraced, itemwise, listPort, pairedLists } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { required, throughOperator } from '../text-steps.ts';

/** Between items and the forms of files: tables, JSON, texts, PDF. */

interface FormReader {
  readonly operator: string;
  readonly params?: Record<string, unknown>;
  readonly output: string;
  /** The item of a value that was read. */
  readonly value: string;
  readonly isList?: boolean;
}

const READERS: Readonly<Record<string, FormReader>> = {
  csv: {
    operator: 'data.read-csv',
    params: { values: 'guess', strict: false },
    output: 'rows',
    value: 'input',
    isList: true,
  },
  xlsx: {
    operator: 'data.read-xlsx',
    params: { strict: false },
    output: 'rows',
    value: 'input',
    isList: true,
  },
  pdf: { operator: 'text.from-pdf', output: 'text', value: '{ text: input }' },
  text: { operator: 'file.to-text', output: 'out', value: '{ KEY: input }' },
  html: { operator: 'file.to-text', output: 'out', value: '{ KEY: input }' },
  xml: { operator: 'file.to-text', output: 'out', value: '{ KEY: input }' },
  binaryToPropery: {
    operator: 'file.to-text',
    params: { as: 'base64' },
    output: 'out',
    value: '{ KEY: input }',
  },
  fromJson: { operator: 'file.to-text', output: 'out', value: '{ KEY: json(input) }' },
};

/** The form of the file that is read. */
function formatOf(context: Context): string {
  const { params, step } = context;
  if (step.kind === 'readPDF') return 'pdf';
  if (step.kind !== 'spreadsheetFile') return params.text('operation') ?? 'csv';
  const operation = params.text('operation') ?? 'fromFile';
  if (operation !== 'fromFile') return operation;
  const format = params.text('fileFormat') ?? 'autodetect';
  if (format !== 'autodetect') return format;
  context.changed('setting', 'It found out the form of the table; here a workbook (.xlsx) is read.', {
    before: format,
    after: 'xlsx',
  });
  return 'xlsx';
}

function extractFromFile(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  const operation = formatOf(context);
  const reader = READERS[operation];
  if (!reader) throw new NotHere(`it reads “${operation}”`, ['code.run with ctx.file', 'file.to-text']);

  const field = params.text('binaryPropertyName') ?? 'data';
  const file = itemwise(
    context,
    input,
    { operator: 'core.map', params: { value: `{{ input?.[${JSON.stringify(field)}] }}` } },
    { hint: `${step.name} file` },
  );
  const id = itemwise(context, context.port(file, 'out', { card: input.card }), {
    operator: reader.operator,
    ...(reader.params && { params: reader.params }),
  });
  return gives(itemsRead(context, input, reader, id));
}

/** An item of each value that was read, or of each row. */
function itemsRead(context: Context, input: Port, reader: FormReader, id: string): Port {
  const { params, step } = context;
  const { value: made, output, isList = false } = reader;
  const isMany = input.card === 'many';
  if (isMany && isList && isTraced(context))
    return pairedLists(context, context.port(id, output, { card: 'many' }), `input.map(input => ${made})`);
  const key = JSON.stringify(made.includes('KEY') ? (params.text('destinationKey') ?? 'data') : '');
  const value = made.replace('KEY', key);
  const each = isList ? `input.flatMap(input => ${value})` : `input.map(input => (${value}))`;
  const items = context.add(`${step.name} items`, {
    operator: 'core.map',
    params: { value: `{{ ${isMany ? each : value} }}` },
  });
  context.wire(`${id}.${output}`, `${items}.in`);
  const card = isList ? 'many' : input.card;
  const facts = isList ? { aligned: new Set([step.name]) } : following(input, step.name);
  return context.port(items, 'out', { card, mayBeEmpty: card === 'many', ...facts });
}

const WRITERS: Readonly<
  Record<string, { operator: string; params: (name: string) => Record<string, unknown>; value?: string }>
> = {
  csv: { operator: 'data.write-csv', params: (name) => ({ name }) },
  xlsx: { operator: 'data.write-xlsx', params: (name) => ({ name }) },
  toJson: {
    operator: 'file.from-text',
    params: (name) => ({ name, type: 'application/json' }),
    value: 'toJson(input)',
  },
};

/** The name of a file as it is set, for its own item or, of a file for all items, for the first one. */
function fileName(context: Context, usual: string, of: 'own' | 'first'): string {
  const given = context.params.text('options.fileName') ?? usual;
  const input = required(context);
  const index = of === 'own' && input.card === 'many' ? 'index' : '0';
  const item = input.card === 'many' ? `${input.expr}?.[${index}]` : input.expr;
  // No code stands before a node that gets something else than the item.
  return context.text(given, { ...context.reads(input), from: undefined, item: () => item, index });
}

function convertToFile(context: Context): Given {
  const operation = formWritten(context);
  const into = context.params.text('binaryPropertyName') ?? 'data';
  if (operation === 'toText' || operation === 'toBinary') return textToFile(context, operation, into);
  const usual = `file.${operation === 'toJson' ? 'json' : operation}`;
  if (operation === 'toJson' && context.params.text('mode') === 'each')
    return eachToFile(context, fileName(context, usual, 'own'), into);
  return allToFile(context, operation, { usual, into });
}

function formWritten({ params, step }: Context): string {
  const isOld = step.kind === 'spreadsheetFile';
  const operation = params.text(isOld ? 'fileFormat' : 'operation') ?? 'csv';
  if (isOld) params.skip('operation');
  if (operation !== 'toJson') params.skip('mode');
  return operation;
}

/** One file of all items. */
function allToFile(
  context: Context,
  operation: string,
  { usual, into }: { readonly usual: string; readonly into: string },
): Given {
  const { step } = context;
  const writer = WRITERS[operation];
  if (!writer) throw new NotHere(`it writes “${operation}”`, ['file.from-text', 'code.run with ctx.newFile']);
  const name = fileName(context, usual, 'first');
  const list = listPort(context, required(context)) as Port;
  const texts = context.add(`${step.name} rows`, {
    operator: 'core.map',
    params: { value: `{{ ${writer.value ?? 'input'} }}` },
  });
  context.wire(list, `${texts}.in`);
  const id = context.add(step.name, { operator: writer.operator, params: writer.params(name) });
  context.wire(`${texts}.out`, `${id}.in`);
  const made = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ { ${JSON.stringify(into)}: input } }}` },
  });
  context.wire(`${id}.out`, `${made}.in`);
  const origin = ofAll(required(context));
  return gives(context.port(made, 'out', { card: 'one', aligned: new Set([step.name]), origin }));
}

/** A file of JSON for each item. */
function eachToFile(context: Context, name: string, into: string): Given {
  return throughOperator(
    context,
    'toJson(input)',
    { operator: 'file.from-text', params: { name, type: 'application/json' } },
    { value: (made) => `{ ${JSON.stringify(into)}: ${made} }` },
  );
}

function textToFile(context: Context, operation: string, into: string): Given {
  const { params } = context;
  const source = params.text('sourceProperty') ?? 'data';
  const type = params.text('options.mimeType');
  const content = operation === 'toBinary' ? { content: 'base64' } : {};
  return throughOperator(
    context,
    `input?.[${JSON.stringify(source)}]`,
    {
      operator: 'file.from-text',
      params: {
        name: fileName(context, 'file.txt', 'own'),
        ...content,
        ...(type !== undefined && { type }),
      },
    },
    { value: (made) => `{ ${JSON.stringify(into)}: ${made} }` },
  );
}

/** Tables of the first versions, which are read or written. */
function spreadsheetFile(context: Context): Given {
  return context.params.text('operation') === 'toFile' ? convertToFile(context) : extractFromFile(context);
}

export const fileFormEntries: readonly Entry[] = [
  {
    kind: 'extractFromFile',
    word: 'close',
    becomes: '`data.read-csv`, `data.read-xlsx`, `text.from-pdf`, `file.to-text`',
    difference: 'XLS, ODS, RTF and calendars are placeholders.',
    convert: extractFromFile,
  },
  {
    kind: 'readPDF',
    word: 'close',
    becomes: '`text.from-pdf`',
    difference: 'The item has the text, but not the properties of the document.',
    convert: extractFromFile,
  },
  {
    kind: 'spreadsheetFile',
    word: 'close',
    becomes: '`data.read-csv`, `data.read-xlsx`, `data.write-csv`, `data.write-xlsx`',
    difference:
      'XLS, ODS, RTF and HTML are placeholders; with automatic detection of the format it reads workbooks.',
    convert: spreadsheetFile,
  },
  {
    kind: 'convertToFile',
    word: 'close',
    becomes: '`data.write-csv`, `data.write-xlsx`, `file.from-text`',
    difference: 'XLS, ODS, RTF and calendars are placeholders.',
    convert: convertToFile,
  },
];
