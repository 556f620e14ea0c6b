import { expect, test } from 'vitest';
import { builtIns, flowOf } from '../../../engine/testing/play.ts';
import { testTools } from '../../../engine/expr/testing/test-tools.ts';
import { knownTypes } from '#engine/check';
import type { FlowNode } from '#shared/flow.ts';
import { openHole, suggestionsAt } from './expression-completion.ts';
import { previewOf } from './expression-preview.ts';
import { pathText } from './expression-text.ts';
import { expressionScope, inputValues } from './expression-scope.ts';
import type { RunValues } from './source.ts';

const { catalog } = builtIns;

const request = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'user name' },
    tags: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } },
  },
};

const nodes: Record<string, FlowNode | string> = {
  trigger: { operator: 'trigger.http', params: { path: '/orders/:id', request } },
  sort: { operator: 'logic.switch', params: { cases: [{ name: 'hot', when: '{{ true }}' }] } },
  left: 'core.map',
  right: 'core.map',
  join: 'core.join',
  merge: 'core.merge',
  aside: 'core.map',
};
const edges = [
  'trigger > sort',
  'sort.hot > left',
  'sort.default > right',
  'left > join.a',
  'right > join.b',
  'left > merge #2',
  'right > merge #1',
  'trigger > aside',
];

function scopeOf(node: string, run?: RunValues, variables?: string[]) {
  const doc = { flow: flowOf(nodes, edges), layout: { format: 1 as const, nodes: {} } };
  return { doc, catalog, node, variables, run };
}

const run: RunValues = {
  id: 'r1',
  version: 'v1',
  startedAt: 5,
  nodes: {
    trigger: { status: 'ok', outputs: { out: { name: 'Ada', tags: [{ id: 1 }], 'first name': 'A' } } },
    sort: { status: 'ok', outputs: { hot: { name: 'Ada' } } },
    left: { status: 'ok', outputs: { out: 'from left' } },
    right: { status: 'skipped', outputs: {} },
  },
};

const labels = (text: string, node = 'sort', values: RunValues | undefined = run) =>
  suggestionsAt(text, text.length, expressionScope(scopeOf(node, values, ['region'])))?.options.map(
    (o) => o.label,
  ) ?? [];

const preview = (text: string, node: string, values: RunValues | undefined = run) =>
  previewOf(text, expressionScope(scopeOf(node, values)), testTools);

// ------------------------------------------------------------------------------------------------------------- scope

test('a node sees the nodes before it and none beside or behind it', () => {
  expect([...(expressionScope(scopeOf('left')).get('nodes')?.parts?.keys() ?? [])]).toEqual([
    'sort',
    'trigger',
  ]);
});

test('`input` is there for nodes with one input only', () => {
  expect(expressionScope(scopeOf('join')).has('input')).toBe(false);
  expect([...(expressionScope(scopeOf('join')).get('inputs')?.parts?.keys() ?? [])]).toEqual(['a', 'b']);
});

test('an input that takes many edges has the live values in edge order', () => {
  const both = { ...run, nodes: { ...run.nodes, right: { status: 'ok', outputs: { out: 'from right' } } } };
  expect(inputValues(scopeOf('merge', both)).get('in')?.value).toEqual(['from right', 'from left']);
  expect(inputValues(scopeOf('merge', run)).get('in')?.value).toEqual(['from left']);
});

test('an input that nothing is connected to says so', () => {
  const doc = { flow: flowOf({ a: 'core.map' }, []), layout: { format: 1 as const, nodes: {} } };
  const inputs = inputValues({ doc, catalog, node: 'a', variables: undefined, run: undefined });
  expect(inputs.get('in')).toMatchObject({ value: undefined, why: 'Nothing is connected here.' });
});

test('`item` is there for what works on items one by one', () => {
  const flow = flowOf({ list: 'core.input', items: 'core.streamify', each: 'core.map', once: 'core.map' }, [
    'list > items',
    'items > each',
    'list > once',
  ]);
  const doc = { flow, layout: { format: 1 as const, nodes: {} } };
  const has = (node: string) => expressionScope({ ...scopeOf(node), doc }).has('item');
  expect([has('each'), has('once')]).toEqual([true, false]);
});

// -------------------------------------------------------------------------------------------------------- completion

