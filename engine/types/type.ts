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
  const depth = 1 + Math.max(parts.array?.depth ?? 0, depthOf(parts.object));
  const size = 1 + (parts.array?.size ?? 0) + sizeOf(parts.object);
  if (depth <= MAX_DEPTH && size <= MAX_SIZE) return written(parts, depth, size);
  return written({ ...parts, array: parts.array && UNKNOWN, object: parts.object && ANYTHING_IN_IT }, 2, 3);
}

/** Written out instead of spread, since a flow makes tens of thousands of these. */
function written(parts: Parts, depth: number, size: number): Type {
  const { string, number, boolean, null: isNull = false, absent = false, array, object } = parts;
  return { any: false, string, number, boolean, null: isNull, absent, array, object, depth, size };
}

function depthOf(object: ObjectType | undefined): number {
  let most = object?.rest.depth ?? 0;
  for (const { type } of object?.fields.values() ?? []) if (type.depth > most) most = type.depth;
  return most;
}

function sizeOf(object: ObjectType | undefined): number {
  let sum = object?.rest.size ?? 0;
  for (const { type } of object?.fields.values() ?? []) sum += type.size;
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
    array: joined(a.array, b.array, union),
    object: joined(a.object, b.object, unionObjects),
  });
}

function joined<T>(a: T | undefined, b: T | undefined, join: (a: T, b: T) => T): T | undefined {
  return a === undefined || b === undefined ? (a ?? b) : join(a, b);
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
    const [one, other] = [fieldOf(a, name), fieldOf(b, name)];
    fields.set(name, { type: union(one.type, other.type), required: one.required && other.required });
  }
  return { fields, rest: union(a.rest, b.rest), strict: areStrict(a, b) };
}

function fieldOf({ fields, rest }: ObjectType, name: string): Field {
  return fields.get(name) ?? { type: rest, required: false };
}

/** Whether all fields that two objects together may have were declared. */
function areStrict(a: ObjectType, b: ObjectType): boolean {
  return (a.strict || b.strict) && [a, b].every((object) => object.strict || isNever(object.rest));
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
  return { fields, rest: union(base.rest, over.rest), strict: areStrict(base, over) };
}
