import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { createRequire } from 'node:module';
import type * as Ajv from 'ajv/dist/2020.js';
import type { Ajv2020, ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv/dist/2020.js';
import type { RE2JS } from 're2js';
import { FILE_FORMAT, HANDLE } from '#shared/file.ts';
import { type JsonSchema, sortedJson } from '#shared/json.ts';
import { formats } from './formats.ts';
import { linearEngine } from './linear-engine.ts';
import { plainCheck } from './plain-schema.ts';

/**
 * JSON Schema (draft 2020-12) validators for `request` schemas, by Ajv. A schema comes from a flow's author and
 * values from anyone, so patterns run on a linear-time engine, formats are our own, and `uniqueItems` does not
 * compare all pairs.
 *
 * Compiling takes about a millisecond and happens at the first request that needs it: for an everyday schema
 * (`plain-schema.ts`) that is the first one with problems, and Ajv is loaded no sooner. The code that reports all
 * problems is compiled at the first request that has any. Validators are shared by content.
 */
export interface Validator {
  accepts(value: unknown): boolean;
  /** Errors of a value that `accepts` refused; with `all` every one, otherwise the first. */
  errors(value: unknown, all: boolean): readonly ErrorObject[];
}

const KEPT = 2_000;
/** Ajv retains data about everything it compiled; replacing the instance from time to time frees that. */
const COMPILES_PER_INSTANCE = 200;

const validators = new Map<string, Validator>();

/** Throws an error with the reason if the schema is invalid, or has a pattern that cannot run in linear time. */
export function validatorFor(schema: JsonSchema): Validator {
  const key = hash('sha256', JSON.stringify(schema));
  const found = validators.get(key);
  // Removed and added again, so that the first in the map is the least recently used.
  validators.delete(key);
  const validator = found ?? makeValidator(schema);
  validators.set(key, validator);
  if (validators.size > KEPT) validators.delete(validators.keys().next().value as string);
  return validator;
}

function makeValidator(schema: JsonSchema): Validator {
  const plain = { ...schema };
  // Both would be looked up in, or added to, the data of the instance.
  delete (plain as Record<string, unknown>)['$schema'];
  delete (plain as Record<string, unknown>)['$id'];
  const isPlain = plainCheck(plain);
  let first = isPlain ? undefined : compileFirst(plain);
  let every: ValidateFunction | undefined;
  return {
    accepts: (value) => isPlain?.(value) || ((first ??= compileFirst(plain))(value) as boolean),
    errors(value, all) {
      const validate = all ? (every ??= compileEvery(plain)) : (first ??= compileFirst(plain));
      return validate(value) ? [] : (validate.errors ?? []);
    },
  };
}

const compileFirst = compiler(false);
const compileEvery = compiler(true);

function compiler(allErrors: boolean): (schema: JsonSchema) => ValidateFunction {
  let ajv: Ajv2020 | undefined;
  let compiled = 0;
  return (schema) => {
    if (!ajv || compiled++ % COMPILES_PER_INSTANCE === 0) ajv = newAjv(allErrors);
    const written = withFiles(schema) as JsonSchema;
    const validate = ajv.compile(written);
    ajv.removeSchema(written);
    return validate;
  };
}

/** A file is an object with a handle; to Ajv the format means nothing for objects. */
function withFiles(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(withFiles);
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withFiles(value)]));
  if (inner['format'] !== FILE_FORMAT || inner['type'] !== 'object') return inner;
  const { format: _, accept, maxBytes, ...others } = inner;
  return {
    ...others,
    required: ['$file'],
    properties: {
      $file: { type: 'string', pattern: HANDLE.source },
      ...(typeof maxBytes === 'number' && { bytes: { maximum: maxBytes } }),
      ...(Array.isArray(accept) && accept.length > 0 && { type: { pattern: typePattern(accept) } }),
    },
  };
}

/** Media types, such as `image/*`. */
function typePattern(accept: readonly unknown[]): string {
  const escaped = accept.map((one) =>
    String(one)
      .toLowerCase()
      .replaceAll(/[^\w/*-]/g, '\\$&'),
  );
  return `^(?:${escaped.map((one) => one.replace(/\*$/, '.*')).join('|')})$`;
}

const require = createRequire(import.meta.url);

function newAjv(allErrors: boolean): Ajv2020 {
  const loaded = require('ajv/dist/2020.js') as typeof Ajv;
  const ajv = new loaded.Ajv2020({
    allErrors,
    strict: false,
    strictNumbers: false,
    ownProperties: true,
    verbose: true,
    logger: false,
    formats,
    code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
  });
  for (const keyword of [uniqueItems, multipleOf(loaded)])
    ajv.removeKeyword(keyword.keyword).addKeyword(keyword);
  return ajv;
}

const PATTERNS_KEPT = 2_000;
const patterns = new Map<string, RE2JS>();

/**
 * A pattern may take some milliseconds, and both validators of a schema need it. Throws if it cannot run in linear
 * time.
 */
function compiledPattern(pattern: string): RE2JS {
  const compiled = patterns.get(pattern) ?? compilePattern(pattern);
  patterns.delete(pattern);
  patterns.set(pattern, compiled);
  if (patterns.size > PATTERNS_KEPT) patterns.delete(patterns.keys().next().value as string);
  return compiled;
}

function compilePattern(pattern: string): RE2JS {
  const engine = linearEngine();
  return engine.compile(engine.translateRegExp(pattern));
}

/**
 * Compiles the patterns of a schema one per turn, so that no request has to wait for
 * all of them. A pattern that cannot be compiled is found again when the schema is used.
 */
export async function preparePatterns(schema: unknown): Promise<void> {
  for (const pattern of patternsIn(schema)) {
    if (patterns.has(pattern)) continue;
    try {
      compiledPattern(pattern);
    } catch {
      return;
    }
    await setImmediate();
  }
}

function* patternsIn(schema: unknown): Generator<string> {
  const open = [schema];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const { pattern, patternProperties } = next as { pattern?: unknown; patternProperties?: unknown };
    if (typeof pattern === 'string') yield pattern;
    if (typeof patternProperties === 'object') yield* Object.keys(patternProperties ?? {});
    open.push(...Object.values(next));
  }
}

function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  const compiled = compiledPattern(pattern);
  // Ajv distinguishes patterns by their text.
  return { test: (text) => compiled.test(text), toString: () => pattern };
}

const uniqueItems = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  validate: (wanted: boolean, list: readonly unknown[]) =>
    !wanted || new Set(list.map(sortedJson)).size === list.length,
  error: { message: 'must not have equal items' },
} satisfies FuncKeywordDefinition;

const multipleOf = ({ _ }: typeof Ajv) =>
  ({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: isMultiple,
    error: {
      message: ({ schema }) => `must be multiple of ${schema}`,
      params: ({ schema }) => _`{ multipleOf: ${schema} }`,
    },
  }) satisfies FuncKeywordDefinition;

/** Each of a decimal number, its step and their quotient is off by half a unit in its last place at most. */
const ROUNDING = 1.5 * Number.EPSILON;

/** 143.48 is a multiple of 0.01, although the quotient of the two binary numbers is none. */
function isMultiple(step: number, value: number): boolean {
  if (value % step === 0) return true;
  if (Number.isInteger(step) && Number.isInteger(value)) return false;
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * ROUNDING;
}
