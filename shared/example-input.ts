import type { JsonSchema } from './json.ts';
import { fileLimits } from './wait-form.ts';
import { alternatives, asSchema, defaultOf, propertiesOf, resolve, typesOf } from './json-schema.ts';

/** Deeper or recursive schemas get an empty value; an example is for people. */
const MAX_DEPTH = 5;

/**
 * A value to try a request with: what the schema gives as default, example or choice, else something plain of the right
 * type. An object has its required fields and those with a default. A pattern may still refuse it.
 */
export function exampleInput(schema: JsonSchema): unknown {
  return exampleOf(schema, { root: schema, name: 'text', depth: 0, isFull: false });
}

/** The same with the optional fields of the outermost object, for a form that shows them all. */
export function fullExample(schema: JsonSchema): unknown {
  return exampleOf(schema, { root: schema, name: 'text', depth: 0, isFull: true });
}

interface Place {
  readonly root: JsonSchema;
  /** The field, which also makes a telling text. */
  readonly name: string;
  readonly depth: number;
  /** Optional fields are filled in too. */
  readonly isFull: boolean;
}

type Example = (schema: JsonSchema, place: Place) => unknown;

const byType: Readonly<Record<string, Example>> = {
  integer: (schema) => exampleNumber(schema, Math.ceil),
  number: (schema) => exampleNumber(schema, (low) => low),
  boolean: () => true,
  null: () => null,
  array: exampleArray,
  object: exampleObject,
  string: (schema, { name }) => exampleText(schema, name),
};

function exampleOf(given: JsonSchema, place: Place): unknown {
  // Only a person has a file.
  if (fileLimits(resolve(given, place.root), place.root) !== undefined) return undefined;
  const said = statedValue(given, place.root);
  if (said) return said.value;
  const schema = resolve(given, place.root);
  const union = alternatives(schema, place.root)?.find((one) => typesOf(one)?.[0] !== 'null');
  const isFlat = place.depth < MAX_DEPTH;
  if (union && isFlat) return exampleOf(union, { ...place, depth: place.depth + 1 });
  const type =
    typesOf(schema)?.[0] ?? (isFlat && propertiesOf(schema, place.root).size > 0 ? 'object' : 'string');
  return byType[type]?.(schema, place);
}

/** What the author wrote down as a fitting value. */
function statedValue(given: JsonSchema, root: JsonSchema): { value: unknown } | undefined {
  const fill = defaultOf(given, root);
  if (fill) return { value: fill() };
  const schema = resolve(given, root);
  if ('const' in schema) return { value: schema['const'] };
  for (const key of ['examples', 'enum'] as const) {
    const values = schema[key];
    if (Array.isArray(values) && values.length > 0) return { value: values[0] as unknown };
  }
  return undefined;
}

/** The smallest that fits, or 1. `round` makes a limit a number of the wanted type. */
function exampleNumber(schema: JsonSchema, round: (low: number) => number): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : undefined;
  const low = typeof exclusiveMinimum === 'number' ? Math.floor(exclusiveMinimum) + 1 : minimum;
  const from = typeof low === 'number' ? round(low) : Math.min(step ?? 1, below(maximum, exclusiveMaximum));
  // Without the digits that a binary number adds to a decimal one.
  return step === undefined ? from : Number((Math.ceil(from / step) * step).toPrecision(12));
}

function below(maximum: unknown, exclusiveMaximum: unknown): number {
  if (typeof maximum === 'number') return Math.floor(maximum);
  return typeof exclusiveMaximum === 'number' ? Math.ceil(exclusiveMaximum) - 1 : Number.POSITIVE_INFINITY;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2025-01-31',
  'date-time': '2025-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'ada@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  hostname: 'example.com',
};

function exampleText({ format, minLength, maxLength }: JsonSchema, name: string): string {
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  if (known !== undefined) return known;
  const shortest = typeof minLength === 'number' ? Math.min(minLength, 1000) : 0;
  const text = name.padEnd(shortest, 'x');
  return typeof maxLength === 'number' ? text.slice(0, maxLength) : text;
}

function exampleArray(schema: JsonSchema, place: Place): unknown[] {
  if (place.depth >= MAX_DEPTH) return [];
  const { minItems } = schema;
  const length = typeof minItems === 'number' ? Math.min(Math.max(minItems, 1), 10) : 1;
  const items = asSchema(schema['items']) ?? {};
  const item = exampleOf(items, { ...place, depth: place.depth + 1 });
  return Array.from({ length }, () => item);
}

function exampleObject(schema: JsonSchema, place: Place): Record<string, unknown> {
  if (place.depth >= MAX_DEPTH) return {};
  const required = requiredOf(schema, place.root);
  const shown = [...propertiesOf(schema, place.root)].filter(
    ([name, property]) => place.isFull || required.has(name) || defaultOf(property, place.root) !== undefined,
  );
  const fields = shown.map(([name, property]) => [
    name,
    exampleOf(property, { root: place.root, name, depth: place.depth + 1, isFull: false }),
  ]);
  return Object.fromEntries(fields) as Record<string, unknown>;
}

function requiredOf(schema: JsonSchema, root: JsonSchema): Set<unknown> {
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'].map((part) => asSchema(part) ?? {}) : [];
  return new Set(
    [schema, ...parts.map((part) => resolve(part, root))].flatMap(({ required }) =>
      Array.isArray(required) ? (required as unknown[]) : [],
    ),
  );
}
