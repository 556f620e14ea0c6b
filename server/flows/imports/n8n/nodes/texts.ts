import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { itemwise } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';
import { itemIn, passed, required, throughOperator, withField } from '../text-steps.ts';
import { objectOf } from './fields.ts';

/** Dates, texts and markup: values that are computed from each item and put into a field of it. */

const FORMATS: Readonly<Record<string, string>> = {
  'MM/dd/yyyy': 'LL/dd/yyyy',
  'yyyy/MM/dd': 'yyyy/LL/dd',
  'MMMM dd yyyy': 'LLLL dd yyyy',
  'MM-dd-yyyy': 'LL-dd-yyyy',
  'yyyy-MM-dd': 'yyyy-LL-dd',
};

/** An operation with dates: the field that it makes, and its value. */
type DateWay = (context: Context, said: (path: string) => string) => readonly [field: string, value: string];

/** A date that is given, in the format that the node names. */
const dateIn = ({ params }: Context, value: string): string => {
  const format = params.text('options.fromFormat');
  return format === undefined ? `date(${value})` : `date(${value}, ${JSON.stringify(format)})`;
};

const added =
  (name: 'plus' | 'minus'): DateWay =>
  (context, said) => {
    const unit = JSON.stringify(context.params.text('timeUnit') ?? 'days');
    return ['newDate', `${name}(${dateIn(context, said('magnitude'))}, ${said('duration')}, ${unit})`];
  };

const DATE_WAYS: Readonly<Record<string, DateWay>> = {
  getCurrentDate: ({ params }) => ['currentDate', params.get('includeTime') === false ? 'today()' : 'now()'],
  addToDate: added('plus'),
  subtractFromDate: added('minus'),
  formatDate(context, said) {
    const { params } = context;
    const format = params.text('format') ?? 'MM/dd/yyyy';
    const custom = params.text('customFormat') ?? 'yyyy-LL-dd';
    const date = dateIn(context, said('date'));
    if (format === 'X' || format === 'x')
      return ['formattedDate', `timestamp(${date}${format === 'X' ? ', "seconds"' : ''})`];
    const chosen = format === 'custom' ? custom : (FORMATS[format] ?? format);
    return ['formattedDate', `formatDate(${date}, ${JSON.stringify(chosen)})`];
  },
  extractDate: (context, said) => [
    'datePart',
    `datePart(${dateIn(context, said('date'))}, ${JSON.stringify(context.params.text('part') ?? 'month')})`,
  ],
  roundDate(context, said) {
    const { params } = context;
    if (params.text('mode') === 'roundUp')
      throw new NotHere('it rounds a date up', ['core.map with `endOf`']);
    return [
      'roundedDate',
      `startOf(${dateIn(context, said('date'))}, ${JSON.stringify(params.text('toNearest') ?? 'month')})`,
    ];
  },
  format: (context, said) => [
    'data',
    `formatDate(${dateIn(context, said('value'))}, ${JSON.stringify(context.params.text('toFormat') ?? 'yyyy-LL-dd')})`,
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
    kind: 'rssFeedRead',
    word: 'close',
    becomes: '`http.request` and `text.parse-xml`',
    difference: 'Entries have the fields of the feed, and the most used names of the original.',
    convert: feed,
  },
];
