import { itemKind, literal, member, type Piece, quoted, textExpr, type Value } from '../write.ts';
import { type Expr, parseJinja, type Part } from './parse.ts';
import { Untranslatable } from './tokens.ts';

export interface Translated {
  /** The text in pieces; each expression is written as Weft writes values into texts. */
  readonly pieces: readonly Piece[];
  /** The difference from the original, if there is one. */
  readonly note: string | undefined;
}

/** Most characters of the expressions of a template together: variables that are used often make them long. */
const MOST = 15_000;

export const AS_JSON = 'Lists, objects, true and false that are written into a text are written as JSON.';

/**
 * Translates the safe part of Jinja: values, paths, filters, tests, `if`, `for` and `set`. Throws `Untranslatable`, whose
 * message is the reason, for everything else: nothing is left out silently.
 */
export function translateJinja(source: string, variables: ReadonlyMap<string, Value>): Translated {
  const notes = new Set<string>();
  const scope: Scope = { names: new Map(variables), loop: undefined, notes, counter: { next: 1, size: 0 } };
  const pieces = piecesOf(parseJinja(source), scope, true);
  return { pieces, note: [...notes][0] };
}

interface Scope {
  readonly names: Map<string, Value>;
  readonly loop: { readonly index: string; readonly list: string } | undefined;
  readonly notes: Set<string>;
  readonly counter: { next: number; size: number };
}

function piecesOf(parts: readonly Part[], scope: Scope, maySet: boolean): Piece[] {
  const pieces: Piece[] = [];
  for (const part of parts) {
    if (part.is === 'text') pieces.push(part.text);
    else if (part.is === 'set') {
      if (!maySet) throw new Untranslatable('a variable that is set in an `if` is not translated');
      scope.names.set(part.name, valueOf(part.expr, scope));
    } else {
      const expr =
        part.is === 'print'
          ? printed(part.expr, scope)
          : part.is === 'if'
            ? ifOf(part, scope)
            : forOf(part, scope);
      scope.counter.size += expr.length;
      if (scope.counter.size > MOST) throw new Untranslatable('it would become too long');
      pieces.push({ expr });
    }
  }
  return pieces;
}

function ifOf(part: Extract<Part, { is: 'if' }>, scope: Scope): string {
  const inner = (parts: readonly Part[]): string => textExpr(piecesOf(parts, scope, false));
  const cases = part.cases.map(({ when, parts }) => `${truth(when, scope)} ? ${inner(parts)} : `);
  return `(${cases.join('')}${inner(part.else)})`;
}

function forOf(part: Extract<Part, { is: 'for' }>, scope: Scope): string {
  const n = scope.counter.next++;
  const [item, index] = [`item${n}`, `at${n}`];
  const isPairs = part.in.is === 'call' && part.in.name === 'items' && part.in.args.length === 0;
  const given = part.in.is === 'call' && isPairs ? part.in.of : part.in;
  const from = valueOf(given, scope);
  const source = from.expr;
  const all = isPairs ? `entries(${source} ?? {})` : `(${source} ?? [])`;
  const names = new Map(scope.names);
  if (part.names.length === 2) {
    names.set(part.names[0] as string, { expr: `${item}[0]` });
    names.set(part.names[1] as string, { expr: `${item}[1]` });
  } else names.set(part.names[0] as string, { expr: item, kind: itemKind(from.kind) });
  const within = { ...scope, names };
  const list = part.when
    ? `${all}.filter((${item}) => ${truth(part.when, { ...within, loop: undefined })})`
    : all;
  const body = textExpr(
    piecesOf(part.parts, { ...within, names: new Map(names), loop: { index, list } }, true),
  );
  const text = `${list}.map((${item}, ${index}) => ${body}).join("")`;
  if (part.else.length === 0) return text;
  return `(isEmpty(${list}) ? ${textExpr(piecesOf(part.else, scope, false))} : ${text})`;
}

/** A value as a template of Jinja writes it. */
function printed(expr: Expr, scope: Scope): string {
  if (expr.is === 'filter' && expr.name === 'float' && expr.args.length === 0) {
    const of = valueOf(expr.of, scope).expr;
    const number = `number(${of})`;
    return `(!isNumeric(${of}) ? "0.0" : ${number} % 1 === 0 ? ${number}.toFixed(1) : ${number})`;
  }
  const { expr: written, kind } = valueOf(expr, scope);
  if (kind !== 'text' && kind !== 'number') scope.notes.add(AS_JSON);
  return written;
}

const BOOLEAN: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in']);
const EMPTIABLE_NOT: ReadonlySet<Value['kind']> = new Set<Value['kind']>(['text', 'number', 'boolean']);

