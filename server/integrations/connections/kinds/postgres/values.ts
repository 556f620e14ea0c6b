import { parseKeepingDigits } from '#shared/lost-digits.ts';
import type { JsonSchema } from '#shared/json.ts';
import { type Bound, bindable } from '../../placeholders.ts';
import { DECIMAL, decimalOf, integerOf, LARGE, TEXT, databaseText, WHOLE } from '../../sql-common.ts';

/** Object ids of types in `pg_type`, which never change. */
const BOOL = 16;
export const BYTES = 17;
export const BYTES_LIST = 1001;
const INT8 = 20;
const SMALL_INTEGERS = [21, 23, 26];
const FLOATS = [700, 701];
const JSONS = [114, 3802];
export const NUMERIC = 1700;
const DATE = 1082;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;
/** A list for one of these types is sent as JSON, not as a list of the database. */
const TEXTS = new Set([18, 19, 25, 1042, 1043, ...JSONS]);

export type Parse = (text: string) => unknown;

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

/** List types with the types of their items. Lists of types that a database defines itself are looked up. */
const LISTS: readonly (readonly [list: number, item: number])[] = [
  [143, 142],
  [199, 114],
  [629, 628],
  [651, 650],
  [719, 718],
  [775, 774],
  [791, 790],
  [1000, BOOL],
  [BYTES_LIST, BYTES],
  [1002, 18],
  [1003, 19],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1014, 1042],
  [1015, 1043],
  [1016, INT8],
  [1017, 600],
  [1018, 601],
  [1019, 602],
  [1021, 700],
  [1022, 701],
  [1027, 604],
  [1028, 26],
  [1040, 829],
  [1041, 869],
  [1115, TIMESTAMP],
  [1182, DATE],
  [1183, 1083],
  [1185, TIMESTAMPTZ],
  [1187, 1186],
  [1231, NUMERIC],
  [1270, 1266],
  [1561, 1560],
  [1563, 1562],
  [2210, 2205],
  [2211, 2206],
  [2951, 2950],
  [3643, 3614],
  [3645, 3615],
  [3807, 3802],
  [3905, 3904],
  [3907, 3906],
  [3909, 3908],
  [3911, 3910],
  [3913, 3912],
  [3927, 3926],
  [4073, 4072],
  [6150, 4451],
  [6151, 4532],
  [6152, 4533],
  [6153, 4534],
  [6155, 4535],
  [6157, 4536],
];
for (const [list, item] of LISTS) parsers.set(list, listParser(item));

/** Returns the parser for lists of such items. */
export function listParser(item: number): Parse {
  const parse = parsers.get(item) ?? String;
  return (text) => parseList(text, parse);
}

/** The first id of types that a database defines itself. */
const FIRST_OWN = 16_384;

export function isOwnType(type: number): boolean {
  return type >= FIRST_OWN;
}

/** A value in the syntax of the database, not a text of the flow: JSON, a number, a truth value. */
class Written {
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** A value in the form of the driver. */
export type SentValue = string | Written | null;

/** A text where JSON is expected becomes a JSON string. */
function jsonText(value: Exclude<SentValue, null>): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** The types for the driver: texts are parsed by their type, and values are sent as the texts that they are. */
export const types = Object.fromEntries(
  [...parsers].map(([type, parse]) => [
    `weft_${type}`,
    { to: type, from: [type], serialize: JSONS.includes(type) ? jsonText : String, parse },
  ]),
);

/** JSON Schema of the values of a type; types without a parser have texts. */
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

/** Parses `{1,NULL,"a\\"b"}`; leading bounds, such as `[0:2]=`, are ignored. An unclosed text extends to the end. */
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

/** A value in the form in which it is bound; only lists need `type`, the type of the placeholder. */
export function sentValue({ casts }: Bound, name: string, value: unknown, type = 0): SentValue {
  if (value instanceof Uint8Array) return bytesText(value);
  if (Array.isArray(value) && type !== 0 && !TEXTS.has(type)) return listText(name, value, type);
  const text = databaseText(name, value);
  return text === null || (typeof value === 'string' && !casts.has(name)) ? text : new Written(text);
}

function bytesText(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

const JSON_LISTS: ReadonlySet<number> = new Set([199, 3807]);

/** `{"a","b"}` */
function listText(name: string, list: readonly unknown[], type: number): string {
  const items = list.map((item) => {
    if (Array.isArray(item) && !JSON_LISTS.has(type)) return listText(name, item, type);
    const text = itemText(name, bindable(name, item), type);
    return text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  });
  return `{${items.join(',')}}`;
}

function itemText(name: string, item: unknown, type: number): string | null {
  if (item instanceof Uint8Array) return bytesText(item);
  return JSON_LISTS.has(type) && typeof item === 'string' ? JSON.stringify(item) : databaseText(name, item);
}
