import type { TypeRule } from '#shared/type-rule.ts';
import { isRecord } from '#shared/json.ts';
import { pickFields } from './pick-fields.ts';
import { fromSchema } from './schema.ts';
import {
  ANY_OBJECT,
  arrayOf,
  assign,
  type Field,
  isNever,
  kindsOf,
  makeType,
  mayBeAbsent,
  NEVER,
  NULL,
  objectOf,
  type ObjectType,
  type Type,
  union,
  unionOf,
  UNKNOWN,
  without,
} from './type.ts';

/** The context of a rule: one node, its inputs and params. */
export interface RuleFacts {
  readonly inputs: ReadonlyMap<string, Type>;
  /** By name; those of a list param's elements as `name[0]`. */
  readonly paramTypes: ReadonlyMap<string, Type>;
  /** As the flow has them, defaults filled in. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The result of the flow that the node calls, if it is known. */
  readonly called?: { readonly result: Type; readonly items: Type } | undefined;
  /** The type of a row of a statement on a connection, if the database has described it. */
  readonly rowOf?: ((connection: unknown, statement: unknown) => Type | undefined) | undefined;
  /** The current entry of a list param: as the flow has it, and its type. */
  readonly entry?: { readonly written: Readonly<Record<string, unknown>>; readonly type: Type };
}

type Kind = TypeRule extends infer R ? (R extends unknown ? keyof R : never) : never;
type Body<K extends Kind> = Extract<TypeRule, Readonly<Record<K, unknown>>>[K];
type Of = (rule: TypeRule, more?: Pick<RuleFacts, 'entry'>) => Type;
type Appliers = { readonly [K in Kind]: (body: Body<K>, facts: RuleFacts, of: Of) => Type };

/** The type that a rule gives for a node. */
export function applyRule(rule: TypeRule, facts: RuleFacts): Type {
  const of: Of = (inner, more) => applyRule(inner, more ? { ...facts, ...more } : facts);
  const [[kind, body] = []] = Object.entries(rule);
  const apply = appliers[kind as Kind] as (body: unknown, facts: RuleFacts, of: Of) => Type;
  return apply(body, facts, of);
}

const appliers: Appliers = {
  input: (name, { inputs }) => inputs.get(name) ?? UNKNOWN,
  inputs: (_, { inputs }) => objectOf(inputs),
  param: (name, { paramTypes }) => paramTypes.get(name) ?? UNKNOWN,
  schema: (schema) => fromSchema(schema),
  schemaIn: (name, { params }) => fromSchema(params[name]),
  itemOf: (list, _, of) => of(list).array ?? UNKNOWN,
  array: (items, _, of) => arrayOf(of(items)),
  object: (fields, _, of) => objectOf(Object.entries(fields).map(([name, inner]) => [name, of(inner)])),
  union: (rules, _, of) => unionOf(rules.map((rule) => of(rule))),
  assign: (rules, _, of) => assigned(rules.map((rule) => of(rule))),
  pick: ({ of: from, fieldsIn, optional = false }, { params }, of) => {
    const paths = writtenNames(params[fieldsIn]);
    return paths ? pickFields(of(from), paths, optional) : ANY_OBJECT;
  },
  rename: ({ of: from, namesIn, optional = false }, { params }, of) => {
    const names = writtenPairs(params[namesIn]);
    return names ? renameFields(of(from), names, optional) : ANY_OBJECT;
  },
  opened: ({ of: from, levelsIn }, { params }, of) => {
    const levels = params[levelsIn];
    return arrayOf(typeof levels === 'number' ? opened(of(from).array ?? UNKNOWN, levels) : UNKNOWN);
  },
  called: (what, { called }) => called?.[what] ?? UNKNOWN,
  rowOf: ({ connectionIn, statementIn }, { params, rowOf }) =>
    rowOf?.(params[connectionIn], params[statementIn]) ?? ANY_OBJECT,
  fieldsFrom,
  entry: ({ key, else: other }, { entry }, of) => {
    if (!entry || !Object.hasOwn(entry.written, key)) return of(other);
    return entry.type.any ? UNKNOWN : (entry.type.object?.fields.get(key)?.type ?? NULL);
  },
  byParam,
};

const EMPTY: ObjectType = { fields: new Map(), rest: NEVER, strict: false };

