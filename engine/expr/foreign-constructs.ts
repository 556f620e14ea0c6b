/**
 * Constructs of the JavaScript expressions that people write in other workflow tools, and what each becomes here. Importers of flows
 * look up `from`, put in the parts for the capital letters, and write `to`. A construct that this language leaves out has `instead`:
 * what an importer makes of it. `kind` is the group in which constructs are counted.
 *
 * Letters: X, Y and Z any value, N and M a number, P the source of a pattern, F a format, U a unit of time, D an object of
 * numbers by unit, L a language, K a name, C a lambda.
 */
export interface ForeignConstruct {
  readonly kind: ForeignKind;
  readonly from: string;
  readonly to?: string;
  readonly instead?: string;
}

export type ForeignKind =
  | 'date-time'
  | 'value-methods'
  | 'patterns'
  | 'leftovers'
  | 'math'
  | 'choices'
  | 'files'
  | 'node-facts'
  | 'blocks';

type Line = readonly [from: string, to: string];

function kind(of: ForeignKind, lines: readonly Line[]): ForeignConstruct[] {
  return lines.map(([from, to]) => ({ kind: of, from, to }));
}

function outside(of: ForeignKind, lines: readonly Line[]): ForeignConstruct[] {
  return lines.map(([from, instead]) => ({ kind: of, from, instead }));
}