/** Whether a value counts as true: an empty list does not. */
function truth(expr: Expr, scope: Scope): string {
  if (expr.is === 'test') return valueOf(expr, scope).expr;
  if (expr.is === 'not') return `!${truth(expr.of, scope)}`;
  if (expr.is === 'value') return String(Boolean(expr.value));
  if (expr.is === 'two' && BOOLEAN.has(expr.sign)) return valueOf(expr, scope).expr;
  if (expr.is === 'two' && LOGIC.has(expr.sign))
    return `(${truth(expr.left, scope)} ${LOGIC.get(expr.sign)} ${truth(expr.right, scope)})`;
  const { expr: of, kind } = valueOf(expr, scope);
  return EMPTIABLE_NOT.has(kind) ? `(!!${of})` : `(!!ifEmpty(${of}, null))`;
}

const LOGIC: ReadonlyMap<string, string> = new Map([
  ['and', '&&'],
  ['or', '||'],
]);

function valueOf(expr: Expr, scope: Scope): Value {
  const value = (WRITERS[expr.is] as Of<Expr['is']>)(expr as never, scope);
  if (value.expr.length > MOST) throw new Untranslatable('it would become too long');
  return value;
}

type Of<K extends Expr['is']> = (expr: Extract<Expr, { is: K }>, scope: Scope) => Value;

/** How each kind of expression is written. */
const WRITERS: { readonly [K in Expr['is']]: Of<K> } = {
  value: ({ value }) => ({ expr: literal(value), kind: kindOf(value) }),
  name: ({ name }, { names }) => names.get(name) ?? { expr: 'null', kind: 'text' },
  member: ({ of, name }, scope) => {
    const isLoop = of.is === 'name' && of.name === 'loop' && !scope.names.has('loop');
    return isLoop ? loopOf(name, scope) : { expr: member(valueOf(of, scope).expr, name, '?') };
  },
  item: itemOf,
  slice: ({ of, from, to }, scope) => {
    const { expr, kind } = valueOf(of, scope);
    const [start, end] = [from, to].map((one) => one && valueOf(one, scope).expr);
    return { expr: `${expr}.slice(${start ?? '0'}${end === undefined ? '' : `, ${end}`})`, kind };
  },
  call: callOf,
  range: ({ args }, scope) => rangeOf(args, scope),
  filter: filterOf,
  test: (expr, scope) => ({ expr: testOf(expr, scope), kind: 'boolean' }),
  not: ({ of }, scope) => ({ expr: `!${truth(of, scope)}`, kind: 'boolean' }),
  minus: ({ of }, scope) => ({ expr: `(-${valueOf(of, scope).expr})`, kind: 'number' }),
  two: twoOf,
  choice: (expr, scope) => {
    const then = valueOf(expr.then, scope);
    const other: Value = expr.else ? valueOf(expr.else, scope) : { expr: '""', kind: 'text' };
    const kind = then.kind === other.kind ? then.kind : undefined;
    return { expr: `(${truth(expr.when, scope)} ? ${then.expr} : ${other.expr})`, kind };
  },
  list: ({ items }, scope) => ({
    expr: `[${items.map((one) => valueOf(one, scope).expr).join(', ')}]`,
    kind: 'list',
  }),
  record: ({ fields }, scope) => ({
    expr: `{ ${fields.map(([key, one]) => `${keyOf(key)}: ${valueOf(one, scope).expr}`).join(', ')} }`,
    kind: 'record',
  }),
};

function keyOf(key: Expr): string {
  if (key.is !== 'value' || typeof key.value !== 'string')
    throw new Untranslatable('a key that is worked out is not translated');
  return quoted(key.value);
}

function kindOf(value: string | number | boolean | null): Value['kind'] {
  if (typeof value === 'string') return 'text';
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : undefined;
}

function loopOf(name: string, { loop }: Scope): Value {
  if (loop) {
    const { index, list } = loop;
    const length = `length(${list})`;
    const known: Readonly<Record<string, string>> = {
      index: `(${index} + 1)`,
      index0: index,
      length,
      revindex: `(${length} - ${index})`,
      revindex0: `(${length} - ${index} - 1)`,
    };
    const number = Object.hasOwn(known, name) ? known[name] : undefined;
    if (number !== undefined) return { expr: number, kind: 'number' };
    if (name === 'first') return { expr: `(${index} === 0)`, kind: 'boolean' };
    if (name === 'last') return { expr: `(${index} === ${length} - 1)`, kind: 'boolean' };
  }
  throw new Untranslatable(`loop.${name.slice(0, 40)} is not translated`);
}

function itemOf({ of, at }: Extract<Expr, { is: 'item' }>, scope: Scope): Value {
  const list = valueOf(of, scope).expr;
  if (at.is === 'minus' && at.of.is === 'value') return { expr: `${list}?.at(-${literal(at.of.value)})` };
  if (at.is === 'value' && typeof at.value === 'string') return { expr: member(list, at.value, '?') };
  return { expr: `${list}?.[${valueOf(at, scope).expr}]` };
}

