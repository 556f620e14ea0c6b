import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { following, type Port } from '../graph.ts';
import { itemwise, listPort } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';
import { objectOf } from './fields.ts';

/** Dates, texts and markup: what is worked out of each item and put into a field of it. */

function required(context: Context): Port {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  return input;
}

/** The item with a field more, whose value is an expression. */
function withField(context: Context, name: string, value: string, keeps = true): Given {
  const input = required(context);
  const id = itemwise(context, input, {
    operator: 'core.map',
    params: { value: `{{ ${objectOf(keeps ? 'input' : '', [{ name, value }], true)} }}` },
  });
  return passed(context, input, id);
}

function passed(context: Context, input: Port, id: string, output = 'out'): Given {
  return gives(
    context.port(id, output, {
      card: input.card,
      mayBeEmpty: input.mayBeEmpty,
      ...following(input, context.step.name),
    }),
  );
}

/** What an operator makes of a text of the item, put into a field of it. */
function throughOperator(
  context: Context,
  text: string,
  node: { operator: string; params?: Record<string, unknown> },
  then: { output?: string; value(made: string): string },
): Given {
  const input = required(context);
  const isList = input.card === 'many';
  const { step } = context;
  const before = itemwise(
    context,
    input,
    { operator: 'core.map', params: { value: `{{ ${text} }}` } },
    { hint: `${step.name} text` },
  );
  const between = context.port(before, 'out', { card: input.card });
  const id = itemwise(context, between, node);
  const made = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ ${then.value('input')} }}` },
    ...(isList && { each: {} }),
  });
  context.wire(`${id}.${then.output ?? 'out'}`, `${made}.in`);
  return passed(context, input, made);
}

/** How the item is read after nodes in between. */
const itemIn = (input: Port): string => (input.card === 'many' ? `${input.expr}[index]` : input.expr);

const FORMATS: Readonly<Record<string, string>> = {
  'MM/dd/yyyy': 'LL/dd/yyyy',
  'yyyy/MM/dd': 'yyyy/LL/dd',
  'MMMM dd yyyy': 'LLLL dd yyyy',
  'MM-dd-yyyy': 'LL-dd-yyyy',
  'yyyy-MM-dd': 'yyyy-LL-dd',
};

/** An operation with dates: the field that it makes, and its value. */
type DateWay = (context: Context, said: (path: string) => string) => readonly [field: string, value: string];

const added =
  (name: 'plus' | 'minus'): DateWay =>
  ({ params }, said) => {
    const unit = JSON.stringify(params.text('timeUnit') ?? 'days');
    return ['newDate', `${name}(date(${said('magnitude')}), ${said('duration')}, ${unit})`];
  };

const DATE_WAYS: Readonly<Record<string, DateWay>> = {
  getCurrentDate: ({ params }) => ['currentDate', params.get('includeTime') === false ? 'today()' : 'now()'],
  addToDate: added('plus'),
  subtractFromDate: added('minus'),
  formatDate({ params }, said) {
    const format = params.text('format') ?? 'MM/dd/yyyy';
    const custom = params.text('customFormat') ?? 'yyyy-LL-dd';
    const date = `date(${said('date')})`;
    if (format === 'X' || format === 'x')
      return ['formattedDate', `timestamp(${date}${format === 'X' ? ', "seconds"' : ''})`];
    const chosen = format === 'custom' ? custom : (FORMATS[format] ?? format);
    return ['formattedDate', `formatDate(${date}, ${JSON.stringify(chosen)})`];
  },
  extractDate: ({ params }, said) => [
    'datePart',
    `datePart(date(${said('date')}), ${JSON.stringify(params.text('part') ?? 'month')})`,
  ],
  roundDate({ params }, said) {
    params.skip('mode');
    if (params.text('mode') === 'roundUp')
      throw new NotHere('it rounds a date up', ['core.map with `endOf`']);
    return [
      'roundedDate',
      `startOf(date(${said('date')}), ${JSON.stringify(params.text('toNearest') ?? 'month')})`,
    ];
  },
  format: ({ params }, said) => [
    'data',
    `formatDate(date(${said('value')}), ${JSON.stringify(params.text('toFormat') ?? 'yyyy-LL-dd')})`,
  ],
};

function dateTime(context: Context): Given {
  const { params, step } = context;
  const reads = context.reads(required(context));
  const isOld = step.version < 2;
  const action = params.text('action') ?? 'format';
  const operation = isOld ? action : (params.text('operation') ?? 'getCurrentDate');
  const make = DATE_WAYS[operation];
  if (!make)
    throw new NotHere(`it does “${operation}”`, ['core.map with dates in an expression', 'code.run']);
  const [name, value] = make(context, (path) => context.expr(params.get(path), reads));
  params.skip('options.timezone', 'options.fromFormat');
  const into = params.text('outputFieldName') ?? params.text('dataPropertyName') ?? name;
  return withField(context, into, value, params.flag('options.includeInputFields') || isOld);
}

function crypto(context: Context): Given {
  const { params } = context;
  const reads = context.reads(required(context));
  const action = params.text('action') ?? 'hash';
  const name = params.text('dataPropertyName') ?? 'data';
  if (action === 'generate') {
    if ((params.text('encodingType') ?? 'uuid') !== 'uuid')
      throw new NotHere('it makes random texts', ['code.run with crypto.getRandomValues']);
    const input = required(context);
    const source = `return { ...input, ${JSON.stringify(name)}: crypto.randomUUID() };`;
    return passed(context, input, itemwise(context, input, { operator: 'code.run', params: { source } }));
  }
  if (action !== 'hash' || params.flag('binaryData'))
    throw new NotHere(`it does “${action}”`, ['code.run with crypto.subtle']);
  const type = (params.text('type') ?? 'MD5').toLowerCase().replace('-', '');
  const isHex = (params.text('encoding') ?? 'hex') === 'hex';
  if (!isHex || !['md5', 'sha1', 'sha256', 'sha384', 'sha512'].includes(type))
    throw new NotHere(`its digest is ${type} in another encoding`, ['code.run with crypto.subtle']);
  return withField(context, name, `hash(${context.expr(params.get('value'), reads)}, "${type}")`);
}

function markdown(context: Context): Given {
  const { params } = context;
  const input = required(context);
  const reads = context.reads(input);
  const toHtml = (params.text('mode') ?? 'htmlToMarkdown') === 'markdownToHtml';
  const text = context.expr(params.get(toHtml ? 'markdown' : 'html') ?? '', reads);
  const key = params.text('destinationKey') ?? 'data';
  const put = (made: string): string => objectOf(itemIn(input), [{ name: key, value: made }], true);
  return toHtml
    ? throughOperator(context, text, { operator: 'text.from-markdown' }, { value: put })
    : throughOperator(
        context,
        text,
        { operator: 'text.from-html', params: { format: 'markdown' } },
        { output: 'text', value: put },
      );
}

function xml(context: Context): Given {
  const { params } = context;
  if (params.text('mode') === 'jsonToxml') throw new NotHere('it writes XML', ['text.template', 'code.run']);
  params.skip('mode');
  const name = params.text('dataPropertyName') ?? 'data';
  context.changed(
    'setting',
    'Attributes and texts of elements have the names that text.parse-xml gives them.',
  );
  return throughOperator(
    context,
    `input?.[${JSON.stringify(name)}]`,
    { operator: 'text.parse-xml' },
    { value: (made) => made },
  );
}

function html(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  const reads = context.reads(input);
  const operation =
    params.text('operation') ?? (step.kind === 'htmlExtract' ? 'extractHtmlContent' : 'generateHtmlTemplate');
  if (operation === 'generateHtmlTemplate') {
    // Its expressions are written without a `=` in front.
    const page = context.text(`=${asText(params.get('html') ?? '').replace(/^=/, '')}`, reads);
    const id = itemwise(context, input, { operator: 'core.map', params: { value: { html: page } } });
    return passed(context, input, id);
  }
  if (operation !== 'extractHtmlContent')
    throw new NotHere('it makes a table of items', ['text.template with `{{ }}` over the list', 'code.run']);
  if (params.text('sourceData') === 'binary')
    throw new NotHere('it reads a file', ['file.to-text and text.select-html']);
  params.skip('extractionValues.values');
  const name = params.text('dataPropertyName') ?? 'data';
  const wanted = params.list('extractionValues.values');
  const fields = wanted.map((one) => ({
    name: asText(one['key'] ?? ''),
    selector: asText(one['cssSelector'] ?? ''),
    take: one['returnValue'] === 'html' ? 'html' : one['returnValue'] === 'attribute' ? 'attribute' : 'text',
    ...(one['returnValue'] === 'attribute' && { attribute: asText(one['attribute'] ?? '') }),
    count: one['returnArray'] === true ? 'all' : 'first',
  }));
  return throughOperator(
    context,
    `input?.[${JSON.stringify(name)}]`,
    { operator: 'text.select-html', params: { fields } },
    { value: (made) => made },
  );
}

const READERS: Readonly<
  Record<
    string,
    { operator: string; params?: Record<string, unknown>; output: string; value: string; isList?: boolean }
  >
> = {
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

function extractFromFile(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  const operation = params.text('operation') ?? params.text('fileFormat') ?? 'csv';
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
  const isMany = input.card === 'many';
  const key = JSON.stringify(reader.value.includes('KEY') ? (params.text('destinationKey') ?? 'data') : '');
  const value = reader.value.replace('KEY', key);
  const each = isMany
    ? reader.isList
      ? `input.flatMap(input => ${value})`
      : `input.map(input => (${value}))`
    : value;
  const made = context.add(`${step.name} items`, {
    operator: 'core.map',
    params: { value: `{{ ${each} }}` },
  });
  context.wire(`${id}.${reader.output}`, `${made}.in`);
  const card = reader.isList ? 'many' : input.card;
  return gives(
    context.port(made, 'out', { card, mayBeEmpty: card === 'many', aligned: new Set([step.name]) }),
  );
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

function convertToFile(context: Context): Given {
  const { params, step } = context;
  const operation = params.text('operation') ?? 'csv';
  const into = params.text('binaryPropertyName') ?? 'data';
  const name = params.text('options.fileName') ?? `file.${operation === 'toJson' ? 'json' : operation}`;
  params.skip('mode');
  if (operation === 'toText' || operation === 'toBinary') return textToFile(context, operation, into);
  const writer = WRITERS[operation];
  if (!writer || name.startsWith('='))
    throw new NotHere(`it writes “${operation}”`, ['file.from-text', 'code.run with ctx.newFile']);
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
  return gives(context.port(made, 'out', { card: 'one', aligned: new Set([step.name]) }));
}

function textToFile(context: Context, operation: string, into: string): Given {
  const { params } = context;
  const source = params.text('sourceProperty') ?? 'data';
  const name = params.text('options.fileName') ?? 'file.txt';
  const type = params.text('options.mimeType');
  const content = operation === 'toBinary' ? { content: 'base64' } : {};
  return throughOperator(
    context,
    `input?.[${JSON.stringify(source)}]`,
    {
      operator: 'file.from-text',
      params: {
        name: name.startsWith('=') ? 'file.txt' : name,
        ...content,
        ...(type !== undefined && { type }),
      },
    },
    { value: (made) => `{ ${JSON.stringify(into)}: ${made} }` },
  );
}

function feed(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  const reads = context.reads(input);
  const get = itemwise(context, input, {
    operator: 'http.request',
    params: { url: context.text(params.get('url'), reads), response: 'text' },
  });
  const parse = itemwise(
    context,
    context.port(get, 'body', { card: input.card }),
    { operator: 'text.parse-xml', params: { lists: ['item', 'entry'] } },
    { hint: `${step.name} read` },
  );
  const entries = `(input?.rss?.channel?.item ?? input?.feed?.entry ?? []).map(one => ({ ...one, title: one?.title?.["#text"] ?? one?.title, link: one?.link?.["@href"] ?? one?.link, isoDate: one?.pubDate ?? one?.updated, content: one?.["content:encoded"] ?? one?.content ?? one?.description, contentSnippet: one?.description ?? one?.summary }))`;
  const made = context.add(`${step.name} items`, {
    operator: 'core.map',
    params: { value: `{{ ${input.card === 'many' ? `input.flatMap(input => ${entries})` : entries} }}` },
  });
  context.wire(`${parse}.out`, `${made}.in`);
  return gives(context.port(made, 'out', { card: 'many', mayBeEmpty: true, aligned: new Set([step.name]) }));
}

export const textEntries: readonly Entry[] = [
  {
    kind: 'dateTime',
    versions: '1 to 2',
    word: 'close',
    becomes: '`core.map` with functions of dates',
    difference: 'Rounding up and the time between two dates are placeholders.',
    convert: dateTime,
  },
  {
    kind: 'crypto',
    word: 'close',
    becomes: '`core.map` with `hash` and `uuid`',
    difference: 'HMAC, signatures and files are placeholders.',
    convert: crypto,
  },
  {
    kind: 'markdown',
    word: 'close',
    becomes: '`text.from-markdown`, `text.from-html`',
    difference: 'Options of the conversion are not kept.',
    convert: markdown,
  },
  {
    kind: 'xml',
    word: 'close',
    becomes: '`text.parse-xml`',
    difference: 'Attributes have other names; writing XML is a placeholder.',
    convert: xml,
  },
  {
    kind: 'html',
    versions: '1 to 1.2',
    word: 'close',
    becomes: '`core.map`, `text.select-html`',
    difference: 'Tables made of items are placeholders.',
    convert: html,
  },
  {
    kind: 'htmlExtract',
    word: 'close',
    becomes: '`text.select-html`',
    difference: 'Files are placeholders.',
    convert: html,
  },
  {
    kind: 'extractFromFile',
    word: 'close',
    becomes: '`data.read-csv`, `data.read-xlsx`, `text.from-pdf`, `file.to-text`',
    difference: 'XLS, ODS, RTF and calendars are placeholders.',
    convert: extractFromFile,
  },
  {
    kind: 'spreadsheetFile',
    word: 'close',
    becomes: '`data.read-csv`, `data.read-xlsx`',
    difference: 'Writing is a placeholder.',
    convert: extractFromFile,
  },
  {
    kind: 'convertToFile',
    word: 'close',
    becomes: '`data.write-csv`, `data.write-xlsx`, `file.from-text`',
    difference: 'XLS, ODS, RTF and calendars are placeholders.',
    convert: convertToFile,
  },
  {
    kind: 'rssFeedRead',
    word: 'close',
    becomes: '`http.request` and `text.parse-xml`',
    difference: 'Entries have the fields of the feed, and the most used names of the original.',
    convert: feed,
  },
];