test('an empty expression offers roots, functions and constants', () => {
  expect(labels('Hello {{ ')).toEqual(
    expect.arrayContaining(['input', 'nodes', 'trigger', 'vars', 'upper', 'true']),
  );
});

test('outside of an expression, and inside of a text in one, nothing is offered', () => {
  expect(labels('Hello ')).toEqual([]);
  expect(labels('{{ input }} and ')).toEqual([]);
  expect(labels('{{ "input.')).toEqual([]);
  expect(labels('\\{{ ')).toEqual([]);
});

test('without a run the fields are offered that follow from the flow', () => {
  const chain: Record<string, FlowNode | string> = {
    trigger: { operator: 'trigger.http', params: { path: '/orders', request } },
    total: {
      operator: 'core.map',
      params: { value: { count: '{{ input.tags.length }}', who: { name: '{{ input.name }}' } } },
    },
    choose: { operator: 'logic.if', params: { condition: '{{ input.count > 3 }}' } },
    none: { operator: 'core.map', params: { value: null } },
    merge: 'core.merge',
    last: 'core.map',
  };
  const between = ['trigger > total', 'total > choose', 'choose.then > merge', 'choose.else > none'];
  const flow = flowOf(chain, [...between, 'none > merge', 'merge > last']);
  const doc = { flow, layout: { format: 1 as const, nodes: {} } };
  const offered = (text: string, node: string) => {
    const scope = expressionScope({ ...scopeOf(node), doc, run: undefined, typesOf: knownTypes });
    const options = suggestionsAt(text, text.length, scope)?.options ?? [];
    return options.filter((o) => o.kind === 'field').map((o) => [o.label, o.detail]);
  };
  expect(offered('{{ input.', 'choose')).toEqual([
    ['count', 'number'],
    ['who', 'object'],
  ]);
  expect(offered('{{ input.who.', 'last')).toEqual([['name', 'string']]);
  expect(offered('{{ nodes.total.who.', 'last')).toEqual([['name', 'string']]);
});

test('`acc` is there for what folds items into one value, and nowhere else', () => {
  const flow = flowOf({ items: 'core.streamify', sum: 'core.reduce', each: 'core.map' }, [
    'items > sum',
    'items > each',
  ]);
  const doc = { flow, layout: { format: 1 as const, nodes: {} } };
  const has = (node: string) => expressionScope({ ...scopeOf(node), doc }).has('acc');
  expect([has('sum'), has('each')]).toEqual([true, false]);
});

test('of an item the fields are offered that the elements of the list have', () => {
  const filter: FlowNode = { operator: 'data.filter', params: { condition: '{{ item.id > 3 }}' } };
  const list: FlowNode = { operator: 'core.map', params: { value: '{{ input.tags }}' } };
  const trigger = nodes['trigger'] as FlowNode;
  const flow = flowOf({ trigger, list, filter }, ['trigger > list', 'list > filter']);
  const doc = { flow, layout: { format: 1 as const, nodes: {} } };
  const scope = expressionScope({ ...scopeOf('filter'), doc, typesOf: knownTypes });
  const text = '{{ item.';
  expect(suggestionsAt(text, text.length, scope)?.options[0]).toMatchObject({ label: 'id', kind: 'field' });
});

test('behind a dot the fields of the last run are offered with what they were', () => {
  const text = '{{ input.';
  const found = suggestionsAt(text, text.length, expressionScope(scopeOf('sort', run)))?.options ?? [];
  expect(found.find((o) => o.label === 'name')).toMatchObject({ kind: 'field', detail: '"Ada"' });
});

test('without a run the fields come from the request schema', () => {
  const text = '{{ input.na';
  const found = suggestionsAt(text, text.length, expressionScope(scopeOf('sort')));
  expect(found?.from).toBe('{{ input.'.length);
  expect(found?.options.find((o) => o.label === 'name')).toMatchObject({
    detail: 'string',
    doc: 'user name',
  });
});

test('only nodes before this one are offered', () => {
  expect(labels('{{ nodes.', 'left')).toEqual(expect.arrayContaining(['sort', 'trigger']));
  expect(labels('{{ nodes.', 'left')).not.toContain('join');
  expect(labels('{{ nodes.', 'left')).not.toContain('left');
});

test('a node with several outputs offers them before their fields', () => {
  expect(labels('{{ nodes.sort.', 'left')).toEqual(expect.arrayContaining(['hot', 'default']));
  expect(labels('{{ nodes.sort.hot.', 'left')).toContain('name');
});

