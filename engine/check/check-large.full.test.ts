import { describe, expect, it } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { testCatalog } from '../testing/catalog.ts';
import { flowOf } from '../testing/flows.ts';
import { check, formatFlow, parse, type World } from './index.ts';

const world: World = { routes: [], variables: [], secrets: [] };
const N = 9_999;
const ids = Array.from({ length: N }, (_, i) => `n${i}`);
const nodesOf = (make: (i: number) => FlowNode) => ({
  t: 'trigger.manual',
  ...Object.fromEntries(ids.map((id, i) => [id, make(i)])),
});
const map = (value: string): FlowNode => ({ operator: 'core.map', params: { value } });
const chain = ids.map((id, i) => `${i === 0 ? 't' : `n${i - 1}`}.out > ${id}.in`);
const codes = (flow: ReturnType<typeof flowOf>) => check(flow, testCatalog, world).map((p) => p.code);

describe('check of a flow of 10,000 nodes', () => {
  it('finds nothing wrong with a chain, read from its file', () => {
    const { flow, problems, locate } = parse(
      formatFlow(
        flowOf(
          nodesOf(() => map('{{ input }}')),
          chain,
        ),
      ),
    );
    expect(problems).toEqual([]);
    expect(flow && check(flow, testCatalog, world, locate)).toEqual([]);
  });

  it('finds nothing wrong with a chain of which every node reads another one', () => {
    const read = (i: number) => map(i === 0 ? '{{ input }}' : `{{ nodes.n${(i * 7919) % i} }}`);
    expect(codes(flowOf(nodesOf(read), chain))).toEqual([]);
  });

  it('reports a cycle through all of it as one whole cycle', () => {
    const ring = ['t.out > n0.in', `n${N - 1}.out > n0.in`, ...chain.slice(1)];
    const nodes = { ...nodesOf(() => map('{{ input }}')), n0: 'core.merge' };
    const problems = check(flowOf(nodes, ring), testCatalog, world);
    expect(problems.map((p) => p.code)).toEqual(['cycle']);
    expect(problems[0]?.nodes).toEqual(ids);
    expect(problems[0]?.message.length).toBeLessThan(300);
  });

  it('tells the leaves of a long row of choices apart', () => {
    const iff: FlowNode = { operator: 'logic.if', params: { condition: '{{ input }}' } };
    const row = Array.from({ length: 1_000 }, (_, i) => [`i${i}`, iff] as const);
    const leaves = Array.from({ length: 1_000 }, (_, i) => [`m${i}`, 'core.map'] as const);
    const edges = row.flatMap(([id], i) => [
      `${i === 0 ? 't.out' : `i${i - 1}.else`} > ${id}.in`,
      `${id}.then > m${i}.in`,
    ]);
    expect(codes(flowOf({ t: 'trigger.manual', ...Object.fromEntries([...row, ...leaves]) }, edges))).toEqual(
      [],
    );
  });

  it('takes thousands of triggers before one tail, and thousands of mistyped names', () => {
    const triggers = Object.fromEntries(ids.slice(0, 3_000).map((id) => [id, 'trigger.manual']));
    const tail = ids.slice(3_000).map((id, i) => [id, i % 2 === 0 ? 'core.merge' : 'core.mapp'] as const);
    const edges = [...ids.slice(0, 3_000), ...ids.slice(3_000, -1)].map(
      (id, i) => `${id}.out > n${Math.max(3_000, i + 1)}.in`,
    );
    const problems = check(flowOf({ ...triggers, ...Object.fromEntries(tail) }, edges), testCatalog, world);
    expect(problems.filter((p) => p.code === 'unknown-operator')).toHaveLength(
      tail.filter(([, type]) => type === 'core.mapp').length,
    );
  });

  it('turns away one node more', () => {
    expect(codes(flowOf({ ...nodesOf(() => map('')), more: 'core.map' }))).toEqual(['too-many-nodes']);
  });
});
