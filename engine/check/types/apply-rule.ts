import type { TypeRule } from '#shared/type-rule.ts';
import { fromSchema } from './schema.ts';
import {
  ANY_OBJECT,
  arrayOf,
  assign,
  isNever,
  kindsOf,
  makeType,
  mayBeAbsent,
  NEVER,
  objectOf,
  type ObjectType,
  type Type,
  union,
  unionOf,
  UNKNOWN,
} from './type.ts';
import { pickFields } from './pick-fields.ts';

/** What rules are worked out from: one node, its inputs and params. */
export interface RuleFacts {
  readonly inputs: ReadonlyMap<string, Type>;
  readonly paramTypes: ReadonlyMap<string, Type>;
  /** As the flow has them, defaults filled in. */
  readonly params: Readonly<Record<string, unknown>>;
}

type Of<K extends string> = Extract<TypeRule, Readonly<Record<K, unknown>>>;

/** The type that a rule gives for a node. */
export function applyRule(rule: TypeRule, facts: RuleFacts): Type {
  const of = (inner: TypeRule) => applyRule(inner, facts);
  if ('input' in rule) return facts.inputs.get(rule.input) ?? UNKNOWN;
  if ('inputs' in rule) return objectOf(facts.inputs);
  if ('param' in rule) return facts.paramTypes.get(rule.param) ?? UNKNOWN;
  if ('schema' in rule) return fromSchema(rule.schema);
  if ('schemaIn' in rule) return fromSchema(facts.params[rule.schemaIn]);
  if ('union' in rule) return unionOf(rule.union.map(of));
  return structured(rule, facts, of);
}

type Structured = Exclude<
  TypeRule,
  Of<'input'> | Of<'inputs'> | Of<'param'> | Of<'schema'> | Of<'schemaIn'> | Of<'union'>
>;

function structured(rule: Structured, facts: RuleFacts, of: (rule: TypeRule) => Type): Type {
  if ('itemOf' in rule) return of(rule.itemOf).array ?? UNKNOWN;
  if ('array' in rule) return arrayOf(of(rule.array));
  if ('object' in rule)
    return objectOf(Object.entries(rule.object).map(([name, inner]) => [name, of(inner)]));
  if ('assign' in rule) return assigned(rule.assign.map(of));
  if ('pick' in rule) {
    const paths = namesIn(facts.params[rule.pick.fieldsIn]);
    return paths ? pickFields(of(rule.pick.of), paths, rule.pick.optional ?? false) : ANY_OBJECT;
  }
  return byParam(rule.byParam, facts, of);
}

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

/** Names that are written out; undefined where only a run knows them. */
function namesIn(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const isWritten = (name: unknown) => typeof name === 'string' && !name.includes('{{');
  return value.every(isWritten) ? (value as string[]) : undefined;
}

function byParam(
  { name, cases, else: other }: Of<'byParam'>['byParam'],
  { params, paramTypes }: RuleFacts,
  of: (rule: TypeRule) => Type,
): Type {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  if (typeof value === 'string' && value.includes('{{') && mayBeOther(paramTypes.get(name), cases))
    return unionOf([...Object.values(cases), other].map(of));
  const key = value === undefined ? 'absent' : isScalar(value) ? `${value}` : '';
  return of(Object.hasOwn(cases, key) ? (cases[key] as TypeRule) : other);
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Whether an expression may give the value of one of the cases; a param that is only there or not is there. */
function mayBeOther(type: Type | undefined, cases: Readonly<Record<string, TypeRule>>): boolean {
  const isThere = Object.keys(cases).every((key) => key === 'absent');
  return !isThere || mayBeAbsent(type ?? UNKNOWN);
}
