import type { OperatorInfo } from '#shared/catalog.ts';
import type { JsonSchema } from '#shared/json.ts';
import { fieldSchema, leafKind, leavesOutNull } from '../flow/param-values.ts';
import { WeftError } from '../base/errors.ts';
import { compileTemplate, type Env, hasTemplate, parseTemplate, toText } from '../expr/index.ts';
import type { Lazy, Operator } from '../base/operator.ts';
import type { StepScope } from './plan.ts';

/**
 * The params of a node as far as they are known before a run: constants are parsed once, the others become one closure.
 *
 * A text with `{{ }}` is evaluated per run. If the operator accepts any value, the result keeps its type; if it accepts text, the
 * result becomes text; otherwise (numbers, enums, …) all params are parsed again with the evaluated values. An optional param
 * that does not accept null is omitted if its expression results in null.
 */
export interface CompiledParams {
  readonly params: unknown;
  readonly makeParams: ((scope: StepScope) => unknown) | undefined;
}

type Maker = (scope: StepScope) => unknown;
/** A constant, or a function of the scope. */
type Part = { readonly value: unknown } | { readonly make: Maker };

interface Field {
  /** `cases[].when`: without array indexes, to compare with the catalog. */
  readonly pattern: string;
  /** `params.cases[0].when`: for error messages. */
  readonly path: string;
  readonly schema: JsonSchema | undefined;
  /** Whether null omits the field. */
  readonly optional?: boolean;
}

interface Context {
  readonly info: OperatorInfo;
  readonly env: Env<StepScope>;
  /** Lazy params become functions; off while the raw values still must be parsed. */
  readonly lazies: boolean;
  /** Set when a dynamic value has a place where its type matters. */
  mustParse: boolean;
}

/** Compiles the params of a node. Throws `bad_params` for constant values that do not fit, `flow_invalid` for a bad expression. */
export function compileParams(
  given: Record<string, unknown>,
  operator: Operator,
  info: OperatorInfo,
  env: Env<StepScope>,
): CompiledParams {
  // Defaults may contain expressions too, so they are compiled like the author's values.
  const raw = { ...paramDefaults(info), ...given };
  const root: Field = { pattern: '', path: 'params', schema: info.params };
  const parsed = operator.params.safeParse(raw);
  if (parsed.success) {
    const context = { info, env, lazies: true, mustParse: false };
    const part = compileValue(parsed.data, root, context);
    if (!context.mustParse) return fromPart(part);
  }
  const context = { info, env, lazies: false, mustParse: true };
  const part = compileValue(raw, root, context);
  // The value is the same in every run, so a mistake is known now.
  if (!('make' in part)) parseParams(operator, part.value);
  const make = 'make' in part ? part.make : () => part.value;
  const attach = compileLazies(raw, root, { ...context, lazies: true });
  return { params: undefined, makeParams: (scope) => attach(parseParams(operator, make(scope)), scope) };
}

function paramDefaults(info: OperatorInfo): Record<string, unknown> {
  const properties = (info.params['properties'] ?? {}) as Record<string, JsonSchema>;
  const withDefault = Object.entries(properties).filter(([, schema]) => schema['default'] !== undefined);
  return Object.fromEntries(withDefault.map(([name, schema]) => [name, schema['default']]));
}

function fromPart(part: Part): CompiledParams {
  return 'make' in part
    ? { params: undefined, makeParams: part.make }
    : { params: part.value, makeParams: undefined };
}

function parseParams(operator: Operator, value: unknown): unknown {
  const parsed = safeParse(operator, value);
  if (parsed.success) return parsed.data;
  throw parsed.error;
}

/** A value from an expression may throw when it is inspected, even while zod describes what is wrong with it. */
function safeParse(operator: Operator, value: unknown) {
  try {
    const parsed = operator.params.safeParse(value);
    return parsed.success ? parsed : { success: false as const, error: paramsError(parsed.error.issues) };
  } catch {
    throw new WeftError('bad_params', 'params: one of the values cannot be read', { field: 'params' });
  }
}

function paramsError(issues: readonly { path: PropertyKey[]; message: string }[]): WeftError {
  const issue = issues[0];
  const field = ['params', ...(issue?.path ?? [])].map(String).join('.');
  return new WeftError('bad_params', `${field}: ${issue?.message ?? 'not valid'}`, { field });
}

// ------------------------------------------------------------------------------------------------ values to parts

function compileValue(value: unknown, field: Field, context: Context): Part {
  if (context.info.literalParams.includes(field.pattern)) return { value };
  if (context.info.lazyParams.includes(field.pattern)) return compileLazyField(value, field, context);
  if (typeof value === 'string') return hasTemplate(value) ? compileText(value, field, context) : { value };
  if (Array.isArray(value)) return compileArray(value, field, context);
  if (typeof value === 'object' && value !== null) return compileObject(value, field, context);
  return { value };
}

function compileText(text: string, field: Field, context: Context): Part {
  const kind = leafKind(field.schema);
  if (kind === 'typed') context.mustParse = true;
  const { evaluate, constant } = templateEvaluator(text, field, context.env);
  const make: Maker =
    kind === 'text' ? textMaker(evaluate, field.path) : field.optional ? withoutNull(evaluate) : evaluate;
  return constant ? folded(make) : { make };
}

/** The value, made once. If that fails, the run fails, at the node of the param. */
function folded(make: Maker): Part {
  try {
    return { value: make(undefined as never) };
  } catch {
    return { make };
  }
}

function withoutNull(evaluate: Maker): Maker {
  return (scope) => evaluate(scope) ?? undefined;
}

