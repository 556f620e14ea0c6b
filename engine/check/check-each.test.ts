import { describe, expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { applyFix } from '../flow/apply-fix.ts';
import { formatFlow } from '../flow/canonical.ts';
import { parse } from '../flow/parse.ts';
import { testWorld } from '../testing/catalog.ts';
import { builtIns, flowOf } from '../testing/play.ts';
import { check } from './check.ts';

const t = {
  operator: 'trigger.http',
  params: {
    path: '/x',
    methods: ['POST'],
    auth: 'none',
    request: {
      type: 'object',
      required: ['lines', 'name'],
      properties: {
        lines: {
          type: 'array',
          items: { type: 'object', required: ['n'], properties: { n: { type: 'number' } } },
        },
        names: { type: 'array', items: { type: 'string' } },
        name: { type: 'string' },
      },
    },
  },
};

const found = (nodes: Record<string, FlowNode | string>, edges: string[]) =>
  check({ ...flowOf({ t, ...nodes }, edges), format: 2 }, builtIns.catalog, testWorld).filter(
    ({ code }) => code !== 'unknown-auth',
  );

const lines = { operator: 'core.map', params: { value: '{{ input.lines }}' } };

describe('check of `each`', () => {
  test.each<[string, FlowNode, RegExp]>([
    ['an operator that responds', { operator: 'core.respond', each: {} }, /answers the caller/],
    ['an operator of streams', { operator: 'core.unstreamify', each: {} }, /takes whole streams/],
    ['an operator of many edges', { operator: 'core.merge', each: {} }, /several edges/],
    ['an operator that gives a stream', { operator: 'core.streamify', each: {} }, /is a stream/],
    [
      'a text for a list',
      { operator: 'text.template', params: { template: 'x' }, each: { items: 'lines' } },
      /never a list/,
    ],
    [
      'two ways for failed items',
      {
        operator: 'text.template',
        params: { template: 'x' },
        onError: 'continue',
        fallback: { out: '' },
        each: { onItemError: 'skip' },
      },
      /leave one of the two out/,
    ],
    [
      'a report among several outputs',
      { operator: 'logic.if', params: { condition: '{{ input.n > 1 }}' }, each: { onItemError: 'collect' } },
      /several outputs/,
    ],
  ])('refuses %s', (_, n, message) => {
    expect(found({ lines, n }, ['t > lines', 'lines > n'])).toContainEqual(
      expect.objectContaining({
        code: 'bad-each',
        severity: 'error',
        node: 'n',
        message: expect.stringMatching(message),
      }),
    );
  });

  test('is refused in format 1, and the file is written in format 2', () => {
    const flow = flowOf(
      { t, lines, n: { operator: 'text.template', params: { template: '{{ input.n }}' }, each: {} } },
      [],
    );
    const text = formatFlow(flow);
    expect(text).toMatch(/"format": 2/);
    expect(parse(text).flow).toMatchObject({ format: 2 });
    expect(parse(text.replace('"format": 2', '"format": 1')).problems).toMatchObject([
      { code: 'bad-format', field: 'format', message: expect.stringContaining('`"format": 2`') },
    ]);
  });

  test('knows the types of items and lists', () => {
    const each = { operator: 'core.map', params: { value: '{{ input.n + index }}' }, each: {} };
    const after = { operator: 'core.map', params: { value: '{{ input.map(n => n * 2) }}' } };
    expect(found({ lines, each, after }, ['t > lines', 'lines > each', 'each > after'])).toEqual([]);
    const wrong = { operator: 'core.map', params: { value: '{{ input.m }}' }, each: {} };
    expect(found({ lines, wrong }, ['t > lines', 'lines > wrong'])).toMatchObject([
      { code: 'missing-field', node: 'wrong' },
    ]);
    const whole = { operator: 'core.map', params: { value: '{{ input.n }}' } };
    expect(found({ lines, each, whole }, ['t > lines', 'lines > each', 'each > whole'])).toMatchObject([
      { node: 'whole' },
    ]);
  });

  test('knows the item of a list in an expression', () => {
    const good = {
      operator: 'core.map',
      params: { value: '{{ input.n }}' },
      each: { items: '{{ input.lines }}' },
    };
    const n = { operator: 'core.map', params: { value: '{{ input }}' } };
    expect(found({ n, good }, ['t > n', 'n > good'])).toEqual([]);
    const bad = { ...good, params: { value: '{{ input.lines }}' } };
    expect(found({ n, bad }, ['t > n', 'n > bad'])).toMatchObject([{ code: 'missing-field', node: 'bad' }]);
    const unknown = { ...good, each: { items: '{{ nodes.nobody }}' } };
    expect(found({ n, unknown }, ['t > n', 'n > unknown'])).toMatchObject([
      { code: 'expression-unknown-name', node: 'unknown', field: 'each.items' },
    ]);
  });

  test('refuses a value that is certainly no list', () => {
    const name = { operator: 'core.map', params: { value: '{{ input.name }}' } };
    const each = { operator: 'core.map', params: { value: '{{ input }}' }, each: {} };
    expect(found({ name, each }, ['t > name', 'name > each'])).toMatchObject([
      { code: 'type-mismatch', node: 'each', field: 'each' },
    ]);
  });

  test('offers it where a list meets an operator for one value', () => {
    const names = { operator: 'core.map', params: { value: '{{ input.names ?? [] }}' } };
    const split = { operator: 'text.split', params: {} };
    const flow = flowOf({ t, names, split }, ['t > names', 'names > split']);
    const problem = check(flow, builtIns.catalog, testWorld).find(({ code }) => code === 'type-mismatch');
    expect(problem?.fix).toEqual({
      kind: 'set-field',
      title: 'Run the node for each item',
      node: 'split',
      field: 'each',
      value: {},
    });
    const mended = applyFix(flow, problem?.fix as never);
    expect(check(mended, builtIns.catalog, testWorld).filter(({ code }) => code === 'type-mismatch')).toEqual(
      [],
    );
  });

  test('lets both sides of a divided list be read together', () => {
    const large = { operator: 'logic.if', params: { condition: '{{ input.n > 1 }}' }, each: {} };
    const flow = [
      { lines, large, both: 'core.join', yes: 'data.sort', no: 'data.sort' },
      ['t > lines', 'lines > large', 'large.then > both.a', 'large.else > both.b'],
    ] as const;
    expect(found({ lines, large, both: 'core.join' }, [...flow[1]])).toEqual([]);
  });
});