function rangeOf(args: readonly Expr[], scope: Scope): Value {
  const [first, second] = args.map((one) => valueOf(one, scope).expr);
  if (args.length === 1) return { expr: `range(max(0, ${first}))`, kind: 'list' };
  if (args.length !== 2) throw new Untranslatable('a range with steps is not translated');
  return { expr: `range(max(0, ${second} - ${first})).map((n) => n + ${first})`, kind: 'list' };
}

type Sides = (a: string, b: string) => string;

/** Signs between two values. */
const SIGNS: Readonly<Record<string, readonly [Sides, Value['kind']]>> = {
  '~': [(a, b) => textExpr([{ expr: a }, { expr: b }]), 'text'],
  '**': [(a, b) => `pow(${a}, ${b})`, 'number'],
  '//': [(a, b) => `floor(${a} / ${b})`, 'number'],
  '%': [(a, b) => `(((${a} % ${b}) + ${b}) % ${b})`, 'number'],
  in: [(a, b) => `(typeOf(${b}) === "string" ? ${b}.includes(${a}) : has(${b} ?? [], ${a}))`, 'boolean'],
  '==': [(a, b) => `(${a} === ${b})`, 'boolean'],
  '!=': [(a, b) => `(${a} !== ${b})`, 'boolean'],
  '<': [(a, b) => `(${a} < ${b})`, 'boolean'],
  '<=': [(a, b) => `(${a} <= ${b})`, 'boolean'],
  '>': [(a, b) => `(${a} > ${b})`, 'boolean'],
  '>=': [(a, b) => `(${a} >= ${b})`, 'boolean'],
  '+': [(a, b) => `(${a} + ${b})`, undefined],
  '-': [(a, b) => `(${a} - ${b})`, 'number'],
  '*': [(a, b) => `(${a} * ${b})`, 'number'],
};

function twoOf({ sign, left, right }: Extract<Expr, { is: 'two' }>, scope: Scope): Value {
  const [a, b] = [valueOf(left, scope).expr, valueOf(right, scope).expr];
  if (LOGIC.has(sign))
    return { expr: `(${truth(left, scope)} ? ${sign === 'and' ? `${b} : ${a}` : `${a} : ${b}`})` };
  const isDeep = [left, right].some(({ is }) => is === 'list' || is === 'record');
  if (isDeep && (sign === '==' || sign === '!='))
    throw new Untranslatable('lists and objects are not compared');
  const known = Object.hasOwn(SIGNS, sign) ? SIGNS[sign] : undefined;
  if (!known) throw new Untranslatable('a division, which gives 2.0 there and 2 here, is not translated');
  return { expr: known[0](a, b), kind: known[1] };
}

function testOf({ of, name, args, not }: Extract<Expr, { is: 'test' }>, scope: Scope): string {
  const a = valueOf(of, scope).expr;
  const [first] = args.map((one) => valueOf(one, scope).expr);
  const tests: Readonly<Record<string, string>> = {
    defined: `(${a} ?? null) !== null`,
    undefined: `(${a} ?? null) === null`,
    none: `(${a} ?? null) === null`,
    string: `typeOf(${a}) === "string"`,
    number: `typeOf(${a}) === "number"`,
    boolean: `typeOf(${a}) === "boolean"`,
    mapping: `typeOf(${a}) === "object"`,
    true: `${a} === true`,
    false: `${a} === false`,
    odd: `(${a} % 2) !== 0`,
    even: `(${a} % 2) === 0`,
    ...(first !== undefined && {
      divisibleby: `(${a} % ${first}) === 0`,
      eq: `${a} === ${first}`,
      equalto: `${a} === ${first}`,
    }),
  };
  const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
  if (test === undefined) throw new Untranslatable(`the test ${name.slice(0, 40)} is not translated`);
  return not ? `!(${test})` : `(${test})`;
}

/** Filters and methods of texts with their arguments, as `$1`, `$2`; `$` is the value. */
const PLAIN: Readonly<Record<string, readonly [string, Value['kind']]>> = {
  'upper/0': ['upper(string($))', 'text'],
  'lower/0': ['lower(string($))', 'text'],
  'trim/0': ['trim(string($))', 'text'],
  'string/0': ['string($)', undefined],
  'safe/0': ['$', undefined],
  'length/0': ['length($ ?? [])', 'number'],
  'count/0': ['length($ ?? [])', 'number'],
  'default/0': ['($ ?? "")', undefined],
  'default/1': ['($ ?? $1)', undefined],
  'd/1': ['($ ?? $1)', undefined],
  'join/0': ['join($ ?? [], "")', 'text'],
  'join/1': ['join($ ?? [], $1)', 'text'],
  'join/2': ['join(pluck($ ?? [], $2), $1)', 'text'],
  'replace/2': ['string($).replaceAll($1, $2)', 'text'],
  'first/0': ['first($ ?? [])', undefined],
  'last/0': ['last($ ?? [])', undefined],
  'reverse/0': ['$.reverse()', 'list'],
  'list/0': ['$', 'list'],
  'abs/0': ['abs($)', 'number'],
  'sum/0': ['sum($ ?? [])', 'number'],
  'int/0': ['(isNumeric($) ? int($) : 0)', 'number'],
  'float/0': ['(isNumeric($) ? number($) : 0)', 'number'],
  'capitalize/0': ['capitalize(lower(string($)))', 'text'],
  'urlencode/0': ['urlEncode(string($))', 'text'],
};

