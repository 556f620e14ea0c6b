import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineOperator, type Operator } from '../base/operator.ts';
import { makeRegistry } from '../catalog/registry.ts';
import { testCatalog } from '../testing/catalog.ts';
import { flowOf } from '../testing/flows.ts';
import { check } from '../check/index.ts';
import { compiledSchema } from './schemas.ts';

const files = import.meta.glob<{ default: Operator }>(['../operators/*/*.ts', '!**/*.test.ts', '!**/_*.ts'], {
  eager: true,
});
const registry = makeRegistry(
  new Map(
    Object.entries(files).map(([path, file]) => [
      path.split('/').slice(-2).join('.').replace(/\.ts$/, ''),
      file.default,
    ]),
  ),
);
const world = { routes: [], variables: undefined, secrets: undefined };

describe('compiledSchema', () => {
  it.each([...registry.operators])(
    'takes the params of the examples of %s, as its own schema does',
    (type) => {
      const info = registry.catalog.operators[type];
      const schema = info && compiledSchema(info.params);
      for (const { params = {}, error } of info?.examples ?? []) {
        if (error === undefined) expect(schema?.safeParse(params).error).toBeUndefined();
      }
      const anything = { __unknown: 1 };
      expect(schema?.safeParse(anything).success).toBe(
        registry.operators.get(type)?.params.safeParse(anything).success,
      );
    },
  );

  it('judges all that params schemas are made of, as zod itself does', () => {
    const schema = z.object({
      text: z
        .string()
        .min(2)
        .max(4)
        .regex(/^[a-z]+$/)
        .optional(),
      whole: z.int().min(1).max(9).default(5),
      number: z.number().gt(0).nullable().optional(),
      choice: z.enum(['a', 'b']).default('a'),
      list: z
        .array(z.object({ name: z.string(), on: z.boolean().default(true) }))
        .min(1)
        .max(2)
        .optional(),
      record: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      kind: z
        .discriminatedUnion('type', [
          z.object({ type: z.literal('x'), at: z.number() }),
          z.object({ type: z.literal('y') }),
        ])
        .optional(),
      pair: z.tuple([z.string(), z.number()]).optional(),
      any: z.unknown().meta({ weft: 'lazy', widget: 'expression' }),
    });
    const copy = compiledSchema(z.toJSONSchema(schema, { io: 'input' }));
    const values: Record<string, unknown>[] = [
      ...[
        {},
        { text: 'abc' },
        { text: 'a' },
        { text: 'abcde' },
        { text: 'A1' },
        { text: 1 },
        { whole: 0 },
        { whole: 1.5 },
        { whole: 9 },
      ],
      ...[
        { number: null },
        { number: 0 },
        { number: 0.5 },
        { choice: 'c' },
        { list: [] },
        { list: [{}] },
        { list: [{ name: 'a' }] },
      ],
      ...[
        { list: [{ name: 'a', on: 1 }] },
        { record: { a: 1, b: 'c' } },
        { record: { a: true } },
        { kind: { type: 'x' } },
      ],
      ...[
        { kind: { type: 'y' } },
        { kind: { type: 'x', at: 1 } },
        { pair: ['a', 1] },
        { pair: ['a'] },
        { pair: [1, 'a'] },
      ],
    ];
    for (const value of values) {
      const whole = { any: '{{ item }}', ...value };
      expect([value, copy?.safeParse(whole).success]).toEqual([value, schema.safeParse(whole).success]);
    }
  });

  it('works where code must not be generated, as in the editor', () => {
    z.config({ jitless: true });
    const params = { status: 'x' };
    const flow = flowOf({ t: 'trigger.manual', r: { operator: 'core.respond', params } }, ['t.out > r.in']);
    expect(check(flow, testCatalog, world).map((p) => p.field)).toEqual(['params.status']);
  });

  it('leaves a schema unchecked that zod cannot read', () => {
    expect(compiledSchema({ $ref: 'https://example.org/schema' })).toBeUndefined();
  });
});

describe('check', () => {
  it('finds nothing wrong with a flow over the real operators', () => {
    const flow = flowOf(
      {
        trigger: {
          operator: 'trigger.http',
          params: { path: '/hello', auth: 'none', request: { type: 'object' } },
        },
        handler: { operator: 'text.template', params: { template: 'Hello, {{ input.name }}' } },
      },
      ['trigger.out > handler.in'],
    );
    expect(check(flow, registry.catalog, world)).toEqual([]);
  });

  it('judges the params of a nested list, a record and a choice at the place that is wrong', () => {
    const operator = defineOperator({
      ...{ title: 'X', doc: 'X.', icon: 'x', inputs: {}, outputs: {}, effects: 'pure', examples: [] },
      params: z.object({
        rows: z.array(z.object({ size: z.number() })),
        one: z.union([z.object({ a: z.number() }), z.object({ b: z.string() })]),
        strict: z.strictObject({ ok: z.boolean().optional() }),
      }),
      run: () => {},
    });
    const { catalog } = makeRegistry(new Map([['x.y', operator]]));
    const problemsOf = (params: Record<string, unknown>) =>
      check(flowOf({ n: { operator: 'x.y', params } }), catalog, world)
        .filter((p) => p.code === 'bad-param')
        .map((p) => `${p.field} ${p.severity}`);
    expect(problemsOf({ rows: [{ size: 1 }, { size: 'a' }], one: { c: 1 }, strict: { no: 1 } })).toEqual([
      'params.one error',
      'params.rows[1].size error',
      'params.strict.no warning',
    ]);
    const dynamic = '{{ run.id }}';
    expect(problemsOf({ rows: [{ size: dynamic }], one: { a: dynamic }, strict: dynamic })).toEqual([]);
    expect(problemsOf({ rows: { $secret: 'x' }, one: dynamic, strict: {} })).toEqual(['params.rows error']);
  });
});