function textMaker(evaluate: Maker, path: string): Maker {
  return (scope) => {
    const value = evaluate(scope);
    if (typeof value === 'string') return value;
    try {
      return toText(value);
    } catch (error) {
      throw errorAt(error, path);
    }
  };
}

function compileArray(items: unknown[], field: Field, context: Context): Part {
  const schema = field.schema?.['items'] as JsonSchema | undefined;
  const parts = items.map((item, i) =>
    compileValue(item, { pattern: `${field.pattern}[]`, path: `${field.path}[${i}]`, schema }, context),
  );
  if (parts.every((p) => 'value' in p))
    return { value: items.map((_, i) => (parts[i] as { value: unknown }).value) };
  return { make: (scope) => parts.map((p) => ('make' in p ? p.make(scope) : p.value)) };
}

function compileObject(record: object, field: Field, context: Context): Part {
  const keys = Object.keys(record);
  const parts = keys.map((key) =>
    compileValue((record as Record<string, unknown>)[key], below(field, key), context),
  );
  if (parts.every((p) => 'value' in p)) {
    return {
      value: Object.freeze(
        Object.fromEntries(keys.map((k, i) => [k, (parts[i] as { value: unknown }).value])),
      ),
    };
  }
  return { make: recordMaker(keys, parts) };
}

function recordMaker(keys: readonly string[], parts: readonly Part[]): Maker {
  const only = parts[0];
  const key = keys[0] as string;
  // The hot case (a map, a template): one field, no loop.
  if (parts.length === 1 && only && 'make' in only) {
    const { make } = only;
    if (key === 'value') return (scope) => ({ value: make(scope) });
    return (scope) => ({ [key]: make(scope) });
  }
  return (scope) => {
    const record: Record<string, unknown> = {};
    for (let i = 0; i < keys.length; i++) {
      const part = parts[i] as Part;
      record[keys[i] as string] = 'make' in part ? part.make(scope) : part.value;
    }
    return record;
  };
}

function below(field: Field, key: string): Field {
  return {
    pattern: field.pattern === '' ? key : `${field.pattern}.${key}`,
    path: `${field.path}.${key}`,
    schema: fieldSchema(field.schema, key),
    optional: leavesOutNull(field.schema, key),
  };
}

// -------------------------------------------------------------------------------------------------- lazy params

function compileLazyField(value: unknown, field: Field, context: Context): Part {
  if (!context.lazies || value === undefined) return { value };
  const evaluate = lazyEvaluator(value, field, context);
  return { make: (scope) => lazyFor(scope, evaluate) };
}

function lazyEvaluator(value: unknown, field: Field, context: Context): Maker {
  // Inside a lazy param everything is evaluated together, whatever its shape.
  const part = compileValue(value, { ...field, pattern: '\0', schema: undefined }, context);
  return 'make' in part ? part.make : () => part.value;
}

function lazyFor(scope: StepScope, evaluate: Maker): Lazy {
  return (local) => {
    if (local === undefined) return evaluate(scope);
    const { item, index, acc } = scope;
    scope.item = local.item;
    scope.index = local.index;
    scope.acc = local.acc;
    try {
      return evaluate(scope);
    } finally {
      scope.item = item;
      scope.index = index;
      scope.acc = acc;
    }
  };
}

/** For params that are parsed per run: puts the functions into the parsed value. */
function compileLazies(
  raw: unknown,
  root: Field,
  context: Context,
): (data: unknown, scope: StepScope) => unknown {
  const found: { path: (string | number)[]; evaluate: Maker }[] = [];
  const visit = (value: unknown, field: Field, path: (string | number)[]): void => {
    if (context.info.lazyParams.includes(field.pattern)) {
      if (value !== undefined) found.push({ path, evaluate: lazyEvaluator(value, field, context) });
    } else if (Array.isArray(value)) {
      value.forEach((v, i) => {
        visit(v, { ...field, pattern: `${field.pattern}[]`, path: `${field.path}[${i}]` }, [...path, i]);
      });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, v] of Object.entries(value)) visit(v, below(field, key), [...path, key]);
    }
  };
  visit(raw, root, []);
  return (data, scope) => {
    for (const { path, evaluate } of found) putAt(data, path, lazyFor(scope, evaluate));
    return data;
  };
}

function putAt(root: unknown, path: readonly (string | number)[], value: unknown): void {
  let holder = root as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>;
  holder[path.at(-1) as string | number] = value;
}

// --------------------------------------------------------------------------------------------------- templates

/** Compiles a text with `{{ }}` to a function of the scope. Throws `flow_invalid`, which names the field. */
export function templateEvaluator(
  text: string,
  field: Field,
  env: Env<StepScope>,
): { evaluate: Maker; constant: boolean } {
  const parsed = parseTemplate(text);
  const compiled = parsed.ok ? compileTemplate(parsed.template, env) : parsed;
  if (!compiled.ok) {
    throw new WeftError('flow_invalid', `${field.path}: ${compiled.errors[0]?.message ?? 'bad expression'}`, {
      field: field.path,
    });
  }
  const { evaluate } = compiled;
  const named: Maker = (scope) => {
    try {
      return evaluate(scope);
    } catch (error) {
      throw errorAt(error, field.path);
    }
  };
  return { evaluate: named, constant: compiled.constant };
}

/** Expressions throw only coded errors; any other error comes from a value that is not plain, such as a field that throws. */
function errorAt(error: unknown, field: string): WeftError {
  if (!(error instanceof WeftError))
    return new WeftError('bad_input', 'The expression read a value that cannot be read.', { field });
  if (error.field !== undefined) return error;
  const { code, message, data, transient } = error;
  return new WeftError(code, message, { field, data, transient });
}
