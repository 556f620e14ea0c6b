import { functionDocs } from '#engine/check';

type FunctionDoc = (typeof functionDocs)[number];

/** A use of each function, and of each method by its receiver; a test holds that all of them work. */
const EXAMPLES: Readonly<Record<string, string>> = {
  string: 'string(12.5)',
  number: 'number("12.5")',
  boolean: 'boolean("yes")',
  int: 'int("12.9")',
  typeOf: 'typeOf([1, 2])',
  round: 'round(12.345, 2)',
  floor: 'floor(12.9)',
  ceil: 'ceil(12.1)',
  abs: 'abs(-12)',
  json: 'json("{\\"a\\": 1}")',
  toJson: 'toJson({ a: 1 })',
  lower: 'lower("ADA")',
  upper: 'upper("ada")',
  trim: 'trim("  ada ")',
  urlEncode: 'urlEncode("a b&c")',
  urlDecode: 'urlDecode("a%20b")',
  base64Encode: 'base64Encode("Ada")',
  base64Decode: 'base64Decode("QWRh")',
  min: 'min(3, 1, 2)',
  max: 'max([3, 1, 2])',
  sum: 'sum([1, 2, 3])',
  length: 'length("Ada")',
  isEmpty: 'isEmpty([])',
  keys: 'keys({ a: 1, b: 2 })',
  values: 'values({ a: 1, b: 2 })',
  entries: 'entries({ a: 1 })',
  has: 'has({ a: 1 }, "a")',
  first: 'first([1, 2, 3])',
  last: 'last([1, 2, 3])',
  range: 'range(3)',
  join: 'join(["a", "b"], ", ")',
  split: 'split("a,b", ",")',
  unique: 'unique([1, 2, 1])',
  compact: 'compact([1, null, ""])',
  chunk: 'chunk([1, 2, 3], 2)',
  difference: 'difference([1, 2, 3], [2])',
  intersection: 'intersection([1, 2, 3], [2, 3])',
  average: 'average([1, 2, 3])',
  pluck: 'pluck([{ name: "Ada" }, { name: "Bo" }], "name")',
  sortBy: 'sortBy([{ n: 2 }, { n: 1 }], "n")',
  groupBy: 'groupBy([{ n: 1, a: "x" }, { n: 1, a: "y" }], "n")',
  randomItem: 'randomItem(["a", "b"])',
  merge: 'merge({ a: 1 }, { b: 2 })',
  pick: 'pick({ a: 1, b: 2 }, "a")',
  omit: 'omit({ a: 1, b: 2 }, "a")',
  renameKeys: 'renameKeys({ old: 1 }, { old: "new" })',
  fromEntries: 'fromEntries([["a", 1]])',
  toQuery: 'toQuery({ a: 1, b: "x y" })',
  ifEmpty: 'ifEmpty("", "none")',
  capitalize: 'capitalize("ada")',
  titleCase: 'titleCase("ada lovelace")',
  camelCase: 'camelCase("first name")',
  snakeCase: 'snakeCase("firstName")',
  kebabCase: 'kebabCase("firstName")',
  plainLetters: 'plainLetters("Zoë")',
  slug: 'slug("Zoë & Bo")',
  stripTags: 'stripTags("<b>Ada</b>")',
  escapeHtml: 'escapeHtml("a < b")',
  truncate: 'truncate("A long text", 6)',
  extractEmail: 'extractEmail("Ada <ada@example.com>")',
  extractUrl: 'extractUrl("see https://example.com/a")',
  extractDomain: 'extractDomain("ada@example.com")',
  parseUrl: 'parseUrl("https://example.com/a?b=1").query',
  isEmail: 'isEmail("ada@example.com")',
  isUrl: 'isUrl("https://example.com")',
  isNumeric: 'isNumeric("12.5")',
  hash: 'hash("Ada")',
  pow: 'pow(2, 10)',
  sqrt: 'sqrt(16)',
  log: 'log(1000, 10)',
  sign: 'sign(-12)',
  random: 'random()',
  randomInt: 'randomInt(1, 6)',
  formatNumber: 'formatNumber(1234.5, "en")',
  matches: 'matches("order 12", "\\\\d+")',
  extract: 'extract("order 12", "\\\\d+")',
  extractAll: 'extractAll("12 and 13", "\\\\d+")',
  splitBy: 'splitBy("a1b2c", "\\\\d")',
  replace: 'replace("a1b2", "\\\\d", "-")',
  now: 'now("UTC")',
  clock: 'clock("UTC")',
  today: 'today("UTC")',
  date: 'date("2027-03-01")',
  formatDate: 'formatDate("2027-03-01", "d LLLL yyyy")',
  plus: 'plus("2027-03-01", 3, "days")',
  minus: 'minus("2027-03-01", 1, "month")',
  setParts: 'setParts("2027-03-01", { hour: 9 })',
  startOf: 'startOf("2027-03-17", "month")',
  endOf: 'endOf("2027-03-17", "month")',
  inZone: 'inZone("2027-03-01T12:00:00Z", "Asia/Tokyo")',
  diff: 'diff("2027-03-05", "2027-03-01", "days")',
  isBefore: 'isBefore("2027-03-01", "2027-03-05")',
  isAfter: 'isAfter("2027-03-01", "2027-03-05")',
  isBetween: 'isBetween("2027-03-02", "2027-03-01", "2027-03-05")',
  isSame: 'isSame("2027-03-01", "2027-03-05", "month")',
  weekday: 'weekday("2027-03-01")',
  datePart: 'datePart("2027-03-01", "week")',
  timestamp: 'timestamp("2027-03-01T00:00:00Z")',
  duration: 'duration("PT1H30M", "minutes")',
  'string.toUpperCase': '"ada".toUpperCase()',
  'string.toLowerCase': '"ADA".toLowerCase()',
  'string.trimStart': '"  ada".trimStart()',
  'string.trimEnd': '"ada  ".trimEnd()',
  'string.startsWith': '"ada".startsWith("a")',
  'string.endsWith': '"ada".endsWith("da")',
  'string.includes': '"ada".includes("d")',
  'string.indexOf': '"ada".indexOf("d")',
  'string.slice': '"lovelace".slice(0, 4)',
  'string.substring': '"lovelace".substring(4)',
  'string.substr': '"lovelace".substr(4, 2)',
  'string.lastIndexOf': '"ada".lastIndexOf("a")',
  'string.localeCompare': '"a".localeCompare("b")',
  'string.concat': '"a".concat("b", "c")',
  'string.toString': '"ada".toString()',
  'string.replace': '"a-b-c".replace("-", " ")',
  'string.replaceAll': '"a-b-c".replaceAll("-", " ")',
  'string.padStart': '"7".padStart(3, "0")',
  'string.padEnd': '"7".padEnd(3, ".")',
  'string.repeat': '"ab".repeat(3)',
  'string.at': '"ada".at(-1)',
  'string.charAt': '"ada".charAt(1)',
  'array.map': '[1, 2].map(item => item * 2)',
  'array.filter': '[1, 2, 3].filter(item => item > 1)',
  'array.find': '[1, 2, 3].find(item => item > 1)',
  'array.findIndex': '[1, 2, 3].findIndex(item => item > 1)',
  'array.findLast': '[1, 2, 3].findLast(item => item > 1)',
  'array.findLastIndex': '[1, 2, 3].findLastIndex(item => item > 1)',
  'array.some': '[1, 2].some(item => item > 1)',
  'array.every': '[1, 2].every(item => item > 1)',
  'array.reduce': '[1, 2, 3].reduce((result, item) => result + item, 0)',
  'array.flatMap': '[1, 2].flatMap(item => [item, item * 10])',
  'array.includes': '[1, 2].includes(2)',
  'array.indexOf': '[1, 2].indexOf(2)',
  'array.lastIndexOf': '[1, 2, 1].lastIndexOf(1)',
  'array.slice': '[1, 2, 3].slice(1)',
  'array.concat': '[1].concat([2, 3])',
  'array.reverse': '[1, 2, 3].reverse()',
  'array.sort': '[3, 1, 2].sort((a, b) => a - b)',
  'array.at': '[1, 2, 3].at(-1)',
  'array.flat': '[1, [2, [3]]].flat()',
  'number.toFixed': '(12.5).toFixed(2)',
  'number.toString': '(255).toString(16)',
};

