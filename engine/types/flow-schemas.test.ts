import { describe, expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { builtIns, flowOf, play } from '../testing/play.ts';
import { check } from '../check/index.ts';
import { fromSchema, toSchema, typeOfJson } from './schema.ts';
import { flowSchemas } from './flow-schemas.ts';
import { fits } from './testing/fits.ts';
import { randomValue } from './testing/random.ts';
import { randomTypedFlow } from './testing/random-flow.ts';
import { union } from './type.ts';
import { shortType } from './words.ts';
import { fc, propertyRuns } from '../../tests/support/property.ts';

const { catalog } = builtIns;
const world = { routes: [], variables: undefined, secrets: undefined };

/** What callers learn about the flow's only trigger, in words. */
function told(flow: Flow) {
  const [schemas = {}] = Object.values(flowSchemas(flow, catalog));
  const words = Object.entries(schemas).map(([name, schema]) => [
    name,
    schema && shortType(fromSchema(schema)),
  ]);
  return Object.fromEntries(words) as Record<'takes' | 'gives' | 'givesItems', string | undefined>;
}

const trigger = (properties: object, more: object = {}) => ({
  operator: 'trigger.manual',
  params: { input: { type: 'object', properties, ...more } },
});
const map = (value: unknown) => ({ operator: 'core.map', params: { value } });
const city = { type: 'string' };

describe('what a flow takes', () => {
  test('is what its trigger makes fit: numbers as text, fields with a default left out', () => {
    const t = trigger(
      { city, n: { type: 'integer' }, yes: { type: 'boolean' }, size: { type: 'string', default: 'm' } },
      { required: ['city', 'n', 'size'] },
    );
    expect(told(flowOf({ t }, [])).takes).toBe(
      '{city: string, n: string | number | boolean, yes?: string | number | boolean, size?: string}',
    );
  });

  test('is anything for a field of the path, which carries text', () => {
    const request = { type: 'object', properties: { id: city, name: city }, required: ['id', 'name'] };
    const t = { operator: 'trigger.http', params: { path: '/items/{id}', request } };
    expect(told(flowOf({ t }, [])).takes).toBe('{id: any, name: string}');
  });

  test('is not known without a schema', () => {
    expect(told(flowOf({ t: 'trigger.manual' }, []))).toEqual({});
  });
});

describe('what a flow gives', () => {
  const t = trigger(
    { city, items: { type: 'array', items: { type: 'number' } } },
    { required: ['city', 'items'] },
  );

  test('is its only leaf, which is there for sure, and one by one the elements of a list', () => {
    const flow = flowOf({ t, a: map({ name: '{{ input.city }}' }), b: map('{{ [input.name] }}') }, [
      't > a',
      'a > b',
    ]);
    expect(told(flow)).toMatchObject({ gives: 'string[]', givesItems: 'string' });
  });

  test('is null where no leaf may be live', () => {
    const i = { operator: 'logic.if', params: { condition: '{{ input.city == "Bern" }}' } };
    const one = flowOf({ t, i, a: map('{{ input.city }}') }, ['t > i', 'i.then > a']);
    expect(told(one).gives).toBe('string | null');
    const both = flowOf({ t, i, a: map(1), b: map('no'), m: 'core.merge' }, [
      't > i',
      'i.then > a',
      'i.else > b',
      'a > m',
      'b > m',
    ]);
    expect(told(both).gives).toBe('"no" | 1 | null');
  });

  test('is a list where it is streamed', () => {
    const items = { operator: 'core.map', params: { value: '{{ input.items }}' } };
    const flow = flowOf({ t, items, s: 'core.streamify' }, ['t > items', 'items > s']);
    expect(told(flow)).toMatchObject({ gives: 'number[]', givesItems: 'number' });
  });

  test('is the body of what answers, streamed or not, and other leaves do not count', () => {
    const r = { operator: 'core.respond', params: { body: { ok: true } } };
    expect(told(flowOf({ t, r, a: map(1) }, ['t > r', 't > a'])).gives).toBe('{ok: true}');
    const items = map('{{ input.items }}');
    const s = flowOf({ t, items, s: 'core.streamify', r: 'core.respond' }, [
      't > items',
      'items > s',
      's > r',
    ]);
    expect(told(s)).toMatchObject({ gives: 'number[]', givesItems: 'number' });
  });

  test('is an object of the outputs where a leaf has several', () => {
    const i = { operator: 'logic.if', params: { condition: true } };
    expect(told(flowOf({ t, i, a: map(1) }, ['t > a', 'a > i'])).gives).toBe('{then?: 1, else?: 1} | null');
  });

  test('is not known behind operators that are not, and of flows that it calls itself', () => {
    expect(told(flowOf({ t, a: 'core.nothing' }, ['t > a'])).gives).toBeUndefined();
    expect(
      told(flowOf({ t, a: { operator: 'flow.call', params: { flow: 'b' } } }, ['t > a'])).gives,
    ).toBeUndefined();
  });
});

const answered = fc.tuple(randomValue, randomValue, fc.boolean()).chain(([input, other, responds]) => {
  const schema = toSchema(union(typeOfJson(input), typeOfJson(other)));
  const flow = randomTypedFlow(schema).map((made) => (responds ? made : withoutAnswer(made)));
  return fc.record({ input: fc.constant(input), flow });
});

/** Makes the leaves the result. */
function withoutAnswer({ nodes, edges, ...flow }: Flow): Flow {
  const { answer: _, ...others } = nodes;
  return { ...flow, nodes: others, edges: edges.filter((edge) => edge.to !== 'answer.in') };
}

/** What a caller gets; undefined for a failure. */
async function resultOf(flow: Flow, input: unknown): Promise<{ value: unknown } | undefined> {
  const { run } = play(flow, input);
  const { answer } = run;
  if (answer?.kind === 'empty') return { value: null };
  if (answer?.kind !== 'value') return undefined;
  const { body } = answer;
  if (typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body)) return { value: body };
  const items = Array.fromAsync(body as AsyncIterable<unknown>);
  return items.then(
    (value) => ({ value }),
    () => undefined,
  );
}

test('whatever a flow gives is of the type that its callers are told', async () => {
  let seen = 0;
  const law = fc.asyncProperty(answered, async ({ flow, input }) => {
    const [schemas = {}] = Object.values(flowSchemas(flow, catalog));
    if (check(flow, catalog, world).some((p) => p.code === 'expression-syntax')) return;
    const found = await resultOf(flow, input);
    if (!found || !schemas.gives) return;
    seen++;
    const type = fromSchema(schemas.gives);
    const shown = { value: found.value, type: shortType(type) };
    expect({ ...shown, fits: fits(found.value, type) }).toEqual({ ...shown, fits: true });
  });
  await fc.assert(law, { numRuns: 400 });
  expect(seen).toBeGreaterThan(propertyRuns(400) / 4);
});
