import type { Plan, TriggerRequest } from '#engine';
import type { JsonSchema } from '#shared/json.ts';
import { asSchema, isHidden, resolve } from '#shared/json-schema.ts';
import { ServiceError } from '../errors/errors.ts';
import { createRedactor, MASK, type Redactor } from './redactor.ts';

/** The input of a run. */
interface Begun {
  readonly output: unknown;
  readonly request: TriggerRequest;
}

/**
 * Masks also the values of hidden fields (`format: password`, `writeOnly`) of a run's request, besides what `base`
 * masks; `base` itself if there are none.
 */
export function maskHidden(
  plan: Plan,
  { output, request }: Begun,
  base: Redactor = createRedactor(),
): Redactor {
  const values = hiddenValues(plan, { output, request });
  return values.length === 0 ? base : base.with(values);
}

/** The values to be masked there. */
export function hiddenValues(plan: Plan, { output, request }: Begun): string[] {
  if (!plan.hidesFields) return [];
  const schema = asSchema(plan.params['request']) ?? {};
  const values = new Set<string>();
  // Both as converted for the flow and as sent: a number may have been a text.
  for (const place of [output, request.body, request.query, request.params])
    for (const value of hiddenIn(schema, place)) values.add(String(value));
  return [...values];
}

/** Throws `hidden_input` if a hidden field contains the mask of a record, so that the run needs the real value. */
export function checkHidden(plan: Plan, input: unknown): void {
  if (!plan.hidesFields) return;
  const schema = asSchema(plan.params['request']) ?? {};
  if (![...hiddenIn(schema, input)].includes(MASK)) return;
  throw hiddenInput(plan);
}

/** The error for an input whose hidden fields are needed but not stored. */
export function hiddenInput({ trigger }: Plan): ServiceError {
  return new ServiceError(
    'hidden_input',
    `The input of \`${trigger}\` has fields whose values are not stored (password, writeOnly): send it whole as \`input\`.`,
    { param: 'input' },
  );
}

type Scalar = string | number | bigint;

/** The texts and numbers in the hidden fields of a value, wherever its schema may refer to them. */
function* hiddenIn(schema: JsonSchema, value: unknown): Generator<Scalar> {
  yield* walk({ schema, root: schema, value, depth: 0 });
}

interface At {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
  readonly value: unknown;
  readonly depth: number;
}

/** Deeper than any schema of the dialect. */
const MAX_DEPTH = 64;
const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf'] as const;
const CONDITIONS = ['if', 'then', 'else'] as const;

function* walk(at: At): Generator<Scalar> {
  const { root, value, depth } = at;
  if (value === null || value === undefined || depth > MAX_DEPTH) return;
  const schema = resolve(at.schema, root);
  if (isHidden(schema)) return yield* scalarsIn(value, 0);
  for (const other of alternativesOf(schema)) yield* walk({ ...at, schema: other, depth: depth + 1 });
  if (typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value))
    for (const part of Array.isArray(value) ? itemsOf(schema) : fieldOf(schema, key))
      yield* walk({ root, schema: part, value: inner, depth: depth + 1 });
}

function alternativesOf(schema: JsonSchema): JsonSchema[] {
  const lists: unknown[] = ALTERNATIVES.flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []));
  return [...lists, ...CONDITIONS.map((key) => schema[key])].flatMap(schemaOf);
}

function itemsOf(schema: JsonSchema): JsonSchema[] {
  const listed: unknown[] = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
  return [...listed, schema['items'], schema['contains']].flatMap(schemaOf);
}

/** Patterns are not tried: any of them may refer to a field. */
function fieldOf(schema: JsonSchema, key: string): JsonSchema[] {
  const named = asSchema(schema['properties']) ?? {};
  const own: unknown[] = Object.hasOwn(named, key) ? [named[key]] : [schema['additionalProperties']];
  return [...own, ...Object.values(asSchema(schema['patternProperties']) ?? {})].flatMap(schemaOf);
}

function schemaOf(value: unknown): JsonSchema[] {
  const schema = asSchema(value);
  return schema === undefined ? [] : [schema];
}

function* scalarsIn(value: unknown, depth: number): Generator<Scalar> {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') yield value;
  else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH)
    for (const inner of Object.values(value)) yield* scalarsIn(inner, depth + 1);
}
