import { describe, expect, test } from 'vitest';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { applyFix } from '../flow/apply-fix.ts';
import { testWorld } from '../testing/catalog.ts';
import { builtIns, flowOf } from '../testing/play.ts';
import { check } from './check.ts';

/** A read of what callers may leave out fails then: two fixes are offered, and each of them ends the problem. */
const request = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    amount: { type: 'number' },
    size: { enum: ['small', 'large'] },
    note: { type: 'string', default: 'none' },
  },
};
const http = { operator: 'trigger.http', params: { path: '/x', auth: 'none', methods: ['POST'], request } };
const form = {
  operator: 'trigger.form',
  params: {
    path: '/f',
    fields: [
      { name: 'email', required: true },
      { name: 'amount', type: 'number' },
      { name: 'ok', type: 'boolean' },
    ],
  },
};

const reads = (flow: Flow) =>
  check(flow, builtIns.catalog, testWorld).filter(({ code }) => code === 'missing-field');

/** A trigger and, behind it, a node. */
const pair = (start: FlowNode, value: string): Flow =>
  flowOf({ start, say: { operator: 'core.map', params: { value } } }, ['start > say']) as Flow;

describe('a read of an optional field of a trigger', () => {
  test.each([
    ['of a request', http, 'input.amount > 100'],
    ['in a text', http, '"" + input.amount'],
    ['by the id of the trigger', http, 'nodes.start.amount'],
    ['of a choice', http, 'input.size'],
    ['of a start by hand', { operator: 'trigger.manual', params: { input: request } }, 'input.amount'],
    ['of a form', form, 'input.amount'],
  ])('%s is a warning', (_, start, expression) => {
    const problems = reads(pair(start, `{{ ${expression} }}`));
    expect(problems).toMatchObject([{ severity: 'warning', node: 'say', field: 'params.value' }]);
    expect(problems[0]?.message).toContain('callers may leave it out');
    expect(problems[0]?.fix, 'nobody chooses for people').toBeUndefined();
  });

  test.each([
    ['required', http, 'input.name'],
    ['with a default', http, 'input.note'],
    ['read with ??', http, 'input.amount ?? 0'],
    ['read with ?.', http, 'input?.amount'],
    ['behind a condition', http, 'input.name == "x" ? input.amount : 0'],
    ['required in a form', form, 'input.email'],
    ['a box of a form', form, 'input.ok'],
  ])('%s is none', (_, start, expression) => {
    expect(reads(pair(start, `{{ ${expression} }}`))).toEqual([]);
  });

  test.each([http, { operator: 'trigger.manual', params: { input: request } }])(
    'each of its fixes ends it: %j',
    (start) => {
      const flow = pair(start, '{{ input.amount + 1 }}');
      const fixes = reads(flow)[0]?.fixes ?? [];
      expect(fixes.map(({ title }) => title)).toEqual(['Require it', 'Set a default']);
      for (const fix of fixes)
        expect(check(applyFix(flow, fix), builtIns.catalog, testWorld)).toEqual(
          check(pair(start, '{{ input.name }}'), builtIns.catalog, testWorld),
        );
    },
  );

  test('a form field, which has no default, can be required', () => {
    const flow = pair(form, '{{ input.amount }}');
    const fixes = reads(flow)[0]?.fixes ?? [];
    expect(fixes.map(({ title }) => title)).toEqual(['Require it']);
    for (const fix of fixes) expect(reads(applyFix(flow, fix))).toEqual([]);
  });

  test('is found behind a node that passes its input on, and not where a node gave the value itself', () => {
    const nodes = {
      start: http,
      large: { operator: 'logic.if', params: { condition: '{{ input.name == "x" }}' } },
      say: { operator: 'core.map', params: { value: '{{ input.amount }}' } },
    };
    expect(reads(flowOf(nodes, ['start > large', 'large.then > say']) as Flow)).toHaveLength(1);
    const given = { ...nodes, large: { operator: 'core.map', params: { value: { amount: 1 } } } };
    expect(reads(flowOf(given, ['start > large', 'large > say']) as Flow)).toEqual([]);
  });
});