const dates = kind('date-time', [
  ['$now', 'now()'],
  ['$today', 'today()'],
  ['DateTime.now()', 'now()'],
  ['DateTime.local()', 'now()'],
  ['DateTime.utc()', 'now("UTC")'],
  ['new Date()', 'now()'],
  ['new Date', 'now()'],
  ['Date.now()', 'timestamp(now())'],
  ['new Date(X)', 'date(X)'],
  ['new Date(X).getTime()', 'timestamp(X)'],
  ['Date.parse(X)', 'timestamp(X)'],
  ['DateTime.fromISO(X)', 'date(X)'],
  ['DateTime.fromISO(X, { zone: Y })', 'date(X, null, Y)'],
  ['DateTime.fromFormat(X, F)', 'date(X, F)'],
  ['DateTime.fromMillis(X)', 'date(X, "x")'],
  ['DateTime.fromSeconds(X)', 'date(X, "X")'],
  ['DateTime.fromSQL(X)', 'date(X)'],
  ['DateTime.fromRFC2822(X)', 'date(X)'],
  ['DateTime.fromHTTP(X)', 'date(X)'],
  ['DateTime.fromJSDate(X)', 'date(X)'],
  ['X.toDateTime()', 'date(X)'],
  ['X.toDate()', 'date(X)'],
  ['X.toISO()', 'date(X)'],
  ['X.toISOString()', 'inZone(X, "UTC")'],
  ['X.toJSDate()', 'date(X)'],
  ['X.toISODate()', 'formatDate(X, "yyyy-MM-dd")'],
  ['X.toISOTime()', 'formatDate(X, "HH:mm:ss.SSSZZ")'],
  ['X.toSQL()', 'formatDate(X, "yyyy-MM-dd HH:mm:ss.SSS ZZ")'],
  ['X.toFormat(F)', 'formatDate(X, F)'],
  ['X.toFormat(F, { locale: L })', 'formatDate(X, F, null, L)'],
  ['X.format(F)', 'formatDate(X, F)'],
  ['X.toMillis()', 'timestamp(X)'],
  ['X.valueOf()', 'timestamp(X)'],
  ['X.ts', 'timestamp(X)'],
  ['X.getTime()', 'timestamp(X)'],
  ['X.toSeconds()', 'timestamp(X) / 1000'],
  ['X.toUnixInteger()', 'timestamp(X, "seconds")'],
  ['X.plus(D)', 'plus(X, D)'],
  ['X.plus(N, U)', 'plus(X, N, U)'],
  ['X.minus(D)', 'minus(X, D)'],
  ['X.minus(N, U)', 'minus(X, N, U)'],
  ['X.startOf(U)', 'startOf(X, U)'],
  ['X.beginningOf(U)', 'startOf(X, U)'],
  ['X.endOf(U)', 'endOf(X, U)'],
  ['X.endOfMonth()', 'endOf(X, "month")'],
  ['X.setZone(Y)', 'inZone(X, Y)'],
  ['X.toUTC()', 'inZone(X, "UTC")'],
  ['X.toLocal()', 'date(X)'],
  ['X.diff(Y, U)', 'diff(X, Y, U)'],
  ['X.diff(Y, U).as(U)', 'diff(X, Y, U)'],
  ['X.diff(Y, "days").days', 'diff(X, Y, "days")'],
  ['X.diff(Y).milliseconds', 'diff(X, Y, "milliseconds")'],
  ['X.diffTo(Y, U)', 'diff(Y, X, U)'],
  ['X.diffToNow(U)', 'diff(now(), X, U)'],
  ['X.isBetween(Y, Z)', 'isBetween(X, Y, Z)'],
  ['X.hasSame(Y, U)', 'isSame(X, Y, U)'],
  ['$now < Y', 'isBefore(now(), Y)'],
  ['$now > Y', 'isAfter(now(), Y)'],
  ['$today < Y', 'isBefore(today(), Y)'],
  ['$today > Y', 'isAfter(today(), Y)'],
  ['X.extract(U)', 'datePart(X, U)'],
  ['X.year', 'datePart(X, "year")'],
  ['X.getFullYear()', 'datePart(X, "year")'],
  ['X.quarter', 'datePart(X, "quarter")'],
  ['X.month', 'datePart(X, "month")'],
  ['X.getMonth()', 'datePart(X, "month") - 1'],
  ['X.weekNumber', 'datePart(X, "week")'],
  ['X.weekYear', 'datePart(X, "weekYear")'],
  ['X.day', 'datePart(X, "day")'],
  ['X.getDate()', 'datePart(X, "day")'],
  ['X.weekday', 'weekday(X)'],
  ['X.getDay()', 'weekday(X) % 7'],
  ['X.isWeekend', 'weekday(X) > 5'],
  ['X.isWeekend()', 'weekday(X) > 5'],
  ['X.ordinal', 'datePart(X, "dayOfYear")'],
  ['X.daysInMonth', 'datePart(X, "daysInMonth")'],
  ['X.hour', 'datePart(X, "hour")'],
  ['X.getHours()', 'datePart(X, "hour")'],
  ['X.minute', 'datePart(X, "minute")'],
  ['X.getMinutes()', 'datePart(X, "minute")'],
  ['X.second', 'datePart(X, "second")'],
  ['X.getSeconds()', 'datePart(X, "second")'],
  ['X.millisecond', 'datePart(X, "millisecond")'],
  ['X.offset', 'datePart(X, "offset")'],
  ['X.zoneName', 'formatDate(X, "z")'],
  ['X.monthLong', 'formatDate(X, "LLLL")'],
  ['X.monthShort', 'formatDate(X, "LLL")'],
  ['X.weekdayLong', 'formatDate(X, "cccc")'],
  ['X.weekdayShort', 'formatDate(X, "ccc")'],
  ['X.toLocaleString()', 'formatDate(X, "D")'],
  ['new Date().toLocaleString()', 'formatDate(now(), "D, tt")'],
  ['new Date(X).toLocaleString()', 'formatDate(X, "D, tt")'],
  ['X.toLocaleDateString()', 'formatDate(X, "D")'],
  ['X.toLocaleDateString(L)', 'formatDate(X, "D", null, L)'],
  ['X.toLocaleTimeString()', 'formatDate(X, "tt")'],
  ['X.setLocale(L).toFormat(F)', 'formatDate(X, F, null, L)'],
  ['X.set(D)', 'setParts(X, D)'],
  ['Duration.fromISO(X).as(U)', 'duration(X, U)'],
  ['Duration.fromObject(D).as(U)', 'duration(D, U)'],
  ['DateTime.fromISO(X).isValid', 'matches(X, "^\\\\d{4}-\\\\d\\\\d-\\\\d\\\\d")'],
]);

