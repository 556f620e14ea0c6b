import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { check } from '#engine/check';
import { builtIns } from '../../engine/testing/play.ts';
import { titledProblems } from './titled-problems.ts';

const { catalog } = builtIns;
const world = { routes: [], variables: undefined, secrets: undefined };

function messagesOf(flow: object): readonly string[] {
  const whole = { format: 1, id: 'f', ...flow } as Flow;
  return titledProblems(whole, catalog, check(whole, catalog, world)).map(({ message }) => message);
}

const orders = {
  form: {
    operator: 'trigger.form',
    name: 'Order form',
    params: { path: '/orders', fields: [{ name: 'orders', type: 'file' }] },
  },
  read: { operator: 'data.read-csv' },
};

test('a type that does not fit names the nodes by their titles', () => {
  const [message = ''] = messagesOf({ nodes: orders, edges: [{ from: 'form.out', to: 'read.in' }] });
  expect(message).toMatch(/^“Order form” gives `.*`, but “Read CSV” takes `file`\./);
  expect(message).not.toMatch(/\b(?:form|read)\.(?:out|in)\b/);
});

test('nodes of one title are told apart by their ids, and ports that are not the only one by their names', () => {
  const problem: Problem = {
    code: 'type-mismatch',
    severity: 'error',
    message: '`a.rows` gives `text`, but `b.in` takes `file`; `c` is `a.rows` too.',
    nodes: ['a', 'b'],
  };
  const node = { operator: 'data.read-csv' };
  const flow = {
    format: 1,
    id: 'f',
    nodes: { a: node, b: node, c: node },
    edges: [{ from: 'a.rows', to: 'b.in' }],
  } as Flow;
  expect(titledProblems(flow, catalog, [problem])[0]?.message).toBe(
    '“Read CSV” (`a.rows`) gives `text`, but “Read CSV” (`b`) takes `file`; `c` is “Read CSV” (`a.rows`) too.',
  );
});

test('what an expression says stays as it is, and a title cannot write code', () => {
  const read: Problem = {
    code: 'missing-field',
    severity: 'error',
    message: '`input` is a text; it has no fields.',
    node: 'input',
    offset: 3,
  };
  const edge: Problem = {
    code: 'missing-input',
    severity: 'error',
    message: '`input` needs.',
    node: 'input',
  };
  const flow = {
    format: 1,
    id: 'f',
    nodes: { input: { operator: 'core.map', name: `\`<img src=x>\` ${'x'.repeat(200)}` } },
    edges: [],
  } as unknown as Flow;
  const [first, second] = titledProblems(flow, catalog, [read, edge]);
  expect(first).toBe(read);
  expect(second?.message).toMatch(/^“’<img src=x>’ x{45}…” needs\.$/);
});