const METHODS: Readonly<Record<string, readonly [string, Value['kind']]>> = {
  'upper/0': ['$.toUpperCase()', 'text'],
  'lower/0': ['$.toLowerCase()', 'text'],
  'strip/0': ['$.trim()', 'text'],
  'split/1': ['$.split($1)', 'list'],
  'replace/2': ['$.replaceAll($1, $2)', 'text'],
  'startswith/1': ['$.startsWith($1)', 'boolean'],
  'endswith/1': ['$.endsWith($1)', 'boolean'],
  'join/1': ['join($1, $)', 'text'],
  'get/1': ['$?.[$1]', undefined],
  'get/2': ['($?.[$1] ?? $2)', undefined],
  'keys/0': ['keys($)', 'list'],
  'values/0': ['values($)', 'list'],
};

function fill(form: readonly [string, Value['kind']], of: string, args: readonly string[]): Value {
  const expr = form[0].replaceAll(/\$([12]?)/g, (_, n: string) =>
    n === '' ? of : (args[Number(n) - 1] as string),
  );
  return { expr, kind: form[1] };
}

type Filter = Extract<Expr, { is: 'filter' }>;

/** Filters with a rule of their own; undefined if their arguments are others. */
const SPECIAL: Readonly<Record<string, (filter: Filter, scope: Scope) => Value | undefined>> = {
  map: ({ of, args, named }, scope) => {
    const attribute = onlyAttribute(named);
    if (!attribute || args.length > 0) return undefined;
    return {
      expr: `pluck(${valueOf(of, scope).expr} ?? [], ${valueOf(attribute, scope).expr})`,
      kind: 'list',
    };
  },
  join: ({ of, args, named }, scope) => {
    const attribute = onlyAttribute(named);
    if (!attribute || args.length > 1) return undefined;
    const by = args[0] ? valueOf(args[0], scope).expr : '""';
    const values = `pluck(${valueOf(of, scope).expr} ?? [], ${valueOf(attribute, scope).expr})`;
    return { expr: `join(${values}, ${by})`, kind: 'text' };
  },
  default: ({ of, args, named }, scope) => {
    const [other] = args;
    if (args.length !== 2 || !other || Object.keys(named).length > 0) return undefined;
    return { expr: `(${truth(of, scope)} ? ${valueOf(of, scope).expr} : ${valueOf(other, scope).expr})` };
  },
  tojson: ({ of, args, named }, scope) => {
    if (args.length > 0 || Object.keys(named).length > 0) return undefined;
    scope.notes.add('JSON has no blanks between its parts, and its fields keep their order.');
    return { expr: `toJson(${valueOf(of, scope).expr})`, kind: 'text' };
  },
};

/** Filters that leave a value what it is. */
const KEEPING = new Set(['default', 'safe', 'string']);

function onlyAttribute(named: Filter['named']): Expr | undefined {
  return Object.keys(named).length === 1 ? named['attribute'] : undefined;
}

function filterOf(filter: Filter, scope: Scope): Value {
  const { name, args, named } = filter;
  const special = Object.hasOwn(SPECIAL, name) ? SPECIAL[name]?.(filter, scope) : undefined;
  if (special) return special;
  const form = `${name}/${args.length}`;
  if (Object.keys(named).length > 0 || !Object.hasOwn(PLAIN, form))
    throw new Untranslatable(`the filter ${name.slice(0, 40)} is not translated`);
  const of = valueOf(filter.of, scope);
  const given = args.map((one) => valueOf(one, scope).expr);
  const value = fill(PLAIN[form] as readonly [string, Value['kind']], of.expr, given);
  return KEEPING.has(name) ? { ...value, kind: of.kind } : value;
}

function callOf({ of, name, args }: Extract<Expr, { is: 'call' }>, scope: Scope): Value {
  const form = `${name}/${args.length}`;
  if (!Object.hasOwn(METHODS, form))
    throw new Untranslatable(`the method ${name.slice(0, 40)} is not translated`);
  return fill(
    METHODS[form] as readonly [string, Value['kind']],
    valueOf(of, scope).expr,
    args.map((one) => valueOf(one, scope).expr),
  );
}