test('texts and arrays offer their methods, and not those of the other', () => {
  expect(labels('{{ input.name.')).toEqual(expect.arrayContaining(['length', 'toUpperCase', 'split']));
  expect(labels('{{ input.name.')).not.toContain('map');
  expect(labels('{{ input.tags.')).toEqual(expect.arrayContaining(['length', 'map', 'filter']));
  expect(labels('{{ input.tags.')).not.toContain('toUpperCase');
});

test('inside of a function its parameter and the fields of an element are offered', () => {
  expect(labels('{{ input.tags.map(tag => ta')).toContain('tag');
  expect(labels('{{ input.tags.map(tag => tag.')).toContain('id');
  expect(labels('{{ input.tags.map(tag => tag.', 'sort', undefined)).toContain('id');
});

test('elements, optional links, variables and the parts of the path are walked through', () => {
  expect(labels('{{ input.tags[0].')).toContain('id');
  expect(labels('{{ nodes.trigger?.', 'left')).toContain('name');
  expect(labels('{{ vars.')).toContain('region');
  expect(labels('{{ trigger.params.')).toContain('id');
});

test('a field that a dot cannot name is written in brackets', () => {
  const text = '{{ input.';
  const found = suggestionsAt(text, text.length, expressionScope(scopeOf('sort', run)))?.options ?? [];
  expect(found.find((o) => o.label === 'first name')?.apply).toBe('["first name"]');
});

test('a closing sign inside of a text does not end the expression', () => {
  expect(openHole('{{ "}}" + ', 10)).toEqual({ start: 2, inText: false });
  expect(openHole('{{ a }} b', 9)).toBeUndefined();
  expect(openHole('{{ a /* " }} */ + ', 18)).toEqual({ start: 2, inText: false });
  expect(openHole('{{ a // b', 9)).toEqual({ start: 2, inText: true });
  expect(openHole('{{ a // b\n + ', 13)).toEqual({ start: 2, inText: false });
  expect(openHole('{{ a }}', 6)).toEqual({ start: 2, inText: false });
});

// ----------------------------------------------------------------------------------------------------------- preview

test('a text is previewed with the values of the last run', () => {
  expect(preview('Hello, {{ input.name }}!', 'sort')).toEqual({ kind: 'value', value: 'Hello, Ada!' });
  expect(preview('{{ nodes.trigger.tags }}', 'left')).toEqual({ kind: 'value', value: [{ id: 1 }] });
  expect(preview('{{ inputs.in.name }}', 'sort')).toEqual({ kind: 'value', value: 'Ada' });
  expect(preview('{{ run.version }}', 'sort')).toEqual({ kind: 'value', value: 'v1' });
});

test('a text without expressions needs no preview', () => {
  expect(preview('Hello', 'sort')).toEqual({ kind: 'plain' });
});

test('without a run the preview says how to get one', () => {
  expect(previewOf('{{ input.name }}', expressionScope(scopeOf('sort')))).toEqual({
    kind: 'missing',
    message: 'Run the flow once to preview.',
  });
});

test('what needs no data is previewed without a run', () => {
  expect(previewOf('{{ 1 + 2 }}', expressionScope(scopeOf('sort')))).toEqual({ kind: 'value', value: 3 });
});

test('a missing field, a syntax error and an unknown name are told in the words of the engine', () => {
  expect(preview('{{ input.nmae }}', 'sort')).toMatchObject({
    kind: 'error',
    code: 'missing_field',
    message: expect.stringContaining('did you mean `input.name`'),
  });
  expect(preview('{{ input. }}', 'sort')).toMatchObject({ kind: 'error', code: 'expression-syntax' });
  expect(preview('{{ nodes.nobody }}', 'sort')).toMatchObject({
    kind: 'error',
    code: 'expression-unknown-name',
  });
});

test('reading a skipped node fails as in a run, and `?.` allows for it', () => {
  expect(preview('{{ nodes.right }}', 'join')).toMatchObject({ kind: 'error', code: 'node_skipped' });
  expect(preview('{{ nodes.right ?? "none" }}', 'join')).toEqual({ kind: 'value', value: 'none' });
});

const requested = { ...run, trigger: 'trigger', input: { id: 7, name: 'Ada' } };
const known = (text: string, values: RunValues = requested) =>
  previewOf(
    text,
    expressionScope({
      ...scopeOf('sort', values, ['region', 'limit']),
      values: { region: { name: 'north' } },
    }),
  );

