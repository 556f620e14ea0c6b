import type { OperatorInfo } from '#shared/catalog.ts';
import type { JsonSchema } from '#shared/json.ts';
import { hasTemplate, type parseTemplate } from '../expr/index.ts';
import type { Path } from '../flow/field-path.ts';
import { fieldSchema, leafKind, leavesOutNull, secretReference } from '../flow/param-values.ts';
import { clashOf } from './clash.ts';
import { typeOfExpression } from './expression.ts';
import { fromSchema, typeOfJson } from './schema.ts';
import { ABSENT, arrayOf, objectOf, STRING, type Type, union, unionOf, UNKNOWN, without } from './type.ts';
import type { Fault, Scope } from './walk.ts';
import { shortType } from './words.ts';

/** A fault at its place in the params of a node; `start` counts from the start of the text there. */
export interface ParamFault extends Fault {
  readonly path: Path;
  readonly text: string;
}

/** The settings of one node, with what their types depend on. */
export interface ParamsOf {
  readonly info: OperatorInfo | undefined;
  readonly scope: Scope;
  /** The node fails if its params do. */
  readonly sure: boolean;
  readonly parse: typeof parseTemplate;
  readonly report: (fault: ParamFault) => unknown;
  /** Called with the types of the eager params before the types of the lazy ones are computed. */
  readonly onValues?: (types: ReadonlyMap<string, Type>) => void;
}

interface Place {
  readonly path: Path;
  /** `cases[].when`, as the catalog names lazy and literal params. */
  readonly pattern: string;
  readonly schema: JsonSchema | undefined;
  readonly lazy: boolean;
  /** Whether null omits it. */
  readonly optional?: boolean;
  /** Takes the types of a list param's elements; not set at deeper levels. */
  readonly types?: Map<string, Type> | undefined;
}

/**
 * The type of each param when its node runs, and as `name[0]` of each element of a list, with the results of expressions.
 * The params that the node gets as values come first, since the lazy ones may read what depends on them.
 */
export function paramTypes(
  of: ParamsOf,
  params: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, Type> {
  const types = new Map<string, Type>();
  const lazy = new Set(of.info?.lazyParams.map(paramOf));
  const names = Object.keys(params);
  const add = (name: string): void => {
    const schema = fieldSchema(of.info?.params, name);
    const optional = leavesOutNull(of.info?.params, name);
    const place: Place = { path: ['params', name], pattern: name, schema, lazy: false, optional, types };
    types.set(name, typeOfValue(of, params[name], place));
  };
  names.filter((name) => !lazy.has(name)).forEach(add);
  of.onValues?.(types);
  names.filter((name) => lazy.has(name)).forEach(add);
  return types;
}

/** The param that a pattern such as `cases[].when` starts with. */
function paramOf(pattern: string): string {
  return /^[^.[]+/.exec(pattern)?.[0] ?? pattern;
}

/** The params, with defaults for those that the node leaves out. */
export function withDefaults(
  params: Readonly<Record<string, unknown>> | undefined,
  info: OperatorInfo,
): Record<string, unknown> {
  const properties = (info.params['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const defaults = Object.entries(properties).filter(([, schema]) => schema['default'] !== undefined);
  return { ...Object.fromEntries(defaults.map(([name, schema]) => [name, schema['default']])), ...params };
}

function typeOfValue(of: ParamsOf, value: unknown, place: Place): Type {
  const { lazyParams = [], literalParams = [] } = of.info ?? {};
  const lazy = place.lazy || lazyParams.includes(place.pattern);
  if (!lazy && literalParams.includes(place.pattern)) return UNKNOWN;
  if (typeof value === 'string')
    return hasTemplate(value) ? typeOfText(of, value, { ...place, lazy }) : typeOfJson(value);
  if (typeof value !== 'object' || value === null) return typeOfJson(value);
  return typeOfParts(of, value, { ...place, lazy });
}

function typeOfParts(of: ParamsOf, value: object, place: Place): Type {
  if (Array.isArray(value)) {
    const schema = place.schema?.['items'] as JsonSchema | undefined;
    const { types, optional: _, ...above } = place;
    const pattern = `${place.pattern}[]`;
    const items = value.map((item, i) =>
      typeOfValue(of, item, { ...above, path: [...place.path, i], pattern, schema }),
    );
    items.forEach((type, i) => types?.set(`${place.pattern}[${i}]`, type));
    return arrayOf(unionOf(items));
  }
  const fields = Object.entries(value).map(([key, field]): [string, Type] => {
    const schema = fieldSchema(place.schema, key);
    const pattern = `${place.pattern}.${key}`;
    const optional = leavesOutNull(place.schema, key);
    const below = { ...place, path: [...place.path, key], pattern, schema, optional, types: undefined };
    return [key, typeOfValue(of, field, below)];
  });
  // A secret is filled in when the node runs.
  return secretReference(value) ? UNKNOWN : objectOf(fields);
}

function typeOfText(of: ParamsOf, text: string, place: Place): Type {
  const parsed = of.parse(text);
  if (!parsed.ok) return UNKNOWN;
  const { parts, whole } = parsed.template;
  // The operator may never evaluate a lazy param.
  const sure = of.sure && (!place.lazy || isEvaluated(of.info, place.pattern));
  let type: Type = STRING;
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const report = (fault: Fault) =>
      of.report({ ...fault, start: part.offset + fault.start, path: place.path, text });
    const found = typeOfExpression(part.ast, of.scope, report, sure);
    if (whole) type = found;
  }
  return place.lazy ? type : asParam(of, type, { ...place, text, sure });
}

function isEvaluated(info: OperatorInfo | undefined, pattern: string): boolean {
  const always = info?.infer?.evaluated ?? [];
  return always.some((name) => pattern === name || pattern.startsWith(`${name}.`));
}

/** The type that the operator receives for a value: text if it accepts text; for any other type the value is checked. */
function asParam(of: ParamsOf, type: Type, at: Place & { text: string; sure: boolean }): Type {
  const kind = leafKind(at.schema);
  if (kind === 'any') return type;
  if (kind === 'text') return STRING;
  const wanted = fromSchema(at.schema, of.info?.params);
  const mayBeLeftOut = at.optional === true && (type.any || type.null);
  const clash = clashOf(mayBeLeftOut ? without(type, 'null') : type, wanted);
  if (clash) {
    const message = `The param takes \`${shortType(wanted)}\`, but this gives \`${shortType(type)}\`.`;
    const certain = clash.certain && at.sure;
    of.report({ code: 'type-mismatch', message, start: 0, certain, path: at.path, text: at.text });
  }
  return mayBeLeftOut ? union(wanted, ABSENT) : wanted;
}
