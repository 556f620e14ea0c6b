import { expect, test } from 'vitest';
import { z } from 'zod';
import { WeftError } from '../base/errors.ts';
import { defineOperator, input, lazy, literal, manyInput, type Operator, output } from '../base/operator.ts';
import { extendRegistry, joinRegistries, makeLazyRegistry, makeRegistry } from './registry.ts';

const sound = defineOperator({
  title: 'Echo',
  doc: 'Gives back what it gets.',
  icon: 'repeat',
  params: z.object({}),
  inputs: { in: input() },
  outputs: { out: output() },
  effects: 'pure',
  examples: [],
  run: ({ input: value }) => value,
});

function registryOf(change: object, type = 'test.echo') {
  return makeRegistry(new Map([[type, { ...sound, ...change } as Operator]]));
}

function faultOf(change: object, type = 'test.echo'): unknown {
  try {
    registryOf(change, type);
  } catch (error) {
    return error;
  }
  return undefined;
}

test('an operator is described by its type, group, ports and params', () => {
  const params = z.object({
    size: z.int().min(1).default(3).describe('How many.').meta({ widget: 'slider' }),
  });
  const inputs = { in: manyInput('any', { doc: 'All.', schema: z.string() }) };
  expect(registryOf({ params, inputs }).catalog.operators['test.echo']).toMatchObject({
    type: 'test.echo',
    group: 'test',
    lift: false,
    params: {
      properties: { size: { type: 'integer', default: 3, description: 'How many.', widget: 'slider' } },
    },
    inputs: [
      { name: 'in', kind: 'value', required: true, many: 'any', doc: 'All.', schema: { type: 'string' } },
    ],
    outputs: [{ name: 'out', kind: 'value' }],
  });
});

test('its words come along', () => {
  const words = { summary: 'echoes', synonyms: 'repeat, say again', purpose: 'people' };
  expect(registryOf(words).catalog.operators['test.echo']).toMatchObject({
    ...words,
    synonyms: ['repeat', 'say again'],
  });
});

test('params with a default are not required in a flow file', () => {
  const params = z.object({ a: z.string(), b: z.string().default('x'), c: lazy('A condition.') });
  expect(registryOf({ params }).catalog.operators['test.echo']?.params['required']).toEqual(['a', 'c']);
});

test('lazy and literal params are found in objects and lists', () => {
  const params = z.object({
    condition: lazy('One.'),
    cases: z.array(z.object({ name: z.string(), when: lazy('Each.') })).default([]),
    more: z.object({ deep: lazy('Deep.').optional(), schema: literal(z.object({ weft: z.string() })) }),
    code: literal(z.string().describe('Code.')),
  });
  expect(registryOf({ params }).catalog.operators['test.echo']).toMatchObject({
    lazyParams: ['condition', 'cases[].when', 'more.deep'],
    literalParams: ['more.schema', 'code'],
  });
});

test.each([
  ['a record of lazy params', { params: z.object({ all: z.record(z.string(), lazy('Each.')) }) }],
  ['a choice between lazy and not', { params: z.object({ a: z.union([lazy('One.'), z.string()]) }) }],
])('a lazy param in a place without a path is refused: %s', (_, change) => {
  expect(faultOf(change)).toMatchObject({ code: 'bad_operator', message: expect.stringContaining('lazy()') });
});

