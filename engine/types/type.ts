/**
 * The knowledge about a value before a run: for each kind, whether the value may be of that kind, and details if so.
 *
 * T1. A type includes every possible value, and perhaps more: unknown parts make a type wider, never narrower.
 * T2. Each kind has one description: a union joins two objects field by field, so that it costs no more than they do.
 * T3. A type is no deeper than MAX_DEPTH and no larger than MAX_SIZE; anything beyond that is unknown. So the cost of a thousand
 *     nodes that nest each other's values is linear.
 */
export interface Type {
  /** Any value, including nothing; all other fields are then unset. */
  readonly any: boolean;
  /** A list holds the only possible texts. */
  readonly string: true | readonly string[] | undefined;
  readonly number: 'number' | 'integer' | readonly number[] | undefined;
  readonly boolean: true | readonly boolean[] | undefined;
  readonly null: boolean;
  /** There may be no value: an input without an edge, or an omitted output. No expression results in that: it results in null. */
  readonly absent: boolean;
  /** Type of the elements. */
  readonly array: Type | undefined;
  readonly object: ObjectType | undefined;
  readonly depth: number;
  readonly size: number;
}

/** An object. */
export interface ObjectType {
  readonly fields: ReadonlyMap<string, Field>;
  /** Type of other fields; `NEVER`: there are none. */
  readonly rest: Type;
  /** The fields were declared, so a read of another field, though it may exist, is probably a mistake. */
  readonly strict: boolean;
}

/** A field of an object. */
export interface Field {
  readonly type: Type;
  readonly required: boolean;
  /** For a field that a caller may leave out: where a trigger declares it. */
  readonly declared?: Declared;
}

/** An optional field of what a trigger gets: in the JSON Schema of a param, or an entry of a list of form fields. */
export interface Declared {
  readonly node: string;
  readonly name: string;
  readonly at: { readonly schemaIn: string } | { readonly entry: number };
}

export const MAX_DEPTH = 12;
export const MAX_SIZE = 400;
/** A value with more alternatives than this has the whole kind. */
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
/** The type without values. */
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

/** A file as a value: `format: file` in a JSON Schema. */
export const FILE = makeType({
  object: {
    fields: new Map<string, Field>([
      ['$file', { type: STRING, required: true }],
      ['name', { type: STRING, required: true }],
      ['type', { type: STRING, required: true }],
      ['bytes', { type: INTEGER, required: true }],
    ]),
    rest: NEVER,
    strict: false,
  },
});

/** Whether an object of this type is a file. */
export function isFile({ fields }: ObjectType): boolean {
  return fields.get('$file')?.required === true;
}

/** Ensures T3: parts that are too deep or too large become arrays and objects of unknown values. */
export function makeType(parts: Parts): Type {
  if (parts.any) return UNKNOWN;
  const depth = 1 + Math.max(parts.array?.depth ?? 0, depthOf(parts.object));
  const size = 1 + (parts.array?.size ?? 0) + sizeOf(parts.object);
  if (depth <= MAX_DEPTH && size <= MAX_SIZE) return written(parts, depth, size);
  return written({ ...parts, array: parts.array && UNKNOWN, object: parts.object && ANYTHING_IN_IT }, 2, 3);
}

/** Written out field by field, not spread, since a flow makes tens of thousands of these. */
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

/** An array whose elements have this type. */
export function arrayOf(items: Type): Type {
  return items.any ? ANY_ARRAY : makeType({ array: withoutAbsent(items) });
}

/** An object with these fields and no others, unless `rest` has their type. A field that may be absent is not required. */
export function objectOf(fields: Iterable<readonly [string, Type]>, rest: Type = NEVER): Type {
  const found = new Map<string, Field>();
  for (const [name, type] of fields) {
    found.set(name, { type: withoutAbsent(type), required: !mayBeAbsent(type) });
  }
  return makeType({ object: { fields: found, rest, strict: false } });
}

/** Whether no value has this type. */
export function isNever(type: Type): boolean {
  return !type.any && KINDS.every((kind) => !type[kind]);
}

/** Whether there may be no value. */
export function mayBeAbsent(type: Type): boolean {
  return type.any || type.absent;
}

/** The kinds of values, in the order in which messages name them. */
export const KINDS = ['string', 'number', 'boolean', 'array', 'object', 'null', 'absent'] as const;
export type Kind = (typeof KINDS)[number];

/** The possible kinds of a known type. */
export function kindsOf(type: Type): Kind[] {
  return KINDS.filter((kind) => type[kind]);
}

/** The type without some kinds; an unknown type stays unknown. */
export function without(type: Type, ...kinds: readonly Kind[]): Type {
  if (type.any || !kinds.some((kind) => type[kind])) return type;
  const parts: { -readonly [K in keyof Parts]: Parts[K] } = { ...type };
  for (const kind of kinds) delete parts[kind];
  return makeType(parts);
}

/** The type of the value, if there is one. */
export function withoutAbsent(type: Type): Type {
  return without(type, 'absent');
}

/** The union of all types; `NEVER` for none. */
export function unionOf(types: Iterable<Type>): Type {
  let all = NEVER;
  for (const type of types) {
    all = union(all, type);
    if (all.any) return UNKNOWN;
  }
  return all;
}

/** A type for all values of both (T1, T2). */
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

/** Whether the numbers of a type are whole. */
export function isWhole(number: Type['number']): boolean {
  return number === 'integer' || (Array.isArray(number) && number.every((n) => Number.isInteger(n)));
}

/** A field that only one object has may be missing; if the other has unnamed fields, it may have their type. */
function unionObjects(a: ObjectType, b: ObjectType): ObjectType {
  const fields = new Map<string, Field>();
  for (const name of new Set([...a.fields.keys(), ...b.fields.keys()])) {
    const [one, other] = [fieldOf(a, name), fieldOf(b, name)];
    const { declared } = one;
    const type = union(one.type, other.type);
    const isSame = declared !== undefined && declared === other.declared;
    fields.set(name, { type, required: one.required && other.required, ...(isSame && { declared }) });
  }
  return { fields, rest: union(a.rest, b.rest), strict: areStrict(a, b) };
}

function fieldOf({ fields, rest }: ObjectType, name: string): Field {
  return fields.get(name) ?? { type: rest, required: false };
}

/** Whether all fields of both objects were declared. */
function areStrict(a: ObjectType, b: ObjectType): boolean {
  return (a.strict || b.strict) && [a, b].every((object) => object.strict || isNever(object.rest));
}

/** The fields of `over` on top of those of `base`, as in a spread; if a field of `over` may be missing, it may be either. */
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
