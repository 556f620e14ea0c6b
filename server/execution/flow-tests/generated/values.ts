import type { JsonSchema } from '#shared/json.ts';
import { alternatives, asSchema, propertiesOf, resolve, typesOf } from '#shared/json-schema.ts';
import { type Chance, pick, textFor, upTo } from './text-values.ts';

/** Deeper in a schema only required parts are made. */
const MAX_DEPTH = 6;
const MAX_ITEMS = 4;
/** The most items and fields of one value that are made only to reach a required number. */
const MOST = 10_000;

/** Random numbers by mulberry32. */
export function chanceOf(seed: number): Chance {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Making {
  readonly root: JsonSchema;
  readonly chance: Chance;
  /** The probability of an optional field. */
  readonly optional: number;
}

/** A value for a schema; limits and odd values are frequent. The caller must check it: rules may exclude each other. */
export function valueFor(schema: JsonSchema, making: Making): unknown {
  return make(schema, { ...making, room: { left: MOST } }, 0);
}

interface Filling extends Making {
  readonly room: { left: number };
}

function make(given: JsonSchema, making: Filling, depth: number): unknown {
  const { root, chance } = making;
  const schema = merged(resolve(given, root), root, 0);
  if ('const' in schema) return schema['const'];
  const listed = schema['enum'];
  if (Array.isArray(listed) && listed.length > 0) return pick(chance, listed as unknown[]);
  const known = [
    ...(Array.isArray(schema['examples']) ? (schema['examples'] as unknown[]) : []),
    schema['default'],
  ];
  const suggested = known.filter((value) => value !== undefined);
  if (suggested.length > 0 && chance() < 0.15) return pick(chance, suggested);
  const union = alternatives(schema, root);
  if (union !== undefined) {
    const { anyOf: _, oneOf: __, ...rest } = schema;
    const one = pick(chance, union);
    return make(
      union.length > 0 && !Array.isArray(schema['type']) ? { ...rest, ...one } : one,
      making,
      depth,
    );
  }
  return ofType(typeOf(schema, chance), schema, { ...making, depth });
}

/** The schema merged with its `allOf`. */
function merged(schema: JsonSchema, root: JsonSchema, depth: number): JsonSchema {
  const { allOf: all, ...rest } = schema;
  if (!Array.isArray(all) || depth > MAX_DEPTH) return schema;
  const parts = all.map((part) => merged(resolve(asSchema(part) ?? {}, root), root, depth + 1));
  const required = [rest, ...parts].flatMap(
    (part) => (part['required'] as readonly string[] | undefined) ?? [],
  );
  const properties = Object.fromEntries(propertiesOf(schema, root));
  return Object.assign({}, ...parts, rest, {
    ...(required.length > 0 && { required }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }) as JsonSchema;
}

/** Keywords that imply a type where none is given. */
const IMPLIED_TYPES: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties']],
  ['array', ['items', 'prefixItems', 'minItems']],
  ['string', ['pattern', 'format', 'minLength', 'maxLength']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

function typeOf(schema: JsonSchema, chance: Chance): string {
  const [named] = typesOf(schema) ?? [];
  if (named !== undefined) return named;
  const implied = IMPLIED_TYPES.find(([, keywords]) => keywords.some((keyword) => keyword in schema));
  return implied?.[0] ?? pick(chance, ['string', 'number', 'boolean', 'null', 'object']);
}

type At = Filling & { readonly depth: number };

/** The required number, as far as there is room. */
function taken({ room }: At, least: number): number {
  const count = Math.min(least, room.left);
  room.left -= count;
  return count;
}

function ofType(type: string, schema: JsonSchema, at: At): unknown {
  const { chance } = at;
  switch (type) {
    case 'object':
      return objectFor(schema, at);
    case 'array':
      return arrayFor(schema, at);
    case 'string': {
      const { format, pattern } = schema;
      return textFor(
        { min: numberIn(schema, 'minLength', 0), max: numberIn(schema, 'maxLength', 400), format, pattern },
        chance,
      );
    }
    case 'integer':
    case 'number':
      return numberFor(schema, type === 'integer', chance);
    case 'boolean':
      return chance() < 0.5;
    default:
      return null;
  }
}

function numberIn(schema: JsonSchema, name: string, otherwise: number): number {
  const value = schema[name];
  return typeof value === 'number' ? value : otherwise;
}

const NUMBERS = [0, 1, -1, 2, 10, 100, 2 ** 31 - 1, -(2 ** 31), 2 ** 53 - 1, -(2 ** 53) + 1];
const FRACTIONS = [0.5, -0.1, 0.1 + 0.2, 1e-7, 1e21];

function numberFor(schema: JsonSchema, isWhole: boolean, chance: Chance): number {
  const step = numberIn(schema, 'multipleOf', 0);
  const gap = step > 0 ? step : isWhole ? 1 : 1e-6;
  const above = numberIn(schema, 'exclusiveMinimum', Number.NEGATIVE_INFINITY) + gap;
  const below = numberIn(schema, 'exclusiveMaximum', Number.POSITIVE_INFINITY) - gap;
  const min = Math.max(numberIn(schema, 'minimum', Number.NEGATIVE_INFINITY), above);
  const max = Math.min(numberIn(schema, 'maximum', Number.POSITIVE_INFINITY), below);
  const limits = [min, max, min + gap, max - gap].filter(Number.isFinite);
  const edges = [...limits, ...limits, ...NUMBERS, ...(isWhole ? [] : FRACTIONS)].filter(
    (n) => n >= min && n <= max,
  );
  const low = Math.max(min, -1000);
  const between = low + chance() * (Math.min(max, low + 2000) - low);
  const number = edges.length > 0 && chance() < 0.6 ? pick(chance, edges) : between;
  if (step > 0) {
    const [least, most] = [Math.ceil(min / step), Math.floor(max / step)];
    return Number((Math.min(most, Math.max(least, Math.round(number / step))) * step).toPrecision(12));
  }
  return isWhole ? Math.round(number) : number;
}

function arrayFor(schema: JsonSchema, at: At): unknown[] {
  const { chance, depth } = at;
  const min = taken(at, numberIn(schema, 'minItems', 0));
  const room = depth > MAX_DEPTH ? 0 : MAX_ITEMS;
  const most = Math.max(min, Math.min(numberIn(schema, 'maxItems', min + room), min + room));
  const first = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
  const items = schema['items'] === false ? undefined : (asSchema(schema['items']) ?? {});
  const count = chance() < 0.3 ? min : min + upTo(chance, most - min);
  const list = Array.from({ length: items === undefined ? Math.min(count, first.length) : count }, (_, n) =>
    make(asSchema(first[n]) ?? items ?? {}, at, depth + 1),
  );
  if (schema['uniqueItems'] !== true) return list;
  return [...new Map(list.map((item) => [JSON.stringify(item), item])).values()];
}

function objectFor(schema: JsonSchema, at: At): Record<string, unknown> {
  const { root, chance, depth, optional } = at;
  const properties = propertiesOf(schema, root);
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : []);
  const made: Record<string, unknown> = {};
  for (const name of new Set([...properties.keys(), ...required])) {
    const isWanted = required.has(name) || (depth < MAX_DEPTH && chance() < optional);
    if (isWanted) made[name] = make(properties.get(name) ?? {}, at, depth + 1);
  }
  const others = asSchema(schema['additionalProperties']);
  const least = taken(at, numberIn(schema, 'minProperties', 0));
  const missing = Math.max(
    least - Object.keys(made).length,
    others && properties.size === 0 ? upTo(chance, 2) : 0,
  );
  for (let n = 0; n < missing; n++) made[`field${n + 1}`] = make(others ?? {}, at, depth + 1);
  return made;
}

/** A value that is probably refused: with a missing field, of another type, or out of range. */
export function spoilt(value: unknown, chance: Chance): unknown {
  const kind = upTo(chance, 3);
  if (kind > 0 && Array.isArray(value) && value.length > 0) {
    const n = upTo(chance, value.length - 1);
    return value.with(n, spoilt(value[n], chance));
  }
  if (kind > 0 && typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    const name = pick(chance, Object.keys(value));
    const { [name]: one, ...rest } = value as Record<string, unknown>;
    return kind === 1 ? rest : { ...rest, [name]: spoilt(one, chance) };
  }
  return pick(chance, [null, '', 'x', '12', -1, 1.5, 1e308, true, [], [null], {}, { a: 1 }]);
}

// --------------------------------------------------------------------------------------------------------- shrinking

/** Values that are a little simpler than this one, those with the most left out first. Repeated simplification ends. */
export function* simpler(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield* simplerTexts(value);
  else if (typeof value === 'number') yield* simplerNumbers(value);
  else if (value === true) yield false;
  else if (Array.isArray(value)) yield* simplerLists(value);
  else if (typeof value === 'object' && value !== null)
    yield* simplerObjects(value as Record<string, unknown>);
}

function* simplerTexts(text: string): Generator<string> {
  const signs = Array.from(text);
  if (signs.length === 0) return;
  yield '';
  for (let size = signs.length >> 1; size > 0; size >>= 1)
    for (let at = 0; at + size <= signs.length; at += size)
      yield [...signs.slice(0, at), ...signs.slice(at + size)].join('');
  for (const [at, sign] of signs.entries()) if (sign > 'a') yield signs.with(at, 'a').join('');
}

function* simplerNumbers(number: number): Generator<number> {
  if (number === 0) return;
  yield 0;
  if (number < 0) yield -number;
  const whole = Math.trunc(number);
  if (whole !== number) yield whole;
  for (let part = whole; Math.abs(part) >= 1; part = Math.trunc(part / 2)) {
    const next = whole - part;
    if (next !== 0 && Math.abs(next) < Math.abs(number)) yield next;
  }
}

function* simplerLists(list: readonly unknown[]): Generator<unknown[]> {
  if (list.length > 1) yield [];
  for (let at = 0; at < list.length; at++) yield list.toSpliced(at, 1);
  for (const [at, item] of list.entries()) for (const one of simpler(item)) yield list.with(at, one);
}

function* simplerObjects(object: Readonly<Record<string, unknown>>): Generator<Record<string, unknown>> {
  for (const name of Object.keys(object)) {
    const { [name]: _, ...rest } = object;
    yield rest;
  }
  for (const [name, value] of Object.entries(object))
    for (const one of simpler(value)) yield { ...object, [name]: one };
}