test.each<[string, object, string]>([
  ['params that are no object', { params: z.string() }, 'params must be a z.object'],
  ['a summary of an unknown param', { summary: '{size}' }, 'Its summary names "size", which is not a param.'],
  ['a summary that is cut', { summary: '{size' }, 'Its summary lacks a }.'],
  [
    'an option that is no param',
    { options: { More: ['size'] } },
    'Its options name "size", which is not a param.',
  ],
  [
    'an option that every node needs',
    { params: z.object({ a: z.string() }), options: { More: ['a'] } },
    'which every node needs',
  ],
  ['options without groups', { options: ['a'] }, 'options must be lists of params, by group.'],
  ['synonyms in a list', { synonyms: ['a'] }, 'synonyms must be words, separated by commas.'],
  ['params that JSON Schema cannot say', { params: z.object({ at: z.date() }) }, 'Date'],
  [
    'a port schema that JSON Schema cannot say',
    { outputs: { out: output({ schema: z.bigint() }) } },
    'BigInt',
  ],
  ['a port name that is no id', { inputs: { 'in-1': input() } }, '"in-1"'],
  ['a missing title', { title: ' ' }, 'title'],
  ['a missing doc', { doc: undefined }, 'doc'],
  ['a missing icon', { icon: '' }, 'icon'],
  ['missing examples', { examples: undefined }, 'examples'],
  ['inputs that are no ports', { inputs: { in: 5 } }, 'inputs'],
  ['an output called error', { outputs: { error: output() } }, 'error'],
  ['a missing run', { run: undefined }, 'run is missing'],
  ['a trigger that runs', { trigger: true, inputs: {} }, 'has no run'],
  ['a trigger with inputs', { trigger: true, run: undefined }, 'no inputs'],
  [
    'a trigger without an output',
    { trigger: true, run: undefined, inputs: {}, outputs: {} },
    'exactly one output',
  ],
  ['a lift over many edges', { lift: true, inputs: { in: manyInput('all') } }, 'lift'],
  ['a lift over two inputs', { lift: true, inputs: { a: input(), b: input() } }, 'lift'],
  ['a lift over a stream input', { lift: true, inputs: { in: input({ kind: 'stream' }) } }, 'lift'],
  ['an exclusive with one output', { exclusive: true }, 'exclusive'],
  ['an either output that follows nothing', { outputs: { out: output({ kind: 'either' }) } }, 'either'],
  ['ports derived from nothing', { derivedInputs: { param: 'names', kind: 'value' } }, '"names"'],
  ['effects that do not exist', { effects: 'magic' }, 'effects'],
])('%s is refused with the rule and the type', (_, change, text) => {
  const fault = faultOf(change);
  expect(fault).toBeInstanceOf(WeftError);
  expect(fault).toMatchObject({ code: 'bad_operator' });
  expect((fault as WeftError).message).toContain('test.echo');
  expect((fault as WeftError).message).toContain(text);
});

test.each(['echo', 'Test.echo', 'test.', 'test.1', 'a.b.c', ''])('the type %j is refused', (type) => {
  expect(faultOf({}, type)).toMatchObject({ code: 'bad_operator' });
});

test.each([undefined, null, 5, 'text', [], () => sound])('%s is no operator', (value) => {
  expect(() => makeRegistry(new Map([['test.odd', value as unknown as Operator]]))).toThrow(
    /not an operator/,
  );
});

test('all broken rules are named at once', () => {
  expect(faultOf({ title: '', doc: '', icon: '' })).toMatchObject({ data: { faults: { length: 3 } } });
});

test('the registry keeps its own list of operators', () => {
  const operators = new Map([['test.echo', sound]]);
  const registry = makeRegistry(operators);
  operators.clear();
  expect([...registry.operators.keys()]).toEqual(['test.echo']);
});

test('a lazy registry loads an operator when it is asked for, and once', () => {
  const loaded: string[] = [];
  const { catalog } = makeRegistry(
    new Map([
      ['test.echo', sound],
      ['test.other', sound],
    ]),
  );
  const load = (type: string): Operator => {
    loaded.push(type);
    return sound;
  };
  const more = new Map([['test.more', sound]]);
  const registry = extendRegistry(makeLazyRegistry(catalog, load), more);
  expect([...registry.operators.keys()]).toEqual(['test.echo', 'test.other', 'test.more']);
  expect([registry.operators.size, registry.operators.has('test.other')]).toEqual([3, true]);
  expect(Object.keys(registry.catalog.operators)).toEqual(['test.echo', 'test.other', 'test.more']);
  expect(loaded).toEqual([]);
  expect(registry.operators.get('test.other')).toBe(sound);
  expect(registry.operators.get('test.none')).toBeUndefined();
  expect([...registry.operators]).toHaveLength(3);
  expect(loaded).toEqual(['test.other', 'test.echo']);
});

test('of two registries the later one has the last word', () => {
  const other = { ...sound, title: 'Other' };
  const joined = joinRegistries(registryOf({}), makeRegistry(new Map([['test.echo', other]])));
  expect(joined.operators.get('test.echo')).toBe(other);
  expect(joined.catalog.operators['test.echo']?.title).toBe('Other');
});
