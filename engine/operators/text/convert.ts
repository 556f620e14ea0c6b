import { z } from 'zod';
import { losesDigits } from '#shared/lost-digits.ts';
import { defineOperator, input, output, toText, WeftError } from '../../base/operator.ts';
import { fromBase64, fromHex, fromUrl, toBase64, toHex, toUrl } from '../_encodings.ts';
import { escapeHtml, unescapeHtml } from '../_html.ts';
import { isoMs, isoText } from '../_iso-time.ts';
import { reading } from '../_record.ts';
import { inSlices } from '../_slices.ts';
import { inputText } from '../_text.ts';

const CONVERSIONS = [
  'upper',
  'lower',
  'trim',
  'to-text',
  'to-number',
  'to-base64',
  'from-base64',
  'to-url',
  'from-url',
  'to-hex',
  'from-hex',
  'escape-html',
  'unescape-html',
  'to-iso-time',
  'from-iso-time',
] as const;

export default defineOperator({
  title: 'Convert',
  doc: 'Converts a value: a text to upper case, a text to a number, base64 and other encodings (of the text’s UTF-8 bytes), or a time in UTC.',
  icon: 'arrow-left-right',
  summary: '{conversion}',
  synonyms: 'upper case, lower case, trim, to number, to string, cast, type convert, uppercase',
  params: z.object({
    conversion: z
      .enum(CONVERSIONS)
      .describe(
        'The conversion. `to-url` is for parts of an address. `to-iso-time` takes milliseconds since 1970 and gives a text such as 2026-03-01T12:30:00.000Z, `from-iso-time` the reverse.',
      ),
  }),
  inputs: { in: input({ doc: 'A text; for `to-text` any value, for `to-iso-time` a number.' }) },
  outputs: { out: output({ doc: 'The text, or the number.', schema: z.union([z.string(), z.number()]) }) },
  infer: {
    outputs: {
      out: {
        byParam: {
          name: 'conversion',
          cases: {
            'to-number': { schema: { type: 'number' } },
            'from-iso-time': { schema: { type: 'number' } },
          },
          else: { schema: { type: 'string' } },
        },
      },
    },
  },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'Base64',
      params: { conversion: 'to-base64' },
      inputs: { in: 'für 5 €' },
      outputs: { out: 'ZsO8ciA1IOKCrA==' },
    },
    {
      title: 'A number',
      params: { conversion: 'to-number' },
      inputs: { in: ' 1e3 ' },
      outputs: { out: 1000 },
    },
    { title: 'No number', params: { conversion: 'to-number' }, inputs: { in: 'ten' }, error: 'bad_input' },
    {
      title: 'For a page',
      params: { conversion: 'escape-html' },
      inputs: { in: '<b>Ada & Co</b>' },
      outputs: { out: '&lt;b&gt;Ada &amp; Co&lt;/b&gt;' },
    },
    {
      title: 'A time',
      params: { conversion: 'to-iso-time' },
      inputs: { in: 1_772_368_200_000 },
      outputs: { out: '2026-03-01T12:30:00.000Z' },
    },
    {
      title: 'A time with an offset',
      params: { conversion: 'from-iso-time' },
      inputs: { in: '2026-03-01T13:30:00+01:00' },
      outputs: { out: 1_772_368_200_000 },
    },
  ],
  run(call) {
    const { input: value } = call;
    switch (call.params.conversion) {
      case 'to-text':
        return reading(() => toText(value));
      case 'to-iso-time':
        if (typeof value !== 'number') throw new WeftError('bad_input', 'The input is not a number.');
        return isoText(value);
      case 'upper':
        return inputText(value).toUpperCase();
      case 'lower':
        return inputText(value).toLowerCase();
      case 'trim':
        return inputText(value).trim();
      case 'to-number':
        return numberOf(inputText(value));
      case 'from-iso-time':
        return isoMs(inputText(value));
      default:
        return inSlices(call, encodings[call.params.conversion](inputText(value)));
    }
  },
});

const encodings = {
  'to-base64': toBase64,
  'from-base64': fromBase64,
  'to-url': toUrl,
  'from-url': fromUrl,
  'to-hex': toHex,
  'from-hex': fromHex,
  'escape-html': escapeHtml,
  'unescape-html': unescapeHtml,
};

/** A number as JSON or a person would write it; JavaScript's other forms (0x10, Infinity, an empty text) are refused. */
function numberOf(text: string): number {
  const trimmed = text.trim();
  const value = NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (/^[+-]?\d+$/.test(trimmed) && losesDigits(trimmed.replace('+', '')))
    throw new WeftError(
      'bad_input',
      `${trimmed.slice(0, 60)} has more digits than a number keeps: use it as a text.`,
    );
  if (Number.isFinite(value)) return value;
  throw new WeftError('bad_input', `${JSON.stringify(trimmed.slice(0, 60))} is not a number.`);
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
