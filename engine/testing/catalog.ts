import { z } from 'zod';
import {
  type Catalog,
  type InputPort,
  type OperatorInfo,
  type OutputPort,
  PLAIN_FACTS,
} from '#shared/catalog.ts';
import type { JsonSchema } from '#shared/json.ts';
import type { World } from '../check/index.ts';
import { triggerAuth } from '../operators/trigger/_auth.ts';

/** A small handwritten catalog, so that tests of `check` do not depend on the real operators. */

type Shape = Record<string, z.ZodType>;
type Some = Partial<Omit<OperatorInfo, 'type' | 'params'>>;

function operator(type: string, params: Shape, rest: Some): [string, OperatorInfo] {
  const info: OperatorInfo = {
    type,
    title: type,
    doc: `The operator ${type}.`,
    icon: 'box',
    group: type.slice(0, type.indexOf('.')),
    params: z.toJSONSchema(z.object(params), { io: 'input' }) as JsonSchema,
    inputs: [],
    outputs: [],
    ...PLAIN_FACTS,
    ...rest,
  };
  return [type, info];
}

const secret = z.strictObject({ $secret: z.string() });

const input = (more: Partial<InputPort> = {}): InputPort => ({
  name: 'in',
  kind: 'value',
  required: true,
  ...more,
});
const output = (more: Partial<OutputPort> = {}): OutputPort => ({ name: 'out', kind: 'value', ...more });
const text = z.toJSONSchema(z.string()) as JsonSchema;
const named = (extra: Shape) => z.array(z.object({ name: z.string(), ...extra }));
const anyValue = z.unknown();

const operators = [
  operator(
    'trigger.http',
    {
      path: z.string(),
      methods: z.array(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])).default(['GET']),
      auth: triggerAuth.default('api-key'),
      request: z.record(z.string(), anyValue).optional(),
    },
    { outputs: [output()], trigger: true, effects: 'read', literalParams: ['request'] },
  ),
  operator('trigger.manual', {}, { outputs: [output()], trigger: true, effects: 'read' }),
  operator(
    'core.map',
    { value: anyValue.default('{{ input }}') },
    { inputs: [input()], outputs: [output()], lift: true },
  ),
  operator(
    'core.join',
    { inputs: named({ required: z.boolean().default(true) }), value: anyValue.optional() },
    {
      outputs: [output()],
      derivedInputs: { param: 'inputs', nameKey: 'name', requiredKey: 'required', kind: 'value' },
      lazyParams: ['value'],
    },
  ),
  operator('core.merge', {}, { inputs: [input({ many: 'any' })], outputs: [output()] }),
  operator('core.first', {}, { inputs: [input({ many: 'first' })], outputs: [output()] }),
  operator('core.gather', {}, { inputs: [input({ many: 'all' })], outputs: [output()] }),
  operator(
    'logic.if',
    { condition: anyValue },
    {
      inputs: [input()],
      outputs: [output({ name: 'then' }), output({ name: 'else' })],
      exclusive: true,
      lazyParams: ['condition'],
    },
  ),
  operator(
    'logic.switch',
    { cases: named({ when: anyValue }).min(1) },
    {
      inputs: [input()],
      outputs: [output({ name: 'default' })],
      derivedOutputs: { param: 'cases', nameKey: 'name', kind: 'value' },
      exclusive: true,
      lazyParams: ['cases[].when'],
    },
  ),
  operator(
    'model.route',
    { cases: named({ description: anyValue }).min(1), many: z.boolean().default(false) },
    {
      inputs: [input()],
      outputs: [output({ name: 'else' })],
      derivedOutputs: { param: 'cases', nameKey: 'name', kind: 'value' },
      exclusive: { unless: 'many' },
    },
  ),
  operator(
    'core.respond',
    { status: z.int().min(200).max(599).default(200), body: anyValue.optional() },
    { inputs: [input({ kind: 'either' })], respond: true, effects: 'write', idempotent: true },
  ),
  operator(
    'core.log',
    { message: anyValue.optional() },
    { inputs: [input()], outputs: [output()], sink: true, lift: true },
  ),
  operator(
    'text.template',
    { template: z.string() },
    { inputs: [input()], outputs: [output({ schema: text })], lift: true },
  ),
  operator('core.streamify', {}, { inputs: [input()], outputs: [output({ kind: 'stream' })] }),
  operator(
    'core.unstreamify',
    { maxItems: z.int().min(1).default(100) },
    { inputs: [input({ kind: 'stream' })], outputs: [output()] },
  ),
  operator(
    'core.reduce',
    { value: anyValue },
    { inputs: [input({ kind: 'stream' })], outputs: [output()], lazyParams: ['value'] },
  ),
  operator(
    'core.concat',
    {},
    { inputs: [input({ kind: 'stream', many: 'any' })], outputs: [output({ kind: 'stream' })] },
  ),
  operator(
    'core.zip',
    { inputs: named({}).default([{ name: 'a' }, { name: 'b' }]) },
    {
      outputs: [output({ kind: 'stream' })],
      derivedInputs: { param: 'inputs', nameKey: 'name', kind: 'stream' },
    },
  ),
  operator(
    'core.pass',
    { note: anyValue.optional() },
    { inputs: [input({ kind: 'either' })], outputs: [output({ kind: 'either' })] },
  ),
  operator(
    'data.filter',
    { where: anyValue, limit: z.int().optional() },
    { inputs: [input()], outputs: [output()], lazyParams: ['where'] },
  ),
  operator(
    'http.request',
    {
      url: z.string(),
      headers: z.record(z.string(), z.union([z.string(), secret])).optional(),
      method: z.string().default('GET'),
      response: z.string().default('auto'),
      idempotencyKey: z.boolean().default(true),
    },
    {
      inputs: [input({ required: false })],
      outputs: [
        output({ when: { param: 'response', is: ['auto', 'text'] } }),
        output({ name: 'stream', kind: 'stream', when: { param: 'response', is: ['stream'] } }),
      ],
      effects: 'write',
      effectsByParam: { name: 'method', cases: { GET: 'read' } },
      idempotent: true,
      keyParam: 'idempotencyKey',
    },
  ),
  operator(
    'code.run',
    { code: z.string() },
    { inputs: [input()], outputs: [output()], effects: 'read', literalParams: ['code'] },
  ),
];

export const testCatalog: Catalog = { operators: Object.fromEntries(operators) };

/** What test flows are checked against; `flowOf` makes flows with the id `test_flow`. */
export const testWorld: World = {
  routes: [
    { flow: 'other_flow', path: '/taken', methods: ['GET'] },
    { flow: 'other_flow', path: '/items/:id', methods: ['GET', 'POST'] },
    { flow: 'test_flow', path: '/mine', methods: ['GET'] },
  ],
  variables: ['greeting'],
  secrets: ['openai'],
};