const values = kind('value-methods', [
  ['X.toJsonString()', 'toJson(X)'],
  ['X.parseJson()', 'json(X)'],
  ['X.isEmpty()', 'isEmpty(X)'],
  ['X.isNotEmpty()', '!isEmpty(X)'],
  ['X.first()', 'first(X)'],
  ['X.last()', 'last(X)'],
  ['X.sum()', 'sum(X)'],
  ['X.average()', 'average(X)'],
  ['X.min()', 'min(X)'],
  ['X.max()', 'max(X)'],
  ['X.toNumber()', 'number(X)'],
  ['X.toInt()', 'int(X)'],
  ['X.toFloat()', 'number(X)'],
  ['X.toBoolean()', 'boolean(X)'],
  ['X.isNumeric()', 'isNumeric(X)'],
  ['X.isEven()', 'X % 2 == 0'],
  ['X.isOdd()', 'abs(X % 2) == 1'],
  ['X.isInteger()', 'floor(X) == X'],
  ['X.round(N)', 'round(X, N)'],
  ['X.floor()', 'floor(X)'],
  ['X.ceil()', 'ceil(X)'],
  ['X.abs()', 'abs(X)'],
  ['X.format(L, Y)', 'formatNumber(X, L, Y)'],
  ['X.urlEncode()', 'urlEncode(X)'],
  ['X.urlDecode()', 'urlDecode(X)'],
  ['X.base64Encode()', 'base64Encode(X)'],
  ['X.base64Decode()', 'base64Decode(X)'],
  ['X.hash()', 'hash(X, "md5")'],
  ['X.hash(Y)', 'hash(X, Y)'],
  ['X.extractDomain()', 'extractDomain(X)'],
  ['X.extractEmail()', 'extractEmail(X)'],
  ['X.extractUrl()', 'extractUrl(X)'],
  ['X.extractUrlPath()', 'parseUrl(X)?.path'],
  ['X.isDomain()', 'extractDomain(X) == X'],
  ['X.isEmail()', 'isEmail(X)'],
  ['X.isUrl()', 'isUrl(X)'],
  ['X.toTitleCase()', 'titleCase(X)'],
  ['X.toSentenceCase()', 'capitalize(lower(X))'],
  ['X.toSnakeCase()', 'snakeCase(X)'],
  ['X.toCamelCase()', 'camelCase(X)'],
  ['X.toKebabCase()', 'kebabCase(X)'],
  ['X.replaceSpecialChars()', 'plainLetters(X)'],
  ['X.removeTags()', 'stripTags(X)'],
  ['X.removeMarkdown()', 'replace(X, "[*_`#>~]+", "")'],
  ['X.quote()', 'toJson(X)'],
  ['X.chunk(N)', 'chunk(X, N)'],
  ['X.compact()', 'compact(X)'],
  ['X.unique()', 'unique(X)'],
  ['X.removeDuplicates()', 'unique(X)'],
  ['X.difference(Y)', 'difference(X, Y)'],
  ['X.intersection(Y)', 'intersection(X, Y)'],
  ['X.union(Y)', 'unique(X.concat(Y))'],
  ['X.append(Y)', '[...X, Y]'],
  ['X.pluck(K)', 'pluck(X, K)'],
  ['X.randomItem()', 'randomItem(X)'],
  ['X.smartJoin(K, Y)', 'fromEntries(X.map(x => [x[K], x[Y]]))'],
  ['X.renameKeys(K, Y)', 'X.map(x => renameKeys(x, fromEntries([[K, Y]])))'],
  ['X.keys()', 'keys(X)'],
  ['X.values()', 'values(X)'],
  ['X.entries()', 'entries(X)'],
  ['X.hasField(K)', 'has(X, K)'],
  ['X.removeField(K)', 'omit(X, K)'],
  ['X.keepFieldsContaining(Y)', 'fromEntries(entries(X).filter(x => string(x[1]).includes(Y)))'],
  ['X.removeFieldsContaining(Y)', 'fromEntries(entries(X).filter(x => !string(x[1]).includes(Y)))'],
  ['X.merge(Y)', 'merge(Y, X)'],
  ['X.toQueryString()', 'toQuery(X)'],
]);

