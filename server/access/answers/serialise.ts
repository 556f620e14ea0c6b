import { WeftError } from '#engine';
import { MAX_JSON_DEPTH } from '#shared/flow.ts';
import { isLongerJson } from '#shared/json-length.ts';

/** Largest answer, or item of a streamed one: characters of JSON or text, or bytes. */
export const MAX_ANSWER = 10_000_000;

/**
 * A value as JSON text. Unlike `JSON.stringify` alone it never writes null for a number that is not finite, and never
 * builds a text beyond the limit. A missing value is null.
 *
 * Throws `bad_number`, `value_too_large`, or `not_serialisable` (BigInt, function, cycle, class instance, over 200
 * levels), naming the place in the value.
 */
export function toJson(value: unknown): string {
  if (typeof value === 'string') {
    if (value.length > MAX_ANSWER) throw tooLarge();
    return JSON.stringify(value);
  }
  if (value === undefined || value === null) return 'null';
  assertJson(value, [], newBudget());
  return JSON.stringify(value);
}

/** A value as plain text: texts unchanged, null as the empty text, objects and arrays as JSON. */
export function toPlainText(value: unknown): string {
  if (typeof value !== 'string') return value === null || value === undefined ? '' : toJson(value);
  if (value.length > MAX_ANSWER) throw tooLarge();
  return value;
}

/** Items of a stream as one list. */
export async function collect(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  const budget = newBudget();
  for await (const item of stream) {
    assertJson(item, [items.length], budget);
    items.push(item);
  }
  return items;
}

/** Characters that a value may still have. */
interface Budget {
  left: number;
  /** The remaining size at the start of the value being checked, and that value. */
  start: number;
  root: unknown;
  /** Below this remaining size, the check looks whether the whole value can fit within the limit. */
  lookAt: number;
}

/** Characters above which a value counts as large. */
const LARGE = 100_000;

function newBudget(): Budget {
  return { left: MAX_ANSWER, start: MAX_ANSWER, root: undefined, lookAt: 0 };
}

type Path = readonly (string | number)[];

/** The path is joined only if something is wrong, so `at` is pushed and popped along the way. */
function assertJson(value: unknown, path: Path, budget: Budget): void {
  budget.start = budget.left;
  budget.root = value;
  budget.lookAt = Math.max(0, budget.left - LARGE);
  walk(value, [...path], budget);
}

function walk(value: unknown, at: (string | number)[], budget: Budget): void {
  spend(budget, 2);
  switch (typeof value) {
    case 'string':
      return spend(budget, value.length);
    case 'number':
      if (Number.isFinite(value)) return;
      throw new WeftError(
        'bad_number',
        `The answer contains a number that JSON cannot represent: ${value}${place(at)}.`,
      );
    case 'boolean':
    case 'undefined':
      return;
    case 'object':
      if (value !== null) walkObject(value, at, budget);
      return;
    default:
      throw unserialisable(`a ${typeof value}`, at);
  }
}

function walkObject(value: object, at: (string | number)[], budget: Budget): void {
  if (at.length >= MAX_JSON_DEPTH) throw unserialisable('a cycle, or more than 200 levels', at.slice(0, 5));
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) walkPart(value[i], i, at, budget);
    return;
  }
  if (value instanceof Date) return;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw unserialisable(kindOf(value), at);
  for (const key of Object.keys(value)) {
    spend(budget, key.length + 2);
    walkPart((value as Record<string, unknown>)[key], key, at, budget);
  }
}

function walkPart(value: unknown, key: string | number, at: (string | number)[], budget: Budget): void {
  at.push(key);
  walk(value, at, budget);
  at.pop();
}

function spend(budget: Budget, size: number): void {
  budget.left -= size;
  if (budget.left < budget.lookAt) lookAhead(budget);
}

/** A value that contains the same part in very many places would be walked for seconds before it proves too large. */
function lookAhead(budget: Budget): void {
  budget.lookAt = 0;
  if (budget.left < 0 || isLongerJson(budget.root, budget.start)) throw tooLarge();
}

function kindOf(value: object): string {
  if (Symbol.asyncIterator in value) return 'a stream';
  return ArrayBuffer.isView(value)
    ? 'binary data, which `response.as: bytes` of the trigger or a Respond node can send,'
    : `an object of the class ${value.constructor?.name ?? '?'}`;
}

function unserialisable(what: string, at: Path): WeftError {
  return new WeftError(
    'not_serialisable',
    `The answer contains something that JSON cannot represent: ${what}${place(at)}.`,
  );
}

function tooLarge(): WeftError {
  return new WeftError('value_too_large', 'The answer is larger than 10 MB.');
}

function place(at: Path): string {
  return at.length === 0 ? '' : ` at ${at.join('.')}`;
}
