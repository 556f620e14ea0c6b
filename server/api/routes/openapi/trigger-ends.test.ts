import { expect, test } from 'vitest';
import { compile, type Plan } from '#engine';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { expressionTools } from '../../../base/adapters/expression-tools.ts';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import { triggerEnds } from './trigger-ends.ts';

/** The ends of a flow with a trigger `t`, from its nodes and edges such as `t > a` or `a.then > b`. */
async function ends(nodes: Record<string, FlowNode | string>, edges: readonly string[]) {
  const { registry } = await loadOperators({ builtIn: true });
  const full = Object.entries({ t: 'trigger.manual', ...nodes }).map(([id, node]) => [
    id,
    typeof node === 'string' ? { operator: node } : node,
  ]);
  const flow: Flow = {
    format: 1,
    id: 'f',
    nodes: Object.fromEntries(full) as Flow['nodes'],
    edges: edges.map((edge) => {
      const [from = '', to = ''] = edge.split(' > ');
      return { from: from.includes('.') ? from : `${from}.out`, to: to.includes('.') ? to : `${to}.in` };
    }),
  };
  const plan = compile(flow, 'v', registry, expressionTools('UTC')).plans.get('t') as Plan;
  return triggerEnds(plan, flow);
}

const iff: FlowNode = { operator: 'logic.if', params: { condition: '{{ input.a }}' } };
const respond = (status?: unknown): FlowNode => ({
  operator: 'core.respond',
  params: status === undefined ? {} : { status },
});

test('a flow whose last node always runs has one answer', async () => {
  expect(await ends({ m: 'core.map' }, ['t > m'])).toEqual({ statuses: [], mayBeEmpty: false });
  const both = await ends({ i: iff, a: 'core.map', b: 'core.map' }, ['t > i', 'i.then > a', 'i.else > b']);
  expect(both.mayBeEmpty).toBe(false);
  const merged = await ends({ i: iff, a: 'core.map', m: 'core.merge' }, [
    't > i',
    'i.then > a',
    'a > m',
    'i.else > m',
  ]);
  expect(merged.mayBeEmpty).toBe(false);
  const joined = await ends({ a: 'core.map', b: 'core.map', j: 'core.join' }, [
    't > a',
    't > b',
    'a > j',
    'b > j',
  ]);
  expect(joined.mayBeEmpty).toBe(false);
});

test('a branch that leads nowhere may end a run without a result', async () => {
  const one = await ends({ i: iff, a: respond(201) }, ['t > i', 'i.then > a']);
  expect(one).toEqual({ statuses: [201], mayBeEmpty: true });
  const routed = { operator: 'core.map', onError: 'route' } as const;
  const error = await ends({ a: routed, b: respond(), c: respond(502) }, ['t > a', 'a > b', 'a.error > c']);
  expect(error).toEqual({ statuses: [200, 502], mayBeEmpty: false });
  expect((await ends({ a: routed, b: respond() }, ['t > a', 'a > b'])).mayBeEmpty).toBe(true);
});

test('each respond node has its status, and an expression any successful one', async () => {
  const nodes = { i: iff, a: respond('{{ input.status }}'), b: respond(404) };
  expect(await ends(nodes, ['t > i', 'i.then > a', 'i.else > b'])).toEqual({
    statuses: ['2XX', 404],
    mayBeEmpty: false,
  });
});
