import type { TypeRule } from '#shared/type-rule.ts';
import { isRecord } from '../flow/request-keywords.ts';
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

/** What rules are worked out from: one node, its inputs and params. */
export interface RuleFacts {
  readonly inputs: ReadonlyMap<string, Type>;
  /** By name; those of a list param's elements as `name[0]`. */
  readonly paramTypes: ReadonlyMap<string, Type>;
  /** As the flow has them, defaults filled in. */
  readonly params: Readonly<Record<string, unknown>>;
  /** What the flow gives that the node calls, where that is known. */
  readonly called?: { readonly result: Type; readonly items: Type } | undefined;
  /** The entry of a list param that is at hand: as the flow has it, and its type. */
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

/** Whether an expression may give the value of one of the cases; a param that is only there or not is there. */
function mayBeOther(type: Type | undefined, cases: Readonly<Record<string, TypeRule>>): boolean {
  const isThere = Object.keys(cases).every((key) => key === 'absent');
  return !isThere || mayBeAbsent(type ?? UNKNOWN);
}

type FieldsFrom = Extract<TypeRule, { readonly fieldsFrom: unknown }>['fieldsFrom'];

/** An object whose fields the entries of a list param name; of any object where only a run knows the names. */
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

/** What the elements of an array are when those of them that are arrays are replaced by their own, so many levels deep. */
function opened(element: Type, levels: number): Type {
  if (levels < 1 || !element.array) return element;
  return union(without(element, 'array'), opened(element.array, levels - 1));
}

/**
 * An object with the fields of another one under other names. A field that gave its name away is not there any more, though
 * the object may have other fields that were not declared. `optional`: one that is missing is passed over.
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

/** Two fields of one name fail, so that only one of them is there. */
function oneOf(a: Field, b: Field): Field {
  return { type: union(a.type, b.type), required: a.required || b.required };
}

// Params as the flow has them: what is written out, as far as it does not take a run to know it.

/** Names that are written out; undefined where only a run knows them. */
function writtenNames(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every(isWritten) ? value : undefined;
}

/** Texts by name that are written out; undefined where only a run knows them. */
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
