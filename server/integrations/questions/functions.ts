import type { DatabaseKind } from '#shared/connection.ts';

/**
 * The functions that a statement of a model may call: they compute from their arguments and have no side effects. All others are
 * refused; a database has hundreds more, and each of its extensions adds some.
 */
const words = (text: string): string[] => text.trim().split(/\s+/);

const common = words(`
  abs avg ceil ceiling char_length character_length coalesce concat concat_ws count cume_dist dense_rank exp first_value floor
  greatest lag last_value lead least length ln log log10 lower ltrim max min mod nth_value ntile nullif octet_length percent_rank
  power rank replace round row_number rtrim sign sqrt substr substring sum trim upper
`);

const byKind: Readonly<Record<DatabaseKind, readonly string[]>> = {
  postgres: words(`
    age array_agg array_length array_position array_to_string array_upper bit_and bit_or bool_and bool_or btrim cardinality cbrt
    chr corr covar_pop covar_samp date date_bin date_part date_trunc div every extract float4 float8 format generate_series generate_subscripts initcap
    int4 int8 isfinite json_agg json_array_elements json_array_elements_text json_array_length json_build_array json_build_object
    json_each json_each_text json_extract_path json_extract_path_text json_object_agg json_object_keys json_strip_nulls json_to_record
    json_to_recordset json_typeof jsonb_agg
    jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each
    jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_object_agg jsonb_object_keys jsonb_path_exists jsonb_path_query jsonb_path_query_array
    jsonb_path_query_first jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof justify_days
    justify_hours justify_interval left like_escape lpad make_date make_interval make_time make_timestamp make_timestamptz md5 mode
    normalize now numeric overlaps overlay percentile_cont percentile_disc position regexp_count regexp_match regexp_matches
    regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr regr_slope reverse right rpad similar_to_escape
    split_part starts_with statement_timestamp stddev stddev_pop stddev_samp string_agg string_to_array string_to_table strpos text
    timezone to_char to_date to_json to_jsonb to_number to_timestamp transaction_timestamp translate trunc unnest var_pop var_samp
    variance width_bucket
  `),
  mysql: words(`
    adddate addtime any_value ascii bit_and bit_or cast char conv convert convert_tz crc32 curdate current_date current_time
    current_timestamp curtime date date_add date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear elt exists extract
    field find_in_set format from_days from_unixtime group_concat hour if ifnull instr isnull json_array json_arrayagg json_contains
    json_contains_path json_extract json_keys json_length json_object json_objectagg json_type json_unquote json_value last_day lcase
    left locate log2 lpad makedate maketime md5 microsecond mid minute month monthname now period_add period_diff position pow
    quarter regexp_instr regexp_like regexp_replace regexp_substr repeat reverse right rpad sec_to_time second sha1 sha2 space std
    stddev stddev_pop stddev_samp str_to_date strcmp subdate substring_index subtime sysdate time time_format time_to_sec timediff
    timestamp timestampadd timestampdiff to_days truncate ucase unix_timestamp utc_date utc_time utc_timestamp var_pop var_samp
    variance week weekday weekofyear year yearweek
  `),
  sqlite: words(`
    ->  ->> acos acosh asin asinh atan atan2 atanh char cos cosh date datetime degrees format glob group_concat hex ifnull iif instr
    json json_array json_array_length json_extract json_group_array json_group_object json_object json_type json_valid julianday like
    log2 pi pow printf quote radians sin sinh string_agg strftime tan tanh time timediff total trunc typeof unicode unixepoch
  `),
};

const sets = new Map<DatabaseKind, ReadonlySet<string>>();

export function allowedFunctions(kind: DatabaseKind): ReadonlySet<string> {
  const known = sets.get(kind) ?? new Set([...common, ...byKind[kind]]);
  sets.set(kind, known);
  return known;
}
