import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { FlowSettings, Retry } from '#shared/flow.ts';
import { builtIns } from '../../../engine/testing/play.ts';
import {
  type FormField,
  faultOf,
  fieldChain,
  paramFields,
  schemaFields,
  titleOf,
  unknownParams,
} from './schema-form.ts';
import { singular } from '#shared/setting-words.ts';
import { initialValue } from './schema-initial.ts';

const operators = Object.values(builtIns.catalog.operators);
const info = (type: string) => {
  const found = builtIns.catalog.operators[type];
  if (!found) throw new Error(`no operator ${type}`);
  return found;
};

function kindsOf(fields: readonly FormField[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, kindOf(field)]));
}

function kindOf({ shape }: FormField): unknown {
  switch (shape.kind) {
    case 'list':
      return [kindOf(shape.item)];
    case 'object':
      return kindsOf(shape.fields);
    case 'record':
      return { '*': kindOf(shape.value) };
    default:
      return shape.kind;
  }
}

function everyField(fields: readonly FormField[]): FormField[] {
  return fields.flatMap((field) => {
    const { shape } = field;
    if (shape.kind === 'list') return [field, ...everyField([shape.item])];
    if (shape.kind === 'object') return [field, ...everyField(shape.fields)];
    if (shape.kind === 'record') return [field, ...everyField([shape.value])];
    return [field];
  });
}

const expected: Record<string, unknown> = {
  'core.branch': { branches: [{ name: 'text', when: 'expression' }] },
  'core.input': { value: 'value' },
  'core.join': { inputs: [{ name: 'text', required: 'boolean' }], value: 'value' },
  'core.log': { level: 'select', message: 'text' },
  'core.map': { value: 'value' },
  'core.merge': {},
  'core.respond': { status: 'number', headers: { '*': 'text' }, body: 'value' },
  'core.streamify': {},
  'core.unstreamify': { maxItems: 'number' },
  'data.pick': { fields: ['name'], missing: 'select' },
  'data.set': { fields: { '*': 'value' } },
  'flow.call': { flow: 'name', trigger: 'name', input: 'value' },
  'logic.delay': { ms: 'number' },
  'logic.if': { condition: 'expression' },
  'logic.stop': { message: 'text', code: 'text' },
  'logic.switch': { cases: [{ name: 'text', when: 'expression' }] },
  'text.format-json': { indent: 'number' },
  'text.join': { separator: 'text' },
  'text.parse-json': { longNumbers: 'select' },
  'text.template': { template: 'text' },
  'trigger.http': {
    path: 'text',
    methods: 'choices',
    auth: 'union',
    request: 'request',
    accept: 'choices',
    notify: { url: 'text', secret: 'secret' },
    answer: 'select',
    response: { as: 'select', stream: 'select', status: 'number', headers: { '*': 'text' } },
    limits: {
      bytes: 'number',
      names: 'number',
      elements: 'number',
      fileBytes: 'number',
      filesBytes: 'number',
      files: 'number',
    },
    otherFields: 'select',
    rate: { limit: 'number', per: 'select', burst: 'number', by: 'select' },
    memory: 'text',
  },
  'trigger.manual': { input: 'request' },
};

test.each(Object.entries(expected))('the form of %s has the fields that its params need', (type, kinds) => {
  expect(kindsOf(paramFields(info(type)))).toEqual(kinds);
});

test.each(operators)(
  'the form of $type leaves no param out and gives each a title and an explanation',
  (operator) => {
    const fields = paramFields(operator);
    expect(fields.map((field) => field.name)).toEqual(
      Object.keys((operator.params['properties'] as object) ?? {}),
    );
    for (const field of fields) {
      expect(field.title).not.toBe('');
      expect(field.doc).toBeTruthy();
    }
  },
);

test.each(operators)('the examples of $type show no fault beside a field', (operator) => {
  for (const example of operator.examples.filter((e) => !e.error)) {
    const faults = paramFields(operator).map((field) => faultOf(field, example.params?.[field.name]));
    expect(faults.filter(Boolean)).toEqual([]);
  }
});

test.each(operators)(
  'expressions in the form of $type are offered exactly where they are evaluated',
  (operator) => {
    const dynamic = everyField(paramFields(operator)).filter((field) => field.dynamic);
    if (operator.trigger) expect(dynamic).toEqual([]);
    for (const name of operator.literalParams) expect(dynamic.map((field) => field.name)).not.toContain(name);
  },
);

test('names of ports and the list that holds them are fixed, the conditions beside them are not', () => {
  const [cases] = paramFields(info('logic.switch'));
  const item = cases?.shape.kind === 'list' ? cases.shape.item : undefined;
  const [name, when] = item?.shape.kind === 'object' ? item.shape.fields : [];
  expect([cases?.dynamic, name?.dynamic, when?.dynamic, when?.lazy]).toEqual([false, false, true, true]);
  expect(name?.shape).toMatchObject({ kind: 'text', portName: true });
});

test('the form is made once for each operator', () => {
  expect(paramFields(info('core.map'))).toBe(paramFields(info('core.map')));
});

test('the bounds that zod writes for any whole number are not shown', () => {
  const [free, bound] = schemaFields(z.toJSONSchema(z.object({ a: z.int(), b: z.int().min(1).max(5000) })));
  expect(free?.shape).toEqual({ kind: 'number', integer: true, bounds: undefined });
  expect(bound?.shape).toEqual({ kind: 'number', integer: true, bounds: '1 to 5,000' });
});

