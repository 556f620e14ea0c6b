import { parseKeepingDigits } from '#shared/lost-digits.ts';
import type { JsonSchema } from '#shared/json.ts';
import { DECIMAL, decimalOf, integerOf, LARGE, TEXT, databaseText, WHOLE } from '../../sql-common.ts';

/** Numbers of types in `pg_type`, which never change. */
const BOOL = 16;
const BYTES = 17;
const INT8 = 20;
const SMALL_INTEGERS = [21, 23, 26];
const FLOATS = [700, 701];
const JSONS = [114, 3802];
const NUMERIC = 1700;
const DATE = 1082;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;
/** A list for these is JSON, not a list of the database. */
const TEXTS = new Set([18, 19, 25, 1042, 1043, ...JSONS]);

type Parse = (text: string) => unknown;

const parsers = new Map<number, Parse>([
  [BOOL, (text) => text === 't'],
  [BYTES, (text) => Buffer.from(text.slice(2), 'hex').toString('base64')],
  [INT8, integerOf],
  ...SMALL_INTEGERS.map((type): [number, Parse] => [type, Number]),
  ...FLOATS.map((type): [number, Parse] => [type, floatOf]),
  ...JSONS.map((type): [number, Parse] => [type, jsonOf]),
  [NUMERIC, decimalOf],
  [DATE, (text) => text],
  [TIMESTAMP, (text) => text.replace(' ', 'T')],
  [TIMESTAMPTZ, (text) => text.replace(' ', 'T').replace(/\+00$/, 'Z')],
]);

/** Types of lists with those of their items. Lists of other types, such as enumerations, stay texts. */
const LISTS: readonly (readonly [list: number, item: number])[] = [
  [199, 114],
  [1000, BOOL],
  [1001, BYTES],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1014, 1042],
  [1015, 1043],
  [1016, INT8],
  [1021, 700],
  [1022, 701],
  [1028, 26],
  [1115, TIMESTAMP],
  [1182, DATE],
  [1185, TIMESTAMPTZ],
  [1231, NUMERIC],
  [2951, 2950],
  [3807, 3802],
];
for (const [list, item] of LISTS) {
  const parse = parsers.get(item) ?? String;
  parsers.set(list, (text) => parseList(text, parse));
}

/** For the driver: texts are read as JSON by their type, and values are sent as the texts that they are. */
export const types = Object.fromEntries(
  [...parsers].map(([type, parse]) => [
    `weft_${type}`,
    { to: type, from: [type], serialize: (text: string) => text, parse },
  ]),
);

/** JSON Schema of the values of a type; texts are what has no parser. */
export function schemaOf(type: number): JsonSchema {
  if (type === BOOL) return { type: 'boolean' };
  if (type === INT8) return LARGE;
  if (SMALL_INTEGERS.includes(type)) return WHOLE;
  if (FLOATS.includes(type) || type === NUMERIC) return DECIMAL;
  if (JSONS.includes(type)) return {};
  return LISTS.some(([list]) => list === type) ? { type: 'array' } : TEXT;
}

/** JSON has no Infinity. */
function floatOf(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

/** JSON in which numbers that would lose digits are texts. */
export function jsonOf(text: string): unknown {
  return parseKeepingDigits(text);
}

/** Reads `{1,NULL,"a\\"b"}`; bounds before it, such as `[0:2]=`, are left out. A text that is not closed goes to the end. */
export function parseList(text: string, parse: Parse): unknown[] {
  const tokens = text.slice(text.indexOf('{')).matchAll(/[{}]|"(?:[^"\\]|\\[^]?)*(?:"|$)|[^{},"]+/g);
  const root: unknown[] = [];
  const open = [root];
  for (const [token] of tokens) {
    const list = open.at(-1) as unknown[];
    if (token === '{') open.push([]);
    else if (token === '}') {
      open.pop();
      open.at(-1)?.push(list);
    } else if (token === 'NULL') list.push(null);
    else list.push(parse(token.startsWith('"') ? token.slice(1, -1).replaceAll(/\\([^])/g, '$1') : token));
  }
  return root[0] as unknown[];
}

/** A value as the text that is bound; `type` is that of the placeholder, which only lists need. */
export function boundText(name: string, value: unknown, type: number | undefined): string | null {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value) && type !== undefined && !TEXTS.has(type)) return listText(name, value);
  return databaseText(name, value);
}

/** `{"a","b"}` */
function listText(name: string, list: readonly unknown[]): string {
  const items = list.map((item) => {
    if (Array.isArray(item)) return listText(name, item);
    const text = boundText(name, item, undefined);
    return text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  });
  return `{${items.join(',')}}`;
}
