import { isRecord } from '#shared/json.ts';
import { asText } from './params.ts';
import type { Context } from './context.ts';
import type { Reads } from './expressions/reads.ts';
import { NotHere } from './entry.ts';

/** Conditions of n8n's If, Filter and Switch as expressions. */

interface Comparison {
  readonly type: string;
  readonly operation: string;
  readonly left: string;
  readonly right: string;
  readonly ignoreCase: boolean;
  /** Texts and numbers are compared by what they hold. */
  readonly loose: boolean;
}

type Say = (a: string, b: string, given: Comparison) => string;

const either = (loose: boolean): string => (loose ? '==' : '===');
/** A value beside `??`, with parentheses where it is more than a path. */
const some = (value: string): string => (/^[\w.?[\]"]+$/.test(value) ? value : `(${value})`);
const text = (value: string): string => (isLiteral(value) ? value : `string(${some(value)} ?? "")`);
const isLiteral = (value: string): boolean =>
  /^(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null)$/.test(value);
const folded = (value: string, { ignoreCase }: Comparison): string =>
  ignoreCase ? `lower(${text(value)})` : text(value);
const list = (value: string): string => `(${some(value)} ?? [])`;
const numeric = (value: string): string => (/^-?\d+(?:\.\d+)?$/.test(value) ? value : `number(${value})`);

const TEXT: Readonly<Record<string, Say>> = {
  equals: (a, b, c) => `${folded(a, c)} == ${folded(b, c)}`,
  notEquals: (a, b, c) => `${folded(a, c)} != ${folded(b, c)}`,
  contains: (a, b, c) => `${folded(a, c)}.includes(${folded(b, c)})`,
  notContains: (a, b, c) => `!${folded(a, c)}.includes(${folded(b, c)})`,
  startsWith: (a, b, c) => `${folded(a, c)}.startsWith(${folded(b, c)})`,
  notStartsWith: (a, b, c) => `!${folded(a, c)}.startsWith(${folded(b, c)})`,
  endsWith: (a, b, c) => `${folded(a, c)}.endsWith(${folded(b, c)})`,
  notEndsWith: (a, b, c) => `!${folded(a, c)}.endsWith(${folded(b, c)})`,
  regex: (a, b) => `matches(${text(a)}, ${pattern(b)})`,
  notRegex: (a, b) => `!matches(${text(a)}, ${pattern(b)})`,
};
const NUMBER: Readonly<Record<string, Say>> = {
  equals: (a, b) => `${numeric(a)} == ${numeric(b)}`,
  notEquals: (a, b) => `${numeric(a)} != ${numeric(b)}`,
  gt: (a, b) => `${numeric(a)} > ${numeric(b)}`,
  lt: (a, b) => `${numeric(a)} < ${numeric(b)}`,
  gte: (a, b) => `${numeric(a)} >= ${numeric(b)}`,
  lte: (a, b) => `${numeric(a)} <= ${numeric(b)}`,
};
const BOOLEAN: Readonly<Record<string, Say>> = {
  true: (a, _b, { loose }) => (loose ? `boolean(${some(a)} ?? false)` : `(${a}) == true`),
  false: (a, _b, { loose }) => (loose ? `!boolean(${some(a)} ?? false)` : `(${a}) == false`),
  equals: (a, b) => `(${a}) == (${b})`,
  notEquals: (a, b) => `(${a}) != (${b})`,
};
const DATE: Readonly<Record<string, Say>> = {
  equals: (a, b) => `isSame(date(${a}), date(${b}))`,
  notEquals: (a, b) => `!isSame(date(${a}), date(${b}))`,
  after: (a, b) => `isAfter(date(${a}), date(${b}))`,
  before: (a, b) => `isBefore(date(${a}), date(${b}))`,
  afterOrEquals: (a, b) => `!isBefore(date(${a}), date(${b}))`,
  beforeOrEquals: (a, b) => `!isAfter(date(${a}), date(${b}))`,
};
const LIST: Readonly<Record<string, Say>> = {
  contains: (a, b) => `${list(a)}.includes(${b})`,
  notContains: (a, b) => `!${list(a)}.includes(${b})`,
  lengthEquals: (a, b) => `length(${list(a)}) == ${numeric(b)}`,
  lengthNotEquals: (a, b) => `length(${list(a)}) != ${numeric(b)}`,
  lengthGt: (a, b) => `length(${list(a)}) > ${numeric(b)}`,
  lengthLt: (a, b) => `length(${list(a)}) < ${numeric(b)}`,
  lengthGte: (a, b) => `length(${list(a)}) >= ${numeric(b)}`,
  lengthLte: (a, b) => `length(${list(a)}) <= ${numeric(b)}`,
};
const ANY: Readonly<Record<string, Say>> = {
  exists: (a) => `(${some(a)} ?? null) != null`,
  notExists: (a) => `(${some(a)} ?? null) == null`,
  empty: (a) => `isEmpty(${some(a)} ?? null)`,
  notEmpty: (a) => `!isEmpty(${some(a)} ?? null)`,
  equals: (a, b, { loose }) => `(${a}) ${either(loose)} (${b})`,
  notEquals: (a, b, { loose }) => `!((${a}) ${either(loose)} (${b}))`,
};
const TYPES: Readonly<Record<string, Readonly<Record<string, Say>>>> = {
  string: TEXT,
  number: NUMBER,
  boolean: BOOLEAN,
  dateTime: DATE,
  array: LIST,
  object: {},
};

/** A pattern may be written `/x/i`. */
function pattern(source: string): string {
  const [, body, flags] = /^"\/(.*)\/([a-z]*)"$/s.exec(source) ?? [];
  if (body === undefined) return source;
  const kept = (flags ?? '').replaceAll(/[^ims]/g, '');
  return kept === '' ? `"${body}"` : `"(?${kept})${body}"`;
}

/** Names of operations in the first versions. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  equal: 'equals',
  notEqual: 'notEquals',
  larger: 'gt',
  largerEqual: 'gte',
  smaller: 'lt',
  smallerEqual: 'lte',
  isEmpty: 'empty',
  isNotEmpty: 'notEmpty',
};

function said(given: Comparison): string {
  const operation = OLD_NAMES[given.operation] ?? given.operation;
  const found = TYPES[given.type]?.[operation] ?? ANY[operation];
  if (!found)
    throw new NotHere(`its condition “${given.type} ${given.operation}” is not known`, [
      'logic.if with an expression of your own',
    ]);
  return found(given.left, given.right, given);
}

export interface Options {
  readonly loose?: boolean;
  readonly ignoreCase?: boolean;
}

/** The condition of a node, or of one rule of a Switch: of versions with `combinator`, and of those before. */
export function conditionOf(context: Context, given: unknown, reads: Reads, options: Options = {}): string {
  const { params } = context;
  const old = params.get('combineOperation');
  if (!isRecord(given)) return 'true';
  const list = Array.isArray(given['conditions']) ? given['conditions'].filter(isRecord) : undefined;
  const all = list
    ? list.map((one) => newCondition(context, one, reads, optionsOf(given['options'], options)))
    : oldConditions(context, given, reads);
  const glue = given['combinator'] === 'or' || old === 'any' ? ' || ' : ' && ';
  const [only = 'true'] = all;
  return all.length < 2 ? only : all.map((one) => `(${one})`).join(glue);
}

function optionsOf(given: unknown, options: Options): Required<Options> {
  const own = isRecord(given) ? given : {};
  return {
    ignoreCase: options.ignoreCase ?? own['caseSensitive'] === false,
    loose: options.loose ?? own['typeValidation'] === 'loose',
  };
}

function newCondition(
  context: Context,
  one: Readonly<Record<string, unknown>>,
  reads: Reads,
  options: Required<Options>,
): string {
  const operator = isRecord(one['operator']) ? one['operator'] : {};
  return said({
    type: asText(operator['type'] ?? 'string'),
    operation: asText(operator['operation'] ?? 'equals'),
    left: context.expr(one['leftValue'], reads),
    right: context.expr(one['rightValue'] ?? '', reads),
    ...options,
  });
}

function oldConditions(context: Context, given: Readonly<Record<string, unknown>>, reads: Reads): string[] {
  return Object.entries(given).flatMap(([type, list]) =>
    (Array.isArray(list) ? list : []).filter(isRecord).map((one) => oldCondition(context, type, one, reads)),
  );
}

const OLD_DEFAULTS: Readonly<Record<string, string>> = { number: 'smaller', dateTime: 'after' };

/** A condition of version 1: `{ value1, operation, value2 }`. */
export function oldCondition(
  context: Context,
  type: string,
  one: Readonly<Record<string, unknown>>,
  reads: Reads,
): string {
  return said({
    type,
    operation: asText(one['operation'] ?? OLD_DEFAULTS[type] ?? 'equal'),
    left: context.expr(one['value1'] ?? '', reads),
    right: context.expr(one['value2'] ?? '', reads),
    ignoreCase: false,
    loose: true,
  });
}
