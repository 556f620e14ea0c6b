import type { ErrorObject } from 'ajv/dist/2020.js';
import type { JsonSchema } from '#shared/json.ts';
import type { RequestProblem } from '../errors/errors.ts';
import { describe } from './problem-texts.ts';
import { alternatives, asSchema, propertiesOf, resolve, typesOf } from '#shared/json-schema.ts';

/** The validated value, and how it arrived. */
export interface Checked {
  readonly schema: JsonSchema;
  /** The received value, before coercion. */
  readonly raw: unknown;
  /** The value after coercion. */
  readonly value: unknown;
  /** Whether problems may show whole objects; a large one would be repeated in every problem. */
  readonly showsObjects: boolean;
  /** The part of the request that contains a field; without a name, the whole. */
  place(field?: string): 'query' | 'path' | 'body';
}

const MAX_PROBLEMS = 50;
/** Further errors are ignored, because sorting out unions compares errors with each other. */
const MAX_ERRORS = 500;
/** Texts in `input` are cut here. */
const MAX_INPUT_TEXT = 1_000;

type Path = readonly (string | number)[];

/** The errors of a validator as problems in declaration order, at most 50. */
export function toProblems(found: readonly ErrorObject[], checked: Checked): RequestProblem[] {
  const errors = found.slice(0, MAX_ERRORS);
  const unions = errors.filter((e) => e.keyword === 'anyOf' || e.keyword === 'oneOf');
  const places = errors
    .filter((e) => !isNoise(e, errors))
    .map((error) => ({ error, path: instancePath(error, checked.value) }))
    .map((place) => ({ ...place, rank: rankOf(place.path, checked.schema) }));
  places.sort((a, b) => compareRanks(a.rank, b.rank));
  const problems = places.flatMap(({ error, path }) =>
    problemsAt(error, path, { checked, label: unionLabel(error, unions, checked.schema) }),
  );
  return problems.slice(0, MAX_PROBLEMS);
}

/** Errors that Ajv adds on top of the real ones: `anyOf` over its branches, the null branch of an optional field. */
function isNoise(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (error.keyword === 'if') return true;
  const isUnion = error.keyword === 'anyOf' || (error.keyword === 'oneOf' && !error.params['passingSchemas']);
  const hasBranches = all.some((e) => e !== error && e.schemaPath.startsWith(`${error.schemaPath}/`));
  if (isUnion && hasBranches) return true;
  return (
    error.keyword === 'type' &&
    error.params['type'] === 'null' &&
    /\/(?:any|one)Of\/\d+\/type$/.test(error.schemaPath)
  );
}

function problemsAt(
  error: ErrorObject,
  path: Path,
  { checked, label }: { checked: Checked; label: string | undefined },
): RequestProblem[] {
  const input = error.keyword === 'required' ? missingInput(path, checked) : valueAt(checked.raw, path);
  const place = checked.place(typeof path[0] === 'string' ? path[0] : undefined);
  return describe(error, input).map(({ type, msg, ctx, label: ofType }) => {
    const tail = ofType ?? label;
    const loc = [place, ...path, ...(tail === undefined ? [] : [tail])];
    return { type, loc, msg, input: bounded(input, checked), ...(ctx && { ctx }) };
  });
}

/** For a missing field, `input` is the value that lacks it; for a query it is empty. */
function missingInput(path: Path, checked: Checked): unknown {
  const around = path.slice(0, -1);
  return around.length === 0 && checked.place(String(path[0])) !== 'body'
    ? null
    : valueAt(checked.raw, around);
}

function instancePath(error: ErrorObject, value: unknown): Path {
  const path: (string | number)[] = [];
  let at = value;
  for (const part of error.instancePath.split('/').slice(1)) {
    const key = Array.isArray(at) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(key);
    at = typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[key] : undefined;
  }
  const more: unknown =
    error.params['missingProperty'] ??
    error.params['additionalProperty'] ??
    error.params['unevaluatedProperty'];
  if (typeof more === 'string') path.push(more);
  return path;
}

function valueAt(raw: unknown, path: Path): unknown {
  let at = raw;
  for (const key of path) {
    // A single param stands for the array it was wrapped into.
    if (typeof at !== 'object' || at === null) return typeof key === 'number' ? at : null;
    at = Object.hasOwn(at, key) ? (at as Record<string | number, unknown>)[key] : null;
  }
  return at;
}

function bounded(input: unknown, { showsObjects }: Checked): unknown {
  if (typeof input === 'object' && !showsObjects) return null;
  if (typeof input === 'string' && input.length > MAX_INPUT_TEXT) return `${input.slice(0, MAX_INPUT_TEXT)}…`;
  return typeof input === 'number' && !Number.isFinite(input) ? null : (input ?? null);
}

/** In a union of several types, the one that the problem is about: `str`, `list[str]`. */
function unionLabel(
  error: ErrorObject,
  unions: readonly ErrorObject[],
  root: JsonSchema,
): string | undefined {
  const union = unions.findLast(
    (u) => error.schemaPath.startsWith(`${u.schemaPath}/`) && error.instancePath.startsWith(u.instancePath),
  );
  if (!union) return undefined;
  const branches = alternatives(asSchema(union.parentSchema) ?? {}, root) ?? [];
  if (branches.filter((b) => typesOf(b)?.[0] !== 'null').length < 2) return undefined;
  const branch = branches[Number.parseInt(error.schemaPath.slice(union.schemaPath.length + 1), 10)];
  return branch && typeLabel(branch, root);
}

const LABELS: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  object: 'dict',
};

function typeLabel(schema: JsonSchema, root: JsonSchema): string | undefined {
  const type = typesOf(schema)?.[0];
  if (type !== 'array') return type && LABELS[type];
  const items = asSchema(schema['items']);
  const inner = items && typeLabel(resolve(items, root), root);
  return inner ? `list[${inner}]` : 'list';
}

/** Positions in declaration order, level by level. */
function rankOf(path: Path, root: JsonSchema): number[] {
  let schema: JsonSchema | undefined = root;
  return path.map((key) => {
    const target: JsonSchema = schema ? resolve(schema, root) : {};
    if (typeof key === 'number') {
      schema = asSchema(target['items']);
      return key;
    }
    const properties = propertiesOf(target, root);
    schema = properties.get(key);
    const at = [...properties.keys()].indexOf(key);
    return at === -1 ? Number.MAX_SAFE_INTEGER : at;
  });
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
