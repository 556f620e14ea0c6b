/**
 * What a person writes in place of a value that a form refused, on its page and in the editor. Programs get the words of the validator
 * over the API.
 */

interface Problem {
  /** The kind, as the API names it: `missing`, `int_parsing`, `string_too_long`. */
  readonly type?: string | undefined;
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>> | undefined;
}

const SENTENCES: Readonly<Record<string, string>> = {
  missing: 'Fill this in.',
  none_required: 'Leave this empty.',
  extra_forbidden: 'This is not part of the form.',
  string_type: 'Write a text.',
  int_type: 'Write a whole number.',
  int_parsing: 'Write a whole number.',
  int_from_float: 'Write a whole number.',
  float_type: 'Write a number.',
  float_parsing: 'Write a number.',
  bool_type: 'Choose yes or no.',
  bool_parsing: 'Choose yes or no.',
  literal_error: 'Choose one of the list.',
  enum: 'Choose one of the list.',
  date_parsing: 'Write a day such as 2026-03-01.',
  time_parsing: 'Write a time such as 14:30.',
  datetime_parsing: 'Write a day and a time, such as 2026-03-01T14:30:00Z.',
  url_parsing: 'Write an address that begins with https://.',
  string_pattern_mismatch: 'Write it in the form that is asked for.',
  unique_items: 'Name each one only once.',
  list_type: 'Write a list in JSON, such as [1, 2].',
  dict_type: 'Write an object in JSON, such as {"a": 1}.',
  model_attributes_type: 'Write an object in JSON, such as {"a": 1}.',
  file_type: 'Choose a file.',
  value_error: 'Write it in the form that is asked for.',
};

/** Those that name a limit; `{limit}` stands for it. */
const LIMITS: Readonly<Record<string, string>> = {
  greater_than_equal: 'Write a number of at least {limit}.',
  less_than_equal: 'Write a number of at most {limit}.',
  greater_than: 'Write a number above {limit}.',
  less_than: 'Write a number below {limit}.',
  multiple_of: 'Write a multiple of {limit}.',
  string_too_short: 'Write at least {limit} characters.',
  string_too_long: 'Write at most {limit} characters.',
  too_short: 'Give at least {limit} entries.',
  too_long: 'Give at most {limit} entries.',
};

/** The sentence beside the field; what nobody foresaw keeps the words that it has. */
export function faultSentence({ type = '', msg, ctx = {} }: Problem): string {
  if (msg === 'value is not a valid email address') return 'Write a mail address.';
  const [limit] = Object.values(ctx);
  const withLimit = LIMITS[type];
  if (withLimit !== undefined && typeof limit === 'number')
    return withLimit.replace('{limit}', limit.toLocaleString('en', { maximumFractionDigits: 20 }));
  return SENTENCES[type] ?? msg;
}
