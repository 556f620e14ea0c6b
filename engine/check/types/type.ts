/**
 * What is known of a value before a run: for each kind of value whether it may be of that kind, and then what of it.
 *
 * T1. A type holds every value that can be there, and perhaps more: what is not known makes a type wider, never narrower.
 * T2. Of each kind there is one description: a union joins two objects field by field, so that it costs no more than they do.
 * T3. A type is no deeper than MAX_DEPTH and no larger than MAX_SIZE; what goes beyond that is unknown. So a thousand nodes that
 *     nest each other's values cost a thousand times the same.
 */
export interface Type {
  /** Anything may be there, also nothing; all else is then unset. */
  readonly any: boolean;
  /** A list holds the only texts that it can be. */
  readonly string: true | readonly string[] | undefined;
  readonly number: 'number' | 'integer' | readonly number[] | undefined;
  readonly boolean: true | readonly boolean[] | undefined;
  readonly null: boolean;
  /** Nothing may be there, as `?.` gives where a field is missing; written nowhere in JSON. */
  readonly absent: boolean;
  /** What the elements are. */
  readonly array: Type | undefined;
  readonly object: ObjectType | undefined;
  readonly depth: number;
  readonly size: number;
}

export interface ObjectType {
  readonly fields: ReadonlyMap<string, Field>;
  /** What other fields are; `NEVER`: there are none. */
  readonly rest: Type;
  /** The fields were declared, so that another one, though it may be there, is probably a mistake. */
  readonly strict: boolean;
}

export interface Field {
  readonly type: Type;
  readonly required: boolean;
}

export const MAX_DEPTH = 12;
export const MAX_SIZE = 400;
/** A value that can be one of more than this is any of its kind. */
export const MAX_CHOICES = 16;

type Parts = Partial<Omit<Type, 'depth' | 'size'>>;

const nothing = {
  any: false,
  string: undefined,
  number: undefined,
  boolean: undefined,
  null: false,
  absent: false,
  array: undefined,
  object: undefined,
};

export const UNKNOWN: Type = { ...nothing, any: true, depth: 1, size: 1 };
/** Of no value: what cannot be there. */
export const NEVER: Type = { ...nothing, depth: 1, size: 1 };
const ANYTHING_IN_IT: ObjectType = { fields: new Map(), rest: UNKNOWN, strict: false };
export const STRING = makeType({ string: true });
export const NUMBER = makeType({ number: 'number' });
export const INTEGER = makeType({ number: 'integer' });
export const BOOLEAN = makeType({ boolean: true });
export const NULL = makeType({ null: true });
export const ABSENT = makeType({ absent: true });
export const ANY_ARRAY = makeType({ array: UNKNOWN });
export const ANY_OBJECT = makeType({ object: ANYTHING_IN_IT });

/** Keeps T3: parts that are too deep or too large become arrays and objects of unknown things. */
export function makeType(parts: Parts): Type {
  if (parts.any) return UNKNOWN;
  const { array, object } = parts;
  const depth = 1 + Math.max(array?.depth ?? 0, object ? depthOf(object) : 0);
  const size = 1 + (array?.size ?? 0) + (object ? sizeOf(object) : 0);
  const isTooLarge = depth > MAX_DEPTH || size > MAX_SIZE;
  // Written out, since a flow makes tens of thousands of these.
  return {
    any: false,
    string: parts.string,
    number: parts.number,
    boolean: parts.boolean,
    null: parts.null ?? false,
    absent: parts.absent ?? false,
    array: isTooLarge && array ? UNKNOWN : array,
    object: isTooLarge && object ? ANYTHING_IN_IT : object,
    depth: isTooLarge ? 2 : depth,
    size: isTooLarge ? 3 : size,
  };
}

function depthOf({ fields, rest }: ObjectType): number {
  let most = rest.depth;
  for (const { type } of fields.values()) if (type.depth > most) most = type.depth;
  return most;
}

function sizeOf({ fields, rest }: ObjectType): number {
  let sum = rest.size;
  for (const { type } of fields.values()) sum += type.size;
  return sum;
}

export function arrayOf(items: Type): Type {
  return items.any ? ANY_ARRAY : makeType({ array: withoutAbsent(items) });
}

/** An object with these fields and no others, unless `rest` says what they are. A field that may be absent is not required. */
export function objectOf(fields: Iterable<readonly [string, Type]>, rest: Type = NEVER): Type {
  const found = new Map<string, Field>();
  for (const [name, type] of fields) {
    const known = withoutAbsent(type);
    if (!isNever(known) || !type.absent) found.set(name, { type: known, required: !mayBeAbsent(type) });
  }
  return makeType({ object: { fields: found, rest, strict: false } });
}

