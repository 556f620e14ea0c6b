import { expect, test } from 'vitest';
import type { OperatorInfo } from '#shared/catalog.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import type { Problem } from '#shared/problem.ts';
import { check, settingAt } from '#engine/check';
import { faultOf, paramFields } from '../../editor/model/form/schema-form.ts';
import { builtIns } from '../../engine/testing/play.ts';
import { shippedRegistry } from '../../server/integrations/services/shipped.ts';

const catalog = { operators: { ...builtIns.catalog.operators, ...shippedRegistry().catalog.operators } };
const operators = Object.values(catalog.operators);
const world = { routes: [], variables: undefined, secrets: undefined };

type Path = readonly (string | number)[];
interface Break {
  readonly path: Path;
  readonly value: unknown;
}

const MOST_LENGTH = 20_000;

/** A value that a schema refuses for each thing that it asks for. */
function breaksOf(schema: JsonSchema, path: Path, depth = 0): Break[] {
  if (depth > 4) return [];
  const at = (value: unknown): Break => ({ path, value });
  const { type, minLength, maxLength, minimum, maximum, minItems, maxItems, pattern } = schema as Record<
    string,
    never
  >;
  const found: Break[] = [];
  const kinds: unknown[] = [type].flat();
  const wrong = kinds.includes('string') ? [7, true, {}, []] : ['no {}', false, { odd: 1 }, ['odd']];
  if (type !== undefined || schema['anyOf'] !== undefined) found.push(...wrong.map(at));
  if (schema['enum'] !== undefined || schema['const'] !== undefined) found.push(at('none of them'));
  if (typeof minLength === 'number') found.push(at(''), at('a'.repeat(Math.max(0, minLength - 1))));
  if (typeof maxLength === 'number' && maxLength <= MOST_LENGTH) found.push(at('a'.repeat(maxLength + 1)));
  if (pattern !== undefined || schema['format'] !== undefined) found.push(at(' \u0000[]{}?# :"\\'));
  if (typeof minimum === 'number') found.push(at(minimum - 1), at(minimum + 0.5));
  if (typeof maximum === 'number') found.push(at(maximum + 1));
  if (typeof minItems === 'number') found.push(at([]));
  const items = isRecord(schema['items']) ? schema['items'] : undefined;
  if (typeof maxItems === 'number' && maxItems <= 1000) found.push(at(Array(maxItems + 1).fill(null)));
  if (items) found.push(...breaksOf(items, [...path, 0], depth + 1));
  for (const [name, part] of Object.entries(isRecord(schema['properties']) ? schema['properties'] : {})) {
    found.push({ path: [...path, name], value: undefined });
    found.push(...breaksOf(part as JsonSchema, [...path, name], depth + 1));
  }
  if (isRecord(schema['properties'])) found.push({ path: [...path, 'oddly_named'], value: 1 });
  if (isRecord(schema['additionalProperties'])) {
    found.push(...breaksOf(schema['additionalProperties'], [...path, 'given'], depth + 1));
    if (isRecord(schema['propertyNames'])) found.push({ path: [...path, ' "\u0000\\'], value: '1' });
  }
  for (const branch of [schema['anyOf'], schema['oneOf']].flat())
    if (isRecord(branch)) found.push(...breaksOf(branch, path, depth + 1));
  return found;
}

function broken(given: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === 'number') return [broken(Array.isArray(given) ? given[0] : undefined, rest, value)];
  const around = isRecord(given) ? given : {};
  return { ...around, [key]: broken(around[key], rest, value) };
}

function problemsWith(info: OperatorInfo, params: unknown): readonly Problem[] {
  const nodes = { it: { operator: info.type, params: params as Record<string, unknown> } };
  return check({ format: 1, id: 'f', nodes, edges: [] }, catalog, world).filter(({ field = '' }) =>
    field.startsWith('params'),
  );
}

const JSON_SCHEMA_WORDS =
  /params[.[]|must match|one of the allowed|additionalProperties|Invalid (?:input|string|option)|expected |, received|undefined|too (?:small|big)|unrecognized|\bzod\b|regex|its help says|possible forms/i;
/** Their texts are of other rules, which have tests of their own. */
const OTHER_CODES = new Set(['bad-schema', 'type-mismatch', 'expression-syntax']);

test.each(operators)(
  'what is wrong with a setting of $type is a sentence that says what to write',
  (info) => {
    const example = info.examples.find(({ error }) => !error)?.params ?? {};
    const breaks = breaksOf(info.params, []);
    let told = 0;
    for (const { path, value } of breaks) {
      for (const problem of problemsWith(info, broken(example, path, value))) {
        if (OTHER_CODES.has(problem.code)) continue;
        told++;
        const about = `${path.join('.')} = ${JSON.stringify(value)?.slice(0, 60)}: ${problem.message}`;
        expect(problem.message, about).not.toMatch(JSON_SCHEMA_WORDS);
        expect(problem.message, about).toMatch(/^\S.*\.$|^\S.*\?$/s);
      }
    }
    expect(told > 0 || breaks.length <= 1).toBe(true);
  },
);

test.each(operators)('what a form of $type says beside a field is a sentence too', (info) => {
  for (const field of paramFields(info))
    for (const { path, value } of breaksOf(field.schema, []))
      if (path.length === 0) {
        const said = faultOf(field, value) ?? 'Nothing is wrong.';
        const about = `${field.name} = ${JSON.stringify(value)?.slice(0, 60)}`;
        expect(said, about).not.toMatch(JSON_SCHEMA_WORDS);
        expect(said, about).toMatch(/^[A-Z].*\.$/s);
      }
});

test.each(operators)('a problem of a setting of $type is named by its label, not by its key', (info) => {
  for (const name of Object.keys(isRecord(info.params['properties']) ? info.params['properties'] : {})) {
    const { label } = settingAt(info.params, [name]);
    for (const problem of problemsWith(info, { [name]: [{ odd: [] }] })) {
      if (problem.label === undefined || problem.field !== `params.${name}`) continue;
      expect(problem.label).toBe(label);
      expect(problem.message.startsWith(`${label}: `), problem.message).toBe(true);
    }
  }
});

test('a label leads from the outermost setting to the innermost', () => {
  const info = catalog.operators['logic.switch'] as OperatorInfo;
  expect(settingAt(info.params, ['cases', 1, 'when']).label).toBe('Case 2 › When');
  expect(settingAt(info.params, ['if nothing']).label).toBe('if nothing');
});
