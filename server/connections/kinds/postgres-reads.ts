/**
 * What may be called without a transaction around it: functions that change nothing of their session. Every other
 * function might execute what it is given, or change a setting.
 */
const HARMLESS = new Set(
  `abs array_agg array_length avg bool_and bool_or btrim cast ceil ceiling char_length coalesce concat concat_ws count
  cume_dist date_part date_trunc dense_rank every exp extract first_value floor format generate_series greatest initcap
  json_agg json_array_elements json_build_object json_object_agg jsonb_agg jsonb_array_elements jsonb_build_object
  jsonb_object_agg lag last_value lead least left length lower lpad ltrim max md5 min mod now nth_value ntile nullif
  percent_rank position power random rank regexp_match regexp_replace replace reverse right round row_number row_to_json
  rpad rtrim sign split_part sqrt stddev string_agg strpos substr substring sum to_char to_date to_json to_jsonb
  to_number to_timestamp translate trim trunc unnest upper variance

  all and any array as between by case char character decimal distinct else except exists filter float from group having
  ilike in intersect interval is join lateral like limit materialized not null numeric offset on or order over
  partition row select similar some then time timestamp union using values varchar when where with within`.split(
    /\s+/,
  ),
);

const BEGINNING = /^\s*(?:select|with|values|table)\b/i;
/** Comments and quoted names could hide what is called. */
const HIDING = /--|\/\*|"|\\/;
const CALLED = /([\w$\u0080-\uffff]*)\s*\(/g;

const known = new Map<string, boolean>();

/** Whether a statement that only reads can leave nothing behind, so that it needs no transaction which is rolled back. */
export function isPlainRead(sql: string): boolean {
  let isPlain = known.get(sql);
  if (isPlain === undefined) {
    if (known.size >= 2000) known.clear();
    isPlain = judge(sql);
    known.set(sql, isPlain);
  }
  return isPlain;
}

function judge(sql: string): boolean {
  if (!BEGINNING.test(sql) || HIDING.test(sql)) return false;
  return [...sql.matchAll(CALLED)].every(([, name = '']) => name === '' || HARMLESS.has(name.toLowerCase()));
}