test('settings of a flow and of retries make forms too', () => {
  const json = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' });
  expect(kindsOf(schemaFields(json(Retry)))).toEqual({
    attempts: 'number',
    backoffMs: 'number',
    factor: 'number',
    jitter: 'number',
  });
  expect(kindsOf(schemaFields(json(FlowSettings)))).toMatchObject({ timeoutMs: 'number', record: 'select' });
});

test('a union is told apart by its constant field and shows the fields of each branch', () => {
  const schema = z.object({
    auth: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('none') }),
      z.object({ kind: z.literal('basic'), user: z.string() }),
    ]),
  });
  const [field] = schemaFields(z.toJSONSchema(schema));
  expect(field?.shape).toMatchObject({
    kind: 'union',
    tag: 'kind',
    variants: [
      { value: 'none', fields: [] },
      { value: 'basic', fields: [{ name: 'user' }] },
    ],
  });
});

test('a union may have plain words beside its objects', () => {
  const choice = z.union([
    z.enum(['none', 'api-key']),
    z.object({ type: z.literal('basic'), user: z.string() }),
  ]);
  const schema = z.object({ auth: choice.default('api-key') });
  const [field] = schemaFields(z.toJSONSchema(schema, { io: 'input' })) as [FormField];
  expect(field).toMatchObject({
    defaultValue: 'api-key',
    shape: {
      kind: 'union',
      tag: 'type',
      variants: [
        { value: 'none', word: true, fields: [] },
        { value: 'api-key', word: true, fields: [] },
        { value: 'basic', word: false, fields: [{ name: 'user' }] },
      ],
    },
  });
});

test('a value that may be null is edited as the value', () => {
  const [field] = schemaFields(z.toJSONSchema(z.object({ n: z.number().nullable().describe('How many.') })));
  expect(field).toMatchObject({ doc: 'How many.', shape: { kind: 'number' } });
});

test('a fault is told for fixed values and not for expressions or absent values', () => {
  const [status] = paramFields(info('core.respond')) as [FormField];
  expect(faultOf(status, 999)).toBe('Write a number of at most 599.');
  expect(faultOf(status, '{{ input.code }}')).toBeUndefined();
  expect(faultOf(status, undefined)).toBeUndefined();
  expect(faultOf(status, 204)).toBeUndefined();
});

test('params that the operator lacks are named', () => {
  expect(unknownParams(info('text.template'), { template: 'a', tmplate: 'b' })).toEqual(['tmplate']);
});

test('a field is looked for from the inside to the outside', () => {
  expect(fieldChain('params.cases[0].when')).toEqual([
    'params.cases[0].when',
    'params.cases[0]',
    'params.cases',
    'params',
  ]);
  expect(fieldChain('params.headers["x-a b"]')[0]).toBe('params.headers["x-a b"]');
  expect(fieldChain('no path at all!')).toEqual([]);
});

test('settings of ours have words, the fields of a request the names that their author chose', () => {
  const timeLimit = paramFields(info('http.request')).find(({ name }) => name === 'timeoutMs');
  expect(timeLimit).toMatchObject({
    title: 'Time limit',
    group: 'Limits',
    shape: { kind: 'number', measure: 'ms', bounds: '1 ms to 1 h' },
  });
  const schema = z.toJSONSchema(z.object({ timeoutMs: z.number(), existing: z.enum(['skip']) }));
  expect(schemaFields(schema)).toMatchObject([
    { title: 'Timeout ms', group: undefined, shape: { measure: undefined } },
    { title: 'Existing', shape: { options: [{ value: 'skip', label: 'skip' }] } },
  ]);
});

test.each(operators)(
  'each choice of $type has a word, and its options are no more than what few need',
  (operator) => {
    const fields = everyField(paramFields(operator));
    for (const { shape } of fields)
      if (shape.kind === 'select' || shape.kind === 'choices')
        for (const { label, value } of shape.options)
          expect(label, String(value)).toMatch(/^[A-Z]|^[a-z0-9]+[-_0-9]/);
    const essentials = paramFields(operator).filter(({ group }) => group === undefined);
    expect(essentials.length).toBeLessThanOrEqual(5);
  },
);

/** Every text of every catalogue. */
const catalogued = new Set(
  ['editor', 'server', 'data'].flatMap((name) => {
    const file = readFileSync(new URL(`../../words/${name}.json`, import.meta.url), 'utf8');
    return Object.values(JSON.parse(file) as Record<string, readonly string[]>).flat();
  }),
);

test.each(operators)(
  'each label and each help in the form of $type is in the catalogue of texts',
  (operator) => {
    const shown = everyField(paramFields(operator)).flatMap(({ title, doc = '', group = '', shape }) => {
      const options = shape.kind === 'select' || shape.kind === 'choices' ? shape.options : [];
      const labels = options.flatMap(({ label, value }) => (label === String(value) ? [] : [label]));
      const variants = shape.kind === 'union' ? shape.variants.map((variant) => variant.title) : [];
      return [title, doc, group, ...labels, ...variants];
    });
    expect(shown.filter((text) => text !== '' && !catalogued.has(text))).toEqual([]);
  },
);

test('titles are made of names', () => {
  expect(['maxItems', 'backoff_ms', 'x-token', 'url'].map(titleOf)).toEqual([
    'Max items',
    'Backoff ms',
    'X token',
    'Url',
  ]);
});

test('a new case has a name that can be a port and an empty condition', () => {
  const [cases] = paramFields(info('logic.switch'));
  const item = cases?.shape.kind === 'list' ? cases.shape.item : undefined;
  expect(item && initialValue(item, { list: 'cases', count: 1 })).toEqual({ name: 'case_2', when: '' });
  expect(['cases', 'branches', 'inputs', 'entries', 'headers'].map(singular)).toEqual([
    'case',
    'branch',
    'input',
    'entry',
    'header',
  ]);
});