/** An expression that uses a function; of a method that is a function too, the same call on its receiver. */
export function exampleOf({ name, receiver }: FunctionDoc): string | undefined {
  const own = receiver === undefined ? name : `${receiver}.${name}`;
  if (Object.hasOwn(EXAMPLES, own)) return EXAMPLES[own];
  return receiver !== undefined && Object.hasOwn(EXAMPLES, name)
    ? asMethod(EXAMPLES[name] as string)
    : undefined;
}

/** `round(12.345, 2)` as `(12.345).round(2)`. */
function asMethod(call: string): string {
  const open = call.indexOf('(');
  const end = firstEnd(call, open + 1);
  const self = call.slice(open + 1, end);
  const rest = call.slice(end).replace(/^, /, '');
  return `${/^["[]/.test(self) ? self : `(${self})`}.${call.slice(0, open)}(${rest}`;
}

/** Where the first argument ends. */
function firstEnd(call: string, from: number): number {
  let [depth, isText] = [0, false];
  for (let at = from; at < call.length; at++) {
    const sign = call.charAt(at);
    if (sign === '\\') at++;
    else if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if ('([{'.includes(sign)) depth++;
    else if (depth === 0 && (sign === ',' || sign === ')')) return at;
    else if (')]}'.includes(sign)) depth--;
  }
  return call.length;
}

/** The functions and methods whose name or description has all the words. */
export function findFunctions(query: string): readonly FunctionDoc[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = functionDocs.filter(({ signature, doc }) => {
    const text = `${signature} ${doc}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const [first = ''] = words;
  const rank = ({ name }: FunctionDoc): number =>
    name.toLowerCase().startsWith(first) ? 0 : name.toLowerCase().includes(first) ? 1 : 2;
  return first === '' ? found : found.toSorted((a, b) => rank(a) - rank(b));
}