function assigned(types: readonly Type[]): Type {
  const objects = types.map((type): ObjectType => {
    if (type.any || isNever(type) || !type.object)
      return onlyNull(type) ? EMPTY : (ANY_OBJECT.object as ObjectType);
    const own = makeType({ object: type.object });
    return (type.null ? union(own, objectOf([])) : own).object as ObjectType;
  });
  return makeType({ object: objects.reduce(assign, EMPTY) });
}

function onlyNull(type: Type): boolean {
  return !type.any && kindsOf(type).every((kind) => kind === 'null' || kind === 'absent');
}

function byParam(
  { name, cases, else: other }: Body<'byParam'>,
  { params, paramTypes }: RuleFacts,
  of: Of,
): Type {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  if (typeof value === 'string' && value.includes('{{') && mayBeOther(paramTypes.get(name), cases))
    return unionOf([...Object.values(cases), other].map((rule) => of(rule)));
  const key = value === undefined ? 'absent' : isScalar(value) ? `${value}` : '';
  return of(Object.hasOwn(cases, key) ? (cases[key] as TypeRule) : other);
}

/** Whether an expression may give the value of one of the cases; with `absent` as the only case, whether it may give none. */
function mayBeOther(type: Type | undefined, cases: Readonly<Record<string, TypeRule>>): boolean {
  const isThere = Object.keys(cases).every((key) => key === 'absent');
  return !isThere || mayBeAbsent(type ?? UNKNOWN);
}

type FieldsFrom = Extract<TypeRule, { readonly fieldsFrom: unknown }>['fieldsFrom'];

/** An object whose fields the entries of a list param name; any object if only a run knows the names. */
function fieldsFrom(
  { entriesIn, name, by, cases }: FieldsFrom,
  { params, paramTypes }: RuleFacts,
  of: (rule: TypeRule, more: Pick<RuleFacts, 'entry'>) => Type,
): Type {
  const entries = params[entriesIn];
  if (!Array.isArray(entries)) return ANY_OBJECT;
  const fields: [string, Type][] = [];
  for (const [i, entry] of entries.entries()) {
    if (!isRecord(entry) || !isWritten(entry[name])) return ANY_OBJECT;
    const what = entry[by];
    const rule = isWritten(what) && Object.hasOwn(cases, what) ? cases[what] : undefined;
    const type = paramTypes.get(`${entriesIn}[${i}]`) ?? UNKNOWN;
    fields.push([entry[name], rule ? of(rule, { entry: { written: entry, type } }) : UNKNOWN]);
  }
  return objectOf(fields);
}

/** The elements of an array after nested arrays are flattened by that many levels. */
function opened(element: Type, levels: number): Type {
  if (levels < 1 || !element.array) return element;
  return union(without(element, 'array'), opened(element.array, levels - 1));
}

/**
 * An object with the fields of another one under new names. A renamed field no longer exists under its old name, though the
 * object may have other, undeclared fields. `optional`: a missing field is ignored.
 */
function renameFields(type: Type, names: ReadonlyMap<string, string>, optional: boolean): Type {
  const { fields: from, rest, strict } = type.object ?? (ANY_OBJECT.object as ObjectType);
  const fields = new Map<string, Field>();
  const add = (name: string, field: Field): void => {
    const before = fields.get(name);
    fields.set(name, before && !isNever(before.type) ? oneOf(before, field) : field);
  };
  if (!isNever(rest)) for (const name of names.keys()) fields.set(name, { type: NEVER, required: false });
  for (const [name, field] of from) if (!names.has(name)) add(name, field);
  for (const [name, renamed] of names) {
    const field = from.get(name) ?? { type: rest, required: false };
    if (!isNever(field.type)) add(renamed, optional ? field : { ...field, required: true });
  }
  return makeType({ object: { fields, rest, strict } });
}

/** Two fields of one name are an error, so only one of them can exist. */
function oneOf(a: Field, b: Field): Field {
  return { type: union(a.type, b.type), required: a.required || b.required };
}

// Params as the flow has them: literal values, as far as they do not need a run.

/** Literal names; undefined if only a run knows them. */
function writtenNames(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every(isWritten) ? value : undefined;
}

/** Literal texts by name; undefined if only a run knows them. */
function writtenPairs(value: unknown): ReadonlyMap<string, string> | undefined {
  if (!isRecord(value)) return undefined;
  const pairs = Object.entries(value).filter((pair): pair is [string, string] => isWritten(pair[1]));
  return pairs.length === Object.keys(value).length ? new Map(pairs) : undefined;
}

function isWritten(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('{{');
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