const patterns = kind('patterns', [
  ['/P/.test(X)', 'matches(X, P)'],
  ['/P/.exec(X)[N]', 'extract(X, P, N)'],
  ['X.match(/P/)', 'extract(X, P, 0)'],
  ['X.match(/P/)[N]', 'extract(X, P, N)'],
  ['X.match(/P/g)', 'extractAll(X, P, 0)'],
  ['[...X.matchAll(/P/g)]', 'extractAll(X, P, 0)'],
  ['X.search(/P/) != -1', 'matches(X, P)'],
  ['X.replace(/P/, Y)', 'replace(X, P, Y, 1)'],
  ['X.replace(/P/g, Y)', 'replace(X, P, Y)'],
  ['X.replaceAll(/P/g, Y)', 'replace(X, P, Y)'],
  ['X.split(/P/)', 'splitBy(X, P)'],
  ['new RegExp(P).test(X)', 'matches(X, P)'],
]);

/** Signs that `encodeURI` leaves. */
const reserved = ';,/?:@&=+$#'.split('');

const leftovers = kind('leftovers', [
  ['undefined', 'null'],
  ['X.pop()', 'last(X)'],
  ['X.shift()', 'first(X)'],
  ['X.hasOwnProperty(K)', 'has(X, K)'],
  ['K in X', 'has(X, K)'],
  ['X.toLocaleString()', 'formatNumber(X)'],
  ['X.toLocaleString(L)', 'formatNumber(X, L)'],
  ['X.toLocaleString(L, Y)', 'formatNumber(X, L, Y)'],
  ['X.toLocaleUpperCase()', 'upper(X)'],
  ['X.toLocaleLowerCase()', 'lower(X)'],
  ['X.toString()', 'string(X)'],
  ['X.filter(Boolean)', 'X.filter(x => x)'],
  ['X.map(String)', 'X.map(x => string(x))'],
  ['X.map(Number)', 'X.map(x => number(x))'],
  ['X.substr(N, M)', 'X.substr(N, M)'],
  ['X.trimLeft()', 'X.trimStart()'],
  ['X.trimRight()', 'X.trimEnd()'],
  ['X.toSorted()', 'X.sort()'],
  ['X.toReversed()', 'X.reverse()'],
  ['X.forEach(C)', 'X.map(C)'],
  ['Object.assign({}, X, Y)', 'merge(X, Y)'],
  ['Object.keys(X)', 'keys(X)'],
  ['Object.values(X)', 'values(X)'],
  ['Object.entries(X)', 'entries(X)'],
  ['Object.fromEntries(X)', 'fromEntries(X)'],
  ['Array.isArray(X)', 'typeOf(X) == "array"'],
  ['Array.from(X)', '[...X]'],
  ['Array.from({ length: N })', 'range(N)'],
  ['[...new Set(X)]', 'unique(X)'],
  ['Array.from(new Set(X))', 'unique(X)'],
  ['new Set(X).size', 'length(unique(X))'],
  ['String(X)', 'string(X)'],
  ['Number(X)', 'number(X)'],
  ['Boolean(X)', 'X ? true : false'],
  ['!!X', '!!X'],
  ['+X', 'number(X)'],
  ['parseInt(X)', 'int(extract(string(X), "^\\\\s*([+-]?\\\\d+)"))'],
  ['parseInt(X, 10)', 'int(extract(string(X), "^\\\\s*([+-]?\\\\d+)"))'],
  ['parseFloat(X)', 'number(extract(string(X), "^\\\\s*([+-]?\\\\d*\\\\.?\\\\d+)"))'],
  ['isNaN(X)', '!isNumeric(X)'],
  ['Number.isInteger(X)', 'floor(X) == X'],
  ['typeof X', '(typeOf(X) == "array" ? "object" : typeOf(X) == "null" ? "undefined" : typeOf(X))'],
  ['X instanceof Array', 'typeOf(X) == "array"'],
  ['JSON.stringify(X)', 'toJson(X)'],
  ['JSON.parse(X)', 'json(X)'],
  ['encodeURIComponent(X)', 'urlEncode(X)'],
  ['decodeURIComponent(X)', 'urlDecode(X)'],
  [
    'encodeURI(X)',
    reserved.reduce(
      (to, sign) => `${to}.replaceAll("${encodeURIComponent(sign)}", "${sign}")`,
      'urlEncode(X)',
    ),
  ],
  ['new URL(X).hostname', 'parseUrl(X)?.host'],
  ['new URL(X).pathname', 'parseUrl(X)?.path'],
  ['new URL(X).searchParams.get(K)', 'parseUrl(X)?.query?.[K]'],
  ['new URLSearchParams(X).toString()', 'toQuery(X)'],
  ['btoa(X)', 'base64Encode(X)'],
  ['atob(X)', 'base64Decode(X)'],
]);

