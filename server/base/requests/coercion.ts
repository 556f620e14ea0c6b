import type { JsonSchema } from '#shared/json.ts';
import { alternatives, asSchema, defaultOf, propertiesOf, resolve, typesOf } from '#shared/json-schema.ts';
import { toBoolean, toInteger, toNumber } from './scalars.ts';

/**
 * Converts input towards the types of a schema, before it is validated. Never fails and never changes its
 * input: a value that cannot be converted stays unchanged, so that validation refuses it and the problem shows the
 * original.
 *
 * Everything is prepared once per schema as closures; `scalars.ts` has the conversions of texts.
 */
export type Coerce = (value: unknown) => unknown;

/** For values that arrived as text: query, path, form. `undefined`: the text is the value. */
export function textCoercion(schema: JsonSchema, root: JsonSchema): ((text: string) => unknown) | undefined {
  const target = resolve(schema, root);
  const union = alternatives(target, root);
  if (union) return unionTextCoercion(union, root);
  const choices = target['enum'] ?? ('const' in target ? [target['const']] : undefined);
  switch (typesOf(target)?.[0]) {
    case 'integer':
      return (text) => toInteger(text) ?? text;
    case 'number':
      return (text) => toNumber(text) ?? text;
    case 'boolean':
      return (text) => toBoolean(text) ?? text;
    case undefined:
      return Array.isArray(choices) ? choiceCoercion(choices) : undefined;
    default:
      return undefined;
  }
}

/** Whether the values of a repeated param make an array; with one of several types only if it is repeated. */
export function takesMany(schema: JsonSchema, root: JsonSchema): 'always' | 'when-repeated' | 'never' {
  const target = resolve(schema, root);
  const kinds = (alternatives(target, root) ?? [target])
    .map((s) => typesOf(s)?.[0])
    .filter((t) => t !== 'null');
  if (!kinds.includes('array')) return 'never';
  return kinds.length === 1 ? 'always' : 'when-repeated';
}

/** For the elements of a repeated param. */
export function elementCoercion(
  schema: JsonSchema,
  root: JsonSchema,
): ((text: string) => unknown) | undefined {
  const target = resolve(schema, root);
  const array = (alternatives(target, root) ?? [target]).find((s) => typesOf(s)?.[0] === 'array');
  const items = asSchema(array?.['items']);
  return items && textCoercion(items, root);
}

function unionTextCoercion(union: readonly JsonSchema[], root: JsonSchema): (text: string) => unknown {
  const each = union.map((s) => textCoercion(s, root)).filter((c) => c !== undefined);
  return (text) => {
    for (const coerce of each) {
      const value = coerce(text);
      if (value !== text) return value;
    }
    return text;
  };
}

/** An untyped list of choices: the text of a choice stands for it. */
function choiceCoercion(choices: readonly unknown[]): (text: string) => unknown {
  const byText = new Map<string, unknown>();
  for (const choice of choices.toReversed())
    if (['string', 'number', 'boolean'].includes(typeof choice))
      byText.set(`${choice as string | number | boolean}`, choice);
  return (text) => (byText.has(text) ? byText.get(text) : text);
}

/** For JSON bodies, defaults included. `undefined`: nothing to do. */
export function jsonCoercion(schema: JsonSchema, root: JsonSchema): Coerce | undefined {
  return compileJson(schema, root, new Map());
}

type Memo = Map<JsonSchema, Coerce | undefined>;

function compileJson(schema: JsonSchema, root: JsonSchema, memo: Memo): Coerce | undefined {
  const target = resolve(schema, root);
  if (memo.has(target)) return memo.get(target);
  // A schema that refers to itself finds this stand-in, which is not called before all of it is compiled.
  memo.set(target, (value) => (compiled ? compiled(value) : value));
  const compiled: Coerce | undefined = compileTarget(target, root, memo);
  memo.set(target, compiled);
  return compiled;
}

function compileTarget(target: JsonSchema, root: JsonSchema, memo: Memo): Coerce | undefined {
  const union = alternatives(target, root);
  if (union) return unionCoercion(union, root, memo);
  switch (typesOf(target)?.[0]) {
    case 'integer':
      return coerceInteger;
    case 'number':
      return coerceNumber;
    case 'boolean':
      return coerceBoolean;
    case 'array':
      return arrayCoercion(target, root, memo);
    case 'object':
    case undefined:
      return objectCoercion(target, root, memo);
    default:
      return undefined;
  }
}

function coerceInteger(value: unknown): unknown {
  if (typeof value === 'string') return toInteger(value) ?? value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  // JSON.parse has already rounded it, to infinity at worst: as text it is refused.
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) return String(value);
  return value;
}

function coerceNumber(value: unknown): unknown {
  if (typeof value === 'string') return toNumber(value) ?? value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value;
}

function coerceBoolean(value: unknown): unknown {
  if (typeof value === 'string') return toBoolean(value) ?? value;
  if (value === 0) return false;
  return value === 1 ? true : value;
}

/** A value that one alternative accepts unchanged stays; otherwise the first alternative that can convert it does. */
function unionCoercion(union: readonly JsonSchema[], root: JsonSchema, memo: Memo): Coerce {
  const each = union.map((schema) => ({ types: typesOf(schema), coerce: compileJson(schema, root, memo) }));
  return (value) => {
    const fitting = each.filter(({ types }) => types === undefined || types.some((t) => isOfType(value, t)));
    if (fitting.length > 0) return fitting.length === 1 ? (fitting[0]?.coerce?.(value) ?? value) : value;
    for (const { coerce } of each) {
      const converted = coerce?.(value);
      if (converted !== undefined && converted !== value) return converted;
    }
    return value;
  };
}

function isOfType(value: unknown, type: string): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  if (type === 'integer') return Number.isSafeInteger(value);
  return typeof value === type;
}

function arrayCoercion(target: JsonSchema, root: JsonSchema, memo: Memo): Coerce | undefined {
  const items = asSchema(target['items']);
  const coerce = items && compileJson(items, root, memo);
  if (!coerce) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return value;
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const element = coerce(value[i]);
      if (element !== value[i]) (copy ??= value.slice())[i] = element;
    }
    return copy ?? value;
  };
}

interface Property {
  readonly name: string;
  readonly coerce: Coerce | undefined;
  readonly fill: (() => unknown) | undefined;
}

function objectCoercion(target: JsonSchema, root: JsonSchema, memo: Memo): Coerce | undefined {
  const properties: Property[] = [];
  for (const [name, schema] of propertiesOf(target, root)) {
    const coerce = compileJson(schema, root, memo);
    const fill = defaultOf(schema, root);
    if (name !== '__proto__' && (coerce || fill)) properties.push({ name, coerce, fill });
  }
  if (properties.length === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return coerceProperties(value as Record<string, unknown>, properties);
  };
}

function coerceProperties(value: Record<string, unknown>, properties: readonly Property[]): unknown {
  let copy: Record<string, unknown> | undefined;
  for (const { name, coerce, fill } of properties) {
    const has = Object.hasOwn(value, name);
    const before = has ? value[name] : fill?.();
    const after = has && coerce ? coerce(before) : before;
    if (after !== (has ? value[name] : undefined)) (copy ??= { ...value })[name] = after;
  }
  return copy ?? value;
}
