import { chargeText } from '../budget.ts';
import { typeName } from '../read.ts';
import { toJsonText } from '../../base/text.ts';
import { base64Decode, base64Encode } from './base64.ts';
import { booleanFrom, numberFrom, roundTo, textFrom, urlDecode, urlEncode } from './convert.ts';
import { type FunctionEntry, numberOf, textOf } from './entry.ts';
import { parseJson } from './records.ts';
import { lowerCase, trimmed, upperCase } from './text-methods.ts';

function paidJson(value: unknown): string {
  const text = value === undefined ? 'null' : toJsonText(value);
  chargeText(text.length);
  return text;
}

/** Functions that convert values, numbers and texts. */
export const valueFunctions: Readonly<Record<string, FunctionEntry>> = {
  string: {
    signature: 'string(value)',
    doc: 'The value as text: null is empty, objects and arrays are JSON.',
    returns: 'string',
    run: textFrom,
  },
  number: {
    signature: 'number(value)',
    doc: 'The number in a text; true is 1, false is 0, and any other value is NaN. A text with more digits than a number keeps is an error.',
    returns: 'number',
    run: (value) => numberFrom(value, 'number'),
  },
  boolean: {
    signature: 'boolean(value)',
    doc: 'True or false; the texts true, yes, on, 1 and false, no, off, 0 are understood.',
    returns: 'boolean',
    run: booleanFrom,
  },
  int: {
    signature: 'int(value)',
    doc: 'The number in a value, without its decimal places.',
    returns: 'number',
    run: (value) => Math.trunc(numberFrom(value, 'int')),
  },
  typeOf: {
    signature: 'typeOf(value)',
    doc: 'The type of a value: string, number, boolean, null, array or object.',
    returns: 'string',
    run: typeName,
  },
  round: {
    signature: 'round(number, digits?)',
    doc: 'The number, rounded to a whole number or to the given number of decimal places.',
    returns: 'number',
    takes: ['number', 'number'],
    run: (value, digits) => roundTo(numberOf(value, 'round'), digits),
  },
  floor: {
    signature: 'floor(number)',
    doc: 'The next whole number below.',
    returns: 'number',
    takes: ['number'],
    run: (value) => Math.floor(numberOf(value, 'floor')),
  },
  ceil: {
    signature: 'ceil(number)',
    doc: 'The next whole number above.',
    returns: 'number',
    takes: ['number'],
    run: (value) => Math.ceil(numberOf(value, 'ceil')),
  },
  abs: {
    signature: 'abs(number)',
    doc: 'The absolute value of the number.',
    returns: 'number',
    takes: ['number'],
    run: (value) => Math.abs(numberOf(value, 'abs')),
  },
  json: {
    signature: 'json(text)',
    doc: 'The value of a JSON text.',
    returns: 'any',
    takes: ['string'],
    run: (text) => parseJson(textOf(text, 'json')),
  },
  toJson: {
    signature: 'toJson(value)',
    doc: 'The value as JSON text.',
    returns: 'string',
    run: paidJson,
  },
  lower: {
    signature: 'lower(text)',
    doc: 'The text in lower case.',
    returns: 'string',
    takes: ['string'],
    run: (text) => lowerCase(textOf(text, 'lower')),
  },
  upper: {
    signature: 'upper(text)',
    doc: 'The text in upper case.',
    returns: 'string',
    takes: ['string'],
    run: (text) => upperCase(textOf(text, 'upper')),
  },
  trim: {
    signature: 'trim(text)',
    doc: 'The text without blanks at both ends.',
    returns: 'string',
    takes: ['string'],
    run: (text) => trimmed(textOf(text, 'trim')),
  },
  urlEncode: {
    signature: 'urlEncode(value)',
    doc: 'The value, percent-encoded as part of an address.',
    returns: 'string',
    run: urlEncode,
  },
  urlDecode: {
    signature: 'urlDecode(text)',
    doc: 'The text without percent-encoding.',
    returns: 'string',
    takes: ['string'],
    run: urlDecode,
  },
  base64Encode: {
    signature: 'base64Encode(text)',
    doc: 'The UTF-8 bytes of the text in base64.',
    returns: 'string',
    takes: ['string'],
    run: (text) => base64Encode(textOf(text, 'base64Encode')),
  },
  base64Decode: {
    signature: 'base64Decode(text)',
    doc: 'The text of UTF-8 bytes in base64.',
    returns: 'string',
    takes: ['string'],
    run: (text) => base64Decode(textOf(text, 'base64Decode')),
  },
};
