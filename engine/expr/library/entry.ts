import { isRecord } from '#shared/json.ts';
import { WeftError } from '../../base/errors.ts';
import { aType } from '../read.ts';
import type { Facts, Regex } from '../tools.ts';

/** A kind of text argument that names something of a date, whose words the check knows. */
export type DateWord = 'unit' | 'zone' | 'format';

/** The common part of functions and methods, for docs, parser and analysis. */
export interface Entry {
  /** `name(a, b?, ...rest)`; the number of arguments is checked against it. */
  readonly signature: string;
  readonly doc: string;
  /** The first argument is a lambda; `elements` are the parameters that get the elements of the array. */
  readonly lambda?: { readonly elements: readonly number[] };
  /** The result is an element (or an array of elements) of the receiver or first argument, unchanged. */
  readonly gives?: 'same' | 'element';
  /** Whether the first argument is searched for among the elements of the receiver. */
  readonly seeks?: boolean;
  readonly returns: Returns;
  /**
   * The types that the arguments must have, by position; `any` and a missing entry accept any value. A unit, a zone and a format are
   * texts, which are checked before a run where they are literal.
   */
  readonly takes?: readonly ('string' | 'number' | 'array' | 'object' | 'any' | DateWord)[];
  /** The position of the argument that is a regular expression; `run` gets it compiled. */
  readonly pattern?: number;
  /** What changes without being read from the scope; `run` gets it before the arguments. */
  readonly reads?: 'start' | 'now' | 'random';
}

/**
 * The result type of a function or method, for `check`: a plain type, or how it follows from the receiver (of a function:
 * its first argument) and from the result of the lambda.
 *
 * `same`: an array of the same elements. `element`: one of them, or null. `fields`: an array of the fields of the object.
 * `made`: an array of the lambda's results; `opened`: of the elements of those. `folded`: the lambda's last result.
 * `joined`: an array of the elements and of the arguments.
 */
export type Returns =
  | 'any'
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'array'
  | 'object'
  | 'number or null'
  | 'string or null'
  | 'strings'
  | 'integers'
  | 'arrays'
  | 'same'
  | 'element'
  | 'fields'
  | 'made'
  | 'made, opened'
  | 'folded'
  | 'joined';

type Run = (...args: readonly unknown[]) => unknown;

/** A function of the library: `run`, or `bind` if it needs something of its surroundings. */
export type FunctionEntry = Entry & ({ readonly run: Run } | { readonly bind: (facts: Facts) => Run });

/** A method of values of a type; `of` is the function whose first argument the receiver is. */
export type MethodEntry<T> = Entry &
  ({ readonly run: (self: T, ...args: readonly unknown[]) => unknown } | { readonly of: FunctionEntry });

/** A compiled regular expression, and the steps that a character of text costs with it. */
export interface Pattern {
  readonly source: string;
  readonly regex: Regex;
  readonly cost: number;
}

/** A lambda as methods get it. */
export type Lambda = (...args: readonly unknown[]) => unknown;

/** Throws for a value of the wrong type. */
export function wrongType(message: string): never {
  throw new WeftError('expression_type', message);
}

/** The function that somebody means who gives this one what it does not take, as an addition to the error. */
export function otherFunction(name: string): string {
  return name === 'json' ? '; `toJson` writes a value as JSON' : '';
}

/** The argument as text; otherwise an error that names the function. */
export function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  return wrongType(`\`${name}\` needs text, but got ${aType(value)}${otherFunction(name)}.`);
}

/** The argument as number; otherwise an error that names the function. */
export function numberOf(value: unknown, name: string): number {
  return typeof value === 'number'
    ? value
    : wrongType(`\`${name}\` needs a number, but got ${aType(value)}.`);
}

/** The argument as number, or undefined if it was left out or is null. */
export function maybeNumber(value: unknown, name: string): number | undefined {
  return value === undefined || value === null ? undefined : numberOf(value, name);
}

/** The argument as array; otherwise an error that names the function. */
export function arrayOf(value: unknown, name: string): readonly unknown[] {
  return Array.isArray(value) ? value : wrongType(`\`${name}\` needs an array, but got ${aType(value)}.`);
}

/** The argument as object; otherwise an error that names the function. */
export function objectOf(value: unknown, name: string): object {
  if (isRecord(value)) return value;
  return wrongType(`\`${name}\` needs an object, but got ${aType(value)}.`);
}

/** The argument as lambda. The compiler guarantees it, except if the lambda is optional. */
export function lambdaOf(value: unknown, name: string): Lambda {
  return typeof value === 'function'
    ? (value as Lambda)
    : wrongType(`\`${name}\` needs a function: \`${name}(x => …)\`.`);
}

/** Functions as methods of their first argument. */
export function asMethods<T>(
  functions: Readonly<Record<string, FunctionEntry>>,
  names: readonly string[],
): Record<string, MethodEntry<T>> {
  return Object.fromEntries(names.map((name) => [name, asMethod<T>(functions[name] as FunctionEntry)]));
}

function asMethod<T>(of: FunctionEntry): MethodEntry<T> {
  const { signature, takes, doc, returns, gives } = of;
  return {
    signature: signature.replace(/\(\.?\w+(?:, )?/, '('),
    doc,
    returns,
    ...(gives && { gives }),
    ...(takes && { takes: takes.slice(1) }),
    of,
  };
}

/** How many arguments a signature allows. */
export function arityOf(signature: string): { min: number; max: number } {
  const inside = signature.slice(signature.indexOf('(') + 1, -1);
  // A comma inside the parentheses of a lambda separates the lambda's parameters.
  const params = inside
    .replace(/\([^)]*\)/g, '')
    .split(',')
    .filter((param) => param.trim() !== '');
  const rest = params.some((param) => param.includes('...'));
  const optional = params.filter((param) => param.endsWith('?') || param.includes('...'));
  return { min: params.length - optional.length, max: rest ? Infinity : params.length };
}
