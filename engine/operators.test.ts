import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { OperatorInfo } from '#shared/catalog.ts';
import { WeftError } from './errors.ts';
import type { Operator } from './operator.ts';
import { describeOne, runOperator, startOperator } from './testing/call.ts';

/** The contract that every operator keeps; a new file in `operators/` is held to it without being named here. */
const files = import.meta.glob<Operator>(['./operators/*/*.ts', '!**/*.test.ts', '!**/_*.ts'], {
  eager: true,
  import: 'default',
});
const operators = Object.entries(files).map(
  ([file, operator]) => [file.replace(/^.*\/([^/]+)\/([^/]+)\.ts$/, '$1.$2'), operator] as const,
);

test('the suite finds the operators by their place', () => {
  expect(operators.map(([type]) => type)).toEqual(expect.arrayContaining(['core.map', 'text.parse-json']));
});

describe.each(operators)('%s', (type, operator) => {
  const info = describeOne(type, operator);

  test('can be described as JSON', () => {
    expect(JSON.parse(JSON.stringify(info))).toEqual(info);
  });

  test('has a title, a doc in whole sentences, an icon and an example', () => {
    expect(info.title).toMatch(/^[A-Z]/);
    expect(info.doc).toMatch(/^[A-Z].+\.$/s);
    expect(info.icon).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(info.examples.length).toBeGreaterThan(0);
  });

  test('describes every param and port', () => {
    const undescribed = [...paramsWithoutDoc(info.params, 'params'), ...portsWithoutDoc(info)];
    expect(undescribed).toEqual([]);
  });

  test('takes or refuses any params, and never throws', () => {
    const anything = fc.anything({ withNullPrototype: true });
    const record = fc.dictionary(fc.constantFrom(...Object.keys(shapeOf(operator)), '__proto__'), anything);
    const keeps = fc.property(fc.oneof(anything, record), (params) => {
      expect(typeof operator.params.safeParse(params).success).toBe('boolean');
    });
    fc.assert(keeps, { numRuns: 300, seed: 1 });
  });

  test('says what each example gives', () => {
    const silent = info.examples.filter((e) => !e.outputs && !e.error).map((e) => e.title);
    const hasOutputs = info.outputs.length > 0 || info.derivedOutputs !== undefined;
    expect(hasOutputs ? silent : []).toEqual([]);
  });

  test.each(info.examples.map((example) => [example.title, example] as const))(
    'keeps its example: %s',
    async (_, e) => {
      expect(operator.params.safeParse(e.params ?? {}).success || hasExpression(e.params)).toBe(true);
      if (operator.trigger) return;
      const inputs = deepFreeze(structuredClone(e.inputs ?? {}));
      if (e.error !== undefined) {
        await expect(
          attempt(() => runOperator(type, operator, { params: e.params, inputs })),
        ).resolves.toMatchObject({
          code: e.error,
        });
        return;
      }
      const outputs = await runOperator(type, operator, { params: e.params, inputs });
      expect(outputs).toEqual(e.outputs ?? {});
      for (const [port, { schema }] of Object.entries(operator.outputs)) {
        if (schema && port in outputs)
          expect(schema.safeParse(outputs[port])).toMatchObject({ success: true });
      }
      expect(inputs).toEqual(e.inputs ?? {});
    },
  );

  if (!operator.trigger) behaviour(type, operator, info);
});

function behaviour(type: string, operator: Operator, info: OperatorInfo): void {
  const examples = info.examples.filter((e) => e.error === undefined);

  test('is written async exactly when it gives a promise, so that the engine knows what may wait', () => {
    const isAsync = operator.run?.constructor.name === 'AsyncFunction';
    for (const { params, inputs } of examples) {
      const { result } = startOperator(type, operator, { params, inputs });
      expect(typeof (result as PromiseLike<unknown> | undefined)?.then === 'function').toBe(isAsync);
    }
  });

  test('has no state: the same call gives the same again', async () => {
    for (const { params, inputs } of examples) {
      const first = await runOperator(type, operator, { params, inputs });
      expect(await runOperator(type, operator, { params, inputs })).toEqual(first);
    }
  });

  test('ends as soon as its signal aborts, whatever it waits for', async () => {
    const reason = new WeftError('run_cancelled', 'stop');
    for (const { params, inputs } of examples) {
      const silent = Object.fromEntries(
        Object.entries(inputs ?? {}).map(([name, value]) => [
          name,
          isStreamPort(info, name) ? silentStream() : value,
        ]),
      );
      const { call, result } = startOperator(type, operator, { params, inputs: silent, endlessSleep: true });
      if (!(result instanceof Promise)) continue;
      call.abort(reason);
      expect(await attempt(() => result)).toBe(reason);
    }
  });

  test('gives a value or a coded error for odd inputs', async () => {
    for (const { params } of info.examples) {
      for (const odd of oddValues())
        await expectNothingUncoded(type, operator, params, oddInputs(info, params, odd));
    }
  });

  test('gives a value or a coded error for an object whose fields throw when they are read', async () => {
    // Expressions leave such an error to the engine, so only the operator itself is looked at.
    for (const { params } of info.examples.filter((e) => !hasExpression(e.params))) {
      const trap = Object.defineProperty({}, 'trap', { enumerable: true, get: springTrap });
      await expectNothingUncoded(type, operator, params, oddInputs(info, params, trap));
    }
  });

  test('gives a value or a coded error for any input', async () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
    });
    const params = info.examples[0]?.params;
    const keeps = fc.asyncProperty(anything, async (value) => {
      await expectNothingUncoded(type, operator, params, oddInputs(info, params, value));
    });
    await fc.assert(keeps, { numRuns: 200, seed: 1 });
  });
}