const math = kind('math', [
  ['Math.random()', 'random()'],
  ['Math.floor(Math.random() * N)', 'randomInt(0, N - 1)'],
  ['Math.pow(N, M)', 'pow(N, M)'],
  ['N ** M', 'pow(N, M)'],
  ['Math.sqrt(N)', 'sqrt(N)'],
  ['Math.log(N)', 'log(N)'],
  ['Math.log10(N)', 'log(N, 10)'],
  ['Math.log2(N)', 'log(N, 2)'],
  ['Math.sign(N)', 'sign(N)'],
  ['Math.trunc(N)', 'int(N)'],
  ['Math.round(N)', 'round(N)'],
  ['Math.floor(N)', 'floor(N)'],
  ['Math.ceil(N)', 'ceil(N)'],
  ['Math.abs(N)', 'abs(N)'],
  ['Math.min(N, M)', 'min(N, M)'],
  ['Math.max(N, M)', 'max(N, M)'],
  ['Math.max(...X)', 'max(X)'],
  ['Math.min(...X)', 'min(X)'],
  ['Math.PI', '3.141592653589793'],
]);

const choices = [
  ...kind('choices', [
    ['$if(X, Y, Z)', 'X ? Y : Z'],
    ['$ifEmpty(X, Y)', 'ifEmpty(X, Y)'],
    ['$min(N, M)', 'min(N, M)'],
    ['$max(N, M)', 'max(N, M)'],
    ['$not(X)', '!X'],
  ]),
  ...outside('choices', [['$jmespath(X, Y)', 'a node data.query or code.run before the node']]),
];

const files = kind('files', [
  ['$binary.K.fileName', 'input.K.name'],
  ['$binary.K.mimeType', 'input.K.type'],
  ['$binary.K.fileSize', 'input.K.bytes'],
  ['$binary.K.fileExtension', 'extract(input.K.name, "\\\\.(\\\\w+)$")'],
  ['$binary.K', 'input.K'],
  ['$binary', 'input'],
]);

const facts = [
  ...kind('node-facts', [
    ['$("K").isExecuted', '(nodes.K ?? null) != null'],
    ['$("K").itemMatching(N).json', 'nodes.K[N]'],
    ['$items("K")[N].json', 'nodes.K[N]'],
    ['$item(N).$node["K"].json', 'nodes.K[N]'],
  ]),
  ...outside('node-facts', [['$("K").params.Y', 'the param itself, which the importer reads from the node']]),
];

const blocks = [
  ...kind('blocks', [
    ['X /* Y */', 'X /* Y */'],
    ['X // Y', 'X // Y'],
  ]),
  ...outside('blocks', [
    ['(() => { … })()', 'a node code.run before the node'],
    ['X.map(x => { … })', 'a node code.run before the node'],
    ['function K() { … }', 'a node code.run before the node'],
  ]),
];

export const foreignConstructs: readonly ForeignConstruct[] = [
  ...dates,
  ...values,
  ...patterns,
  ...leftovers,
  ...math,
  ...choices,
  ...files,
  ...facts,
  ...blocks,
];
