import type { ErrorObject } from 'ajv/dist/2020.js';
import { isIntegerText } from './scalars.ts';

/** The text of a problem, without its place. */
export interface ProblemText {
  readonly type: string;
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
  /** The type of a union that this is about. */
  readonly label?: string;
}

/** The parts of a validator's error that the texts are made from. */
export type Broken = Pick<ErrorObject, 'keyword' | 'params' | 'message' | 'parentSchema'>;

/** The texts for one error of the validator; several if a value fits none of several types. */
export function describe(error: Broken, input: unknown): ProblemText[] {
  if (error.keyword === 'type') return describeType(error, input);
  const text = rules[error.keyword]?.(error);
  return [text ?? { type: 'value_error', msg: `Value error, ${error.message ?? 'not accepted'}` }];
}

type Rule = (error: Broken) => ProblemText;

const rules: Readonly<Record<string, Rule>> = {
  required: () => ({ type: 'missing', msg: 'Field required' }),
  additionalProperties: () => ({ type: 'extra_forbidden', msg: 'Extra inputs are not permitted' }),
  unevaluatedProperties: () => ({ type: 'extra_forbidden', msg: 'Extra inputs are not permitted' }),
  minimum: bound('greater_than_equal', 'greater than or equal to', 'ge'),
  maximum: bound('less_than_equal', 'less than or equal to', 'le'),
  exclusiveMinimum: bound('greater_than', 'greater than', 'gt'),
  exclusiveMaximum: bound('less_than', 'less than', 'lt'),
  multipleOf: ({ params: { multipleOf } }) => ({
    type: 'multiple_of',
    msg: `Input should be a multiple of ${multipleOf}`,
    ctx: { multiple_of: multipleOf },
  }),
  minLength: size('string_too_short', 'String should have at least', 'character', 'min_length'),
  maxLength: size('string_too_long', 'String should have at most', 'character', 'max_length'),
  minItems: size('too_short', 'List should have at least', 'item', 'min_length'),
  maxItems: size('too_long', 'List should have at most', 'item', 'max_length'),
  minProperties: size('too_short', 'Dictionary should have at least', 'item', 'min_length'),
  maxProperties: size('too_long', 'Dictionary should have at most', 'item', 'max_length'),
  uniqueItems: () => ({ type: 'unique_items', msg: 'List should not have equal items' }),
  pattern: ({ params: { pattern } }) => ({
    type: 'string_pattern_mismatch',
    msg: `String should match pattern '${pattern}'`,
    ctx: { pattern },
  }),
  enum: ({ params }) => oneOf(params['allowedValues'] as readonly unknown[]),
  const: ({ params }) => oneOf([params['allowedValue']]),
  format: ({ params }) =>
    formatTexts[String(params['format'])] ?? { type: 'value_error', msg: 'Input has the wrong format' },
};

const formatTexts: Readonly<Record<string, ProblemText>> = {
  email: { type: 'value_error', msg: 'value is not a valid email address' },
  uri: { type: 'url_parsing', msg: 'Input should be a valid URL' },
  uuid: { type: 'uuid_parsing', msg: 'Input should be a valid UUID' },
  date: { type: 'date_parsing', msg: 'Input should be a valid date in the format YYYY-MM-DD' },
  time: { type: 'time_parsing', msg: 'Input should be in a valid time format' },
  'date-time': { type: 'datetime_parsing', msg: 'Input should be a valid datetime' },
  ipv4: { type: 'ip_v4_address', msg: 'Input is not a valid IPv4 address' },
  ipv6: { type: 'ip_v6_address', msg: 'Input is not a valid IPv6 address' },
};

function bound(type: string, words: string, key: string): Rule {
  return ({ params: { limit } }) => ({
    type,
    msg: `Input should be ${words} ${limit}`,
    ctx: { [key]: limit },
  });
}

function size(type: string, words: string, unit: string, key: string): Rule {
  return ({ params: { limit } }) => ({
    type,
    msg: `${words} ${limit} ${unit}${limit === 1 ? '' : 's'}`,
    ctx: { [key]: limit },
  });
}

function oneOf(values: readonly unknown[]): ProblemText {
  const texts = values.map((v) => (typeof v === 'string' ? `'${v}'` : JSON.stringify(v)));
  const expected =
    texts.length > 1 ? `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}` : String(texts[0]);
  return { type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } };
}

const LABELS: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  array: 'list',
  object: 'dict',
};

/** `-F name=value` without an `@` is the usual reason. */
const NO_FILE = 'Input should be a file; send it as a part of a form, such as curl -F field=@name';

function isFileModel(fields: unknown): boolean {
  return typeof fields === 'object' && fields !== null && '$file' in fields;
}

function describeType(error: Broken, input: unknown): ProblemText[] {
  const type: unknown = error.params['type'];
  const types = (Array.isArray(type) ? type : String(type).split(',')).filter((t) => t !== 'null');
  if (types.length === 0) return [{ type: 'none_required', msg: 'Input should be None' }];
  const fields: unknown = error.parentSchema?.['properties'];
  if (isFileModel(fields)) return [{ type: 'file_type', msg: NO_FILE }];
  const asModel = fields !== undefined;
  if (types.length === 1) return [typeText(String(types[0]), input, asModel)];
  return types.map((t) => ({
    ...typeText(String(t), input, asModel),
    label: LABELS[String(t)] ?? String(t),
  }));
}

function typeText(type: string, input: unknown, asModel: boolean): ProblemText {
  switch (type) {
    case 'string':
      return { type: 'string_type', msg: 'Input should be a valid string' };
    case 'integer':
      return integerText(input);
    case 'number':
      if (typeof input !== 'string') return { type: 'float_type', msg: 'Input should be a valid number' };
      return {
        type: 'float_parsing',
        msg: isIntegerText(input)
          ? 'Input should be a number that keeps all its digits; declare the field as a text'
          : 'Input should be a valid number, unable to parse string as a number',
      };
    case 'boolean':
      if (typeof input !== 'string' && typeof input !== 'number')
        return { type: 'bool_type', msg: 'Input should be a valid boolean' };
      return { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' };
    case 'array':
      return { type: 'list_type', msg: 'Input should be a valid list' };
    default:
      if (!asModel) return { type: 'dict_type', msg: 'Input should be a valid dictionary' };
      return {
        type: 'model_attributes_type',
        msg: 'Input should be a valid dictionary or object to extract fields from',
      };
  }
}

function integerText(input: unknown): ProblemText {
  const isText = typeof input === 'string';
  if (
    isText ? isIntegerText(input) : typeof input === 'number' && !(Math.abs(input) <= Number.MAX_SAFE_INTEGER)
  ) {
    return {
      type: 'int_parsing_size',
      msg: 'Input should be an integer between -9007199254740991 and 9007199254740991',
    };
  }
  if (isText)
    return {
      type: 'int_parsing',
      msg: 'Input should be a valid integer, unable to parse string as an integer',
    };
  if (typeof input !== 'number') return { type: 'int_type', msg: 'Input should be a valid integer' };
  return {
    type: 'int_from_float',
    msg: 'Input should be a valid integer, got a number with a fractional part',
  };
}