test.each([
  ['{{ trigger.query.name }}', 'Ada'],
  ['{{ trigger.params }}', { id: '7' }],
  ['{{ trigger.query.id + 1 }}', '71'],
  ['{{ trigger.method }}', 'GET'],
  ['{{ vars.region.name }}', 'north'],
])('%s is previewed by the last run and the variables of the server', (text, value) => {
  expect(known(text)).toEqual({ kind: 'value', value });
});

test('what of a request is not kept, and a variable that is not told, is missing with the reason', () => {
  for (const text of ['{{ trigger.headers.host }}', '{{ trigger.body.name }}'])
    expect(known(text)).toMatchObject({ kind: 'missing', message: expect.stringContaining('not recorded') });
  expect(known('{{ vars.limit }}')).toMatchObject({ kind: 'missing' });
  const large = { ...requested, input: { $large: { size: 9, preview: '' } } };
  expect(known('{{ trigger.query.name }}', large)).toMatchObject({ kind: 'missing' });
  expect(preview('{{ trigger.query.name }}', 'sort', undefined)).toMatchObject({ kind: 'missing' });
});

test('patterns and dates wait for their library', () => {
  expect(preview('{{ matches(input.name, "^A") }}', 'sort')).toEqual({ kind: 'value', value: true });
  expect(previewOf('{{ matches(input.name, "^A") }}', expressionScope(scopeOf('sort', run)))).toMatchObject({
    kind: 'missing',
    needs: 'regex',
  });
  const scope = expressionScope(scopeOf('sort', run));
  expect(previewOf('{{ formatDate(now(), "yyyy") }}', scope)).toMatchObject({ needs: 'dates' });
  expect(previewOf('{{ formatDate("2026-01-01", "yyyy") }}', scope)).toMatchObject({ needs: 'dates' });
});

test('the time is the start of the run on the canvas, in the zone of the flow', () => {
  const scope = expressionScope(scopeOf('sort', run));
  const tools = { ...testTools, timezone: 'Europe/Oslo' };
  expect(previewOf('{{ now() }}', scope, tools)).toEqual({
    kind: 'value',
    value: '1970-01-01T01:00:00.005+01:00',
  });
  expect(previewOf('{{ clock() }}', scope, tools)).toMatchObject({ kind: 'value' });
  expect(previewOf('{{ now() }}', expressionScope(scopeOf('sort')), tools)).toMatchObject({ kind: 'value' });
  expect(previewOf('{{ now() }}', new Map(), tools)).toMatchObject({ kind: 'missing' });
});

test('what only a run makes is not made up', () => {
  const scope = expressionScope(scopeOf('sort', run));
  for (const text of ['{{ random() }}', '{{ hash("a") }}'])
    expect(previewOf(text, scope, { dates: testTools.dates })).toMatchObject({ kind: 'missing' });
});

test('paths are written as the language reads them', () => {
  expect(pathText('input', ['items', 0, 'first name', 'x'])).toBe('input.items[0]["first name"].x');
});

test('a node in a body reads the nodes before it there, the start, and those before the node around it', () => {
  const flow = flowOf(
    { trigger: nodes['trigger'] as FlowNode, before: 'core.map', loop: 'core.map', after: 'core.map' },
    ['trigger > before', 'before > loop', 'loop > after'],
  );
  const inner = flowOf({ first: 'core.map', last: 'core.map' }, ['row > first', 'first > last']);
  const body = { start: 'row', nodes: inner.nodes, edges: inner.edges };
  const loop: FlowNode = { operator: 'data.for-each', params: { items: '{{ ["a", "b"] }}' }, body };
  const doc = {
    flow: { ...flow, nodes: { ...flow.nodes, loop } },
    layout: { format: 1 as const, nodes: {} },
  };
  const scope = expressionScope({
    doc,
    catalog,
    node: 'last',
    variables: [],
    run: undefined,
    typesOf: knownTypes,
  });
  expect([...(scope.get('nodes')?.parts?.keys() ?? [])]).toEqual(['before', 'first', 'row', 'trigger']);
  const row = scope.get('nodes')?.parts?.get('row');
  expect(row?.schema).toEqual({ type: 'string', enum: ['a', 'b'] });
});
