import { describe, expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { builtIns, flowOf, play } from '../testing/play.ts';
import { checkContext } from '../flow/context.ts';
import { check } from '../check/index.ts';
import { flowTypes } from './flow-types.ts';
import { fromSchema, toSchema, typeOfJson } from './schema.ts';
import { fits } from './testing/fits.ts';
import { randomValue } from './testing/random.ts';
import { randomTypedFlow } from './testing/random-flow.ts';
import { type Type, union } from './type.ts';
import { shortType } from './words.ts';
import { fc, propertyRuns } from '../../tests/support/property.ts';

const { catalog } = builtIns;
const world = { routes: [], variables: undefined, secrets: undefined };
const typesOf = (flow: Flow) => flowTypes(checkContext(flow, catalog, world, () => {}));
const outputsOf = (flow: Flow) =>
  Object.fromEntries([...typesOf(flow).outputs].map(([port, type]) => [port, shortType(type)]));

/** The value of each output in a run; items of streams are seen where they are collected. */
async function valuesOf(flow: Flow, input: unknown): Promise<[port: string, value: unknown][]> {
  const { run, events, host } = play(flow, input);
  if (!run.outcome) await host.runAll();
  expect(run.outcome).toBeDefined();
  return events.flatMap((event): [string, unknown][] =>
    event.kind === 'node-output' ? [[`${event.node}.${event.port}`, event.value]] : [],
  );
}

const typedFlow = fc.tuple(randomValue, randomValue).chain(([input, other]) => {
  const schema = toSchema(union(typeOfJson(input), typeOfJson(other)));
  return fc.record({ input: fc.constant(input), flow: randomTypedFlow(schema) });
});

/** The node of a problem, if the problem means that the node fails. */
function failing({ code, severity, node, nodes }: Problem): string[] {
  const isType = severity === 'error' && (code === 'type-mismatch' || code === 'missing-field');
  return isType ? [node ?? nodes?.[1] ?? ''] : [];
}

test('in any run of any flow what comes out of a node is of its type, and what is said to fail fails', async () => {
  let seen = 0;
  let failed = 0;
  const law = fc.asyncProperty(typedFlow, async ({ flow, input }) => {
    const problems = check(flow, catalog, world);
    if (problems.some((p) => p.code === 'expression-syntax')) return;
    const types = typesOf(flow).outputs;
    const wrong = new Set(problems.flatMap(failing));
    failed += wrong.size;
    for (const [port, value] of await valuesOf(flow, input)) {
      seen++;
      const type = types.get(port) as Type;
      const shown = { port, value, type: shortType(type) };
      expect({ ...shown, fits: fits(value, type) }).toEqual({ ...shown, fits: true });
      expect(wrong.has(port.slice(0, port.indexOf('.'))) ? port : '').toBe('');
    }
  });
  await fc.assert(law, { numRuns: 400 });
  expect(seen).toBeGreaterThan(propertyRuns(400) * 2);
  expect(failed).toBeGreaterThan(propertyRuns(400) / 8);
});

describe('types go along the edges', () => {
  const request = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', default: 18 } },
    required: ['name'],
    additionalProperties: false,
  };
  const t = { operator: 'trigger.manual', params: { input: request } };

  test('a field that is set to a missing value is null afterwards, whatever it was before', () => {
    const nothing = { operator: 'data.set', params: { fields: { age: '{{ input.age?.years }}' } } };
    expect(outputsOf(flowOf({ t, nothing }, ['t > nothing']))).toEqual({
      't.out': '{name: string, age: integer}',
      'nothing.out': '{name: string, age: null}',
    });
  });

  test('from a request through set, pick, join and template', () => {
    const flow = flowOf(
      {
        t,
        s: { operator: 'data.set', params: { fields: { adult: '{{ input.age >= 18 }}' } } },
        p: { operator: 'data.pick', params: { fields: ['adult', 'name'] } },
        x: { operator: 'text.template', params: { template: '{{ input.name }}' } },
        j: 'core.join',
      },
      ['t > s', 's > p', 't > x', 'p > j.a', 'x > j.b'],
    );
    expect(outputsOf(flow)).toEqual({
      't.out': '{name: string, age: integer}',
      's.out': '{name: string, age: integer, adult: boolean}',
      'p.out': '{adult: boolean, name: string}',
      'x.out': 'string',
      'j.out': '{a: {adult: boolean, name: string}, b: string}',
    });
  });

  test('through streams item by item, and branches that meet', () => {
    const flow = flowOf(
      {
        t,
        list: { operator: 'core.map', params: { value: '{{ [input.age] }}' } },
        each: 'core.streamify',
        add: { operator: 'core.map', params: { value: '{{ string(input) }}' } },
        all: 'core.unstreamify',
        i: { operator: 'logic.if', params: { condition: '{{ input.age > 3 }}' } },
        no: { operator: 'core.map', params: { value: null } },
        m: 'core.merge',
      },
      ['t > list', 'list > each', 'each > add', 'add > all', 't > i', 'i.then > m', 'i.else > no', 'no > m'],
    );
    expect(outputsOf(flow)).toMatchObject({
      'each.out': 'integer',
      'all.out': 'string[]',
      'm.out': '{name: string, age: integer} | null',
    });
  });

  test('into fallbacks, errors and nodes that are switched off', () => {
    const flow = flowOf(
      {
        t,
        a: { operator: 'text.format-json', onError: 'continue', fallback: { out: null } },
        b: { operator: 'core.map', params: { value: 1 }, onError: 'route' },
        c: { operator: 'text.format-json', disabled: true },
      },
      ['t > a', 't > b', 't > c'],
    );
    expect(outputsOf(flow)).toMatchObject({
      'a.out': 'string | null',
      'b.error': '{code: string, message: string, node: string, operator: string}',
      'c.out': '{name: string, age: integer}',
    });
  });

  test('to a field that is picked from within an object that may be missing, which may then be null', () => {
    const inner = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const flow = flowOf(
      {
        t: { operator: 'trigger.manual', params: { input: { type: 'object', properties: { b: inner } } } },
        p: { operator: 'data.pick', params: { fields: ['b.a'], missing: 'null' } },
      },
      ['t > p'],
    );
    expect(outputsOf(flow)['p.out']).toBe('{b?: {a?: string | null}}');
  });

  test('and stop at circles and at operators that are not known', () => {
    const flow = flowOf({ t, a: 'core.map', b: 'core.map', c: 'core.nothing', d: 'core.map' }, [
      'b > a',
      'a > b',
      't > c',
      'c > d',
    ]);
    const types = typesOf(flow);
    expect([types.outputs.get('a.out'), types.outputs.get('c.out')]).toEqual([undefined, undefined]);
    expect(types.outputs.get('d.out')).toMatchObject({ any: true });
  });
});

test.each([
  ['a reference', { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, 'string'],
  ['a list of types', { type: ['string', 'null'] }, 'string | null'],
  ['alternatives', { oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'string | integer'],
  ['choices', { enum: ['a', 1, null] }, '"a" | 1 | null'],
  ['a value that may be null', { type: 'string', nullable: true }, 'string | null'],
  [
    'parts of one whole',
    { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }] },
    '{a?: string}',
  ],
  ['any fields', { type: 'object', additionalProperties: { type: 'string' } }, '{[name]: string}'],
  ['no type', { properties: { a: {} } }, 'any'],
])('a schema is read: %s', (_, schema, words) => {
  expect(shortType(fromSchema(schema))).toBe(words);
});
