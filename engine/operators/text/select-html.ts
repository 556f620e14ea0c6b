import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { contentOf, encodingParam, maxBytesParam } from '../_document.ts';

const selector = z.string().max(1000);

const field = z.object({
  name: z.string().min(1).max(200).describe('The field of the result.'),
  selector: selector
    .default('')
    .describe('A CSS selector, such as h2 a or .price. Empty: the row itself, or the whole page.'),
  take: z.enum(['text', 'html', 'attribute']).default('text').describe('The part of the element to take.'),
  attribute: z.string().max(200).optional().describe('The name of the attribute, such as href.'),
  count: z
    .enum(['first', 'all'])
    .default('first')
    .describe('first: the first element that matches, or null. all: a list of every one.'),
});

const fieldTypes = {
  fieldsFrom: {
    entriesIn: 'fields',
    name: 'name',
    by: 'count',
    cases: {
      first: { schema: { type: ['string', 'null'] } },
      all: { schema: { type: 'array', items: { type: 'string' } } },
    },
  },
} as const;

export default defineOperator({
  title: 'Select from HTML',
  doc: 'Reads parts of a web page by CSS selectors: texts, markup and attributes, once for the page or for each row.',
  icon: 'scan-text',
  summary: '[each {rows}: ]{fields: {name}}',
  synonyms:
    'html extract, css selector, scrape, web scraper, cheerio, extract html content, xpath, query html',
  params: z.object({
    rows: selector
      .min(1)
      .optional()
      .describe(
        'A CSS selector: gives a list with one object for each element that matches, such as table tr.',
      ),
    fields: z.array(field).min(1).max(100).describe('The fields to read.'),
    encoding: encodingParam,
    maxBytes: maxBytesParam(10),
  }),
  options: { Format: ['encoding'], Limits: ['maxBytes'] },
  inputs: { in: input({ doc: 'HTML as a text, or as a file.', schema: z.union([z.string(), FileValue]) }) },
  outputs: { out: output({ doc: 'An object with the fields; with `rows`, a list of them.' }) },
  infer: {
    outputs: {
      out: { byParam: { name: 'rows', cases: { absent: fieldTypes }, else: { array: fieldTypes } } },
    },
  },
  effects: 'read',
  examples: [
    {
      title: 'A list of goods',
      params: {
        rows: 'li',
        fields: [
          { name: 'name', selector: 'a' },
          { name: 'link', selector: 'a', take: 'attribute', attribute: 'href' },
        ],
      },
      inputs: { in: '<ul><li><a href="/tea">Green tea</a></li><li><a href="/cup">Cup</a></li></ul>' },
      outputs: {
        out: [
          { name: 'Green tea', link: '/tea' },
          { name: 'Cup', link: '/cup' },
        ],
      },
    },
    {
      title: 'Parts of the page',
      params: {
        fields: [
          { name: 'first', selector: 'a' },
          { name: 'all', selector: 'a', count: 'all' },
          { name: 'none', selector: 'h1' },
        ],
      },
      inputs: { in: '<ul><li><a href="/tea">Green tea</a></li><li><a href="/cup">Cup</a></li></ul>' },
      outputs: { out: { first: 'Green tea', all: ['Green tea', 'Cup'], none: null } },
    },
    {
      title: 'Not a selector',
      params: { fields: [{ name: 'a', selector: 'a[' }] },
      inputs: { in: '<a>1</a>' },
      error: 'bad_params',
    },
  ],
  async run(call) {
    const { rows, fields, maxBytes } = call.params;
    const lacking = fields.findIndex(({ take, attribute }) => take === 'attribute' && !attribute);
    if (lacking !== -1)
      throw new WeftError('bad_params', 'Name the attribute to take.', {
        field: `params.fields[${lacking}].attribute`,
      });
    const { content, ...hints } = await contentOf(call, call.params.encoding);
    return call.service('documents').select(content, { rows, fields, maxBytes, ...hints }, call.signal);
  },
});