export function isNever(type: Type): boolean {
  return !type.any && KINDS.every((kind) => !type[kind]);
}

export function mayBeAbsent(type: Type): boolean {
  return type.any || type.absent;
}

/** The kinds of value, in the order in which they are named. */
export const KINDS = ['string', 'number', 'boolean', 'array', 'object', 'null', 'absent'] as const;
export type Kind = (typeof KINDS)[number];

/** The kinds that a known type may be of. */
export function kindsOf(type: Type): Kind[] {
  return KINDS.filter((kind) => type[kind]);
}

/** The type with some kinds taken out; what is unknown stays unknown. */
export function without(type: Type, ...kinds: readonly Kind[]): Type {
  if (type.any || !kinds.some((kind) => type[kind])) return type;
  const parts: { -readonly [K in keyof Parts]: Parts[K] } = { ...type };
  for (const kind of kinds) delete parts[kind];
  return makeType(parts);
}

export function withoutAbsent(type: Type): Type {
  return without(type, 'absent');
}

/** Only these kinds of a type; of an unknown one what `known` says of them. */
export function only(type: Type, kind: Kind, known: Type): Type {
  if (type.any) return known;
  return type[kind] ? makeType({ [kind]: type[kind] }) : NEVER;
}

export function unionOf(types: Iterable<Type>): Type {
  let all = NEVER;
  for (const type of types) {
    all = union(all, type);
    if (all.any) return UNKNOWN;
  }
  return all;
}

export function union(a: Type, b: Type): Type {
  if (a === b || b === NEVER) return a;
  if (a === NEVER) return b;
  if (a.any || b.any) return UNKNOWN;
  return makeType({
    string: choices(a.string, b.string, true),
    number: numbers(a.number, b.number),
    boolean: choices(a.boolean, b.boolean, true),
    null: a.null || b.null,
    absent: a.absent || b.absent,
    array: a.array && b.array ? union(a.array, b.array) : (a.array ?? b.array),
    object: a.object && b.object ? unionObjects(a.object, b.object) : (a.object ?? b.object),
  });
}

function choices<T, All>(
  a: All | readonly T[] | undefined,
  b: All | readonly T[] | undefined,
  all: All,
): All | readonly T[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (!Array.isArray(a) || !Array.isArray(b)) return all;
  const both = [...new Set([...a, ...b])] as T[];
  return both.length > MAX_CHOICES ? all : both;
}

function numbers(a: Type['number'], b: Type['number']): Type['number'] {
  if (a === undefined || b === undefined) return a ?? b;
  return choices(a, b, isWhole(a) && isWhole(b) ? 'integer' : 'number');
}

export function isWhole(number: Type['number']): boolean {
  return number === 'integer' || (Array.isArray(number) && number.every((n) => Number.isInteger(n)));
}

/** A field that only one of them has is there sometimes; where the other may have it unnamed, it may be what that says. */
function unionObjects(a: ObjectType, b: ObjectType): ObjectType {
  const fields = new Map<string, Field>();
  for (const name of new Set([...a.fields.keys(), ...b.fields.keys()])) {
    const [one, other] = [a.fields.get(name), b.fields.get(name)];
    fields.set(name, {
      type: union(one?.type ?? a.rest, other?.type ?? b.rest),
      required: (one?.required ?? false) && (other?.required ?? false),
    });
  }
  const isTold = (object: ObjectType) => object.strict || isNever(object.rest);
  return { fields, rest: union(a.rest, b.rest), strict: isTold(a) && isTold(b) && (a.strict || b.strict) };
}

/** The fields of `over` put over those of `base`, as a spread does; which of two that may be missing is there is not known. */
export function assign(base: ObjectType, over: ObjectType): ObjectType {
  const fields = new Map<string, Field>();
  for (const [name, { type, required }] of base.fields) {
    const hidden = isNever(over.rest);
    fields.set(name, hidden ? { type, required } : { type: union(type, over.rest), required: false });
  }
  for (const [name, field] of over.fields) {
    const below = field.required ? undefined : (base.fields.get(name)?.type ?? base.rest);
    fields.set(name, below ? { type: union(field.type, below), required: false } : field);
  }
  const strict = (base.strict || over.strict) && [base, over].every((o) => o.strict || isNever(o.rest));
  return { fields, rest: union(base.rest, over.rest), strict };
}