/** Runs it; anything thrown must be a WeftError. A hang is caught by the test's time limit. */
async function expectNothingUncoded(
  type: string,
  operator: Operator,
  params: Record<string, unknown> | undefined,
  inputs: Record<string, unknown>,
): Promise<void> {
  const thrown = await attempt(() => runOperator(type, operator, { params, inputs }));
  if (thrown !== undefined) expect(thrown).toBeInstanceOf(WeftError);
}

async function attempt(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The value at every input; where many edges end, the engine gives a list. */
function oddInputs(
  info: OperatorInfo,
  params: Record<string, unknown> | undefined,
  value: unknown,
): Record<string, unknown> {
  const derived = info.derivedInputs ? portNames(params, info) : [];
  return Object.fromEntries([
    ...info.inputs.map((port) => [port.name, port.many ? [value, value] : value] as const),
    ...derived.map((name) => [name, value] as const),
  ]);
}

function portNames(params: Record<string, unknown> | undefined, info: OperatorInfo): string[] {
  const param = info.derivedInputs?.param ?? '';
  const list = (params?.[param] ?? (info.params as SchemaNode).properties?.[param]?.default) as {
    name: string;
  }[];
  return list.map((port) => port.name);
}

function oddValues(): unknown[] {
  const cycle: Record<string, unknown> = { name: 'x' };
  cycle['self'] = cycle;
  const doubled = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], 'x');
  const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 'x');
  return [
    null,
    true,
    0,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    10n,
    Symbol('s'),
    () => 1,
    new Date(0),
    new Map([[1, 2]]),
    '',
    'x'.repeat(10_000_001),
    '{"a":',
    '['.repeat(100_000),
    '\ud800',
    '{"__proto__":{"polluted":true}}',
    [],
    {},
    [[]],
    Array.from({ length: 100_000 }, (_, i) => i),
    Object.assign([], { length: 1000 }),
    cycle,
    doubled,
    deep,
    JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}'),
    { name: 1, age: 'x', a: null, price: {}, count: [], id: Number.NaN },
    Object.create(null),
  ];
}

function springTrap(): never {
  throw new Error('a trap');
}

/** A stream that never gives anything and does not listen when it is told to stop. */
function silentStream(): AsyncIterable<unknown> {
  const never = new Promise<never>(() => {});
  return { [Symbol.asyncIterator]: () => ({ next: () => never, return: () => never }) };
}

function shapeOf(operator: Operator): Record<string, unknown> {
  return (operator.params as z.ZodObject).shape;
}

function isStreamPort(info: OperatorInfo, name: string): boolean {
  return info.inputs.some((port) => port.name === name && port.kind === 'stream');
}

interface SchemaNode {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Record<string, SchemaNode>;
  readonly items?: SchemaNode;
}

function paramsWithoutDoc(schema: SchemaNode, path: string): string[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${path}.${name}`]),
    ...paramsWithoutDoc(field, `${path}.${name}`),
  ]);
  return schema.items ? [...fields, ...paramsWithoutDoc(schema.items, `${path}[]`)] : fields;
}

function portsWithoutDoc(info: OperatorInfo): string[] {
  const ports = [...info.inputs, ...info.outputs].filter((port) => !port.doc).map((port) => port.name);
  const derived = [info.derivedInputs, info.derivedOutputs]
    .filter((d) => d && !d.doc)
    .map((d) => d?.param ?? '');
  return [...ports, ...derived];
}

function hasExpression(value: unknown): boolean {
  return JSON.stringify(value ?? null).includes('{{');
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
