import { describe, expect, it } from 'vitest';
import { builtIns, flowOf } from '../testing/play.ts';
import { renamePort } from '../check/edit.ts';

const { catalog } = builtIns;
const flow = flowOf(
  {
    t: 'trigger.manual',
    sw: {
      operator: 'logic.switch',
      params: { cases: [{ name: 'hot', when: '{{ input.t > 30 }}' }] },
      onError: 'continue',
      fallback: { hot: 1 },
    },
    m: {
      operator: 'core.map',
      params: { value: '{{ nodes.sw.hot.t + nodes.sw?.hot + nodes.sw["hot"] + input.hot }}' },
    },
    j: {
      operator: 'core.join',
      params: { inputs: [{ name: 'left' }, { name: 'right' }] },
    },
    n: { operator: 'core.map', params: { value: '{{ nodes.j.left + inputs.left }}' } },
  },
  ['t.out > sw', 'sw.hot > m', 'sw.default > j.left', 'm > j.right', 'j > n'],
);
const sw = { node: 'sw', side: 'output' } as const;
const valueOf = (of: typeof flow, node: string) => of.nodes[node]?.params?.['value'];
const ends = (of: typeof flow) => of.edges.map(({ from, to }) => `${from} ${to}`);

describe('renamePort', () => {
  it('takes along the edges, the fallback and the expressions of an output', () => {
    const renamed = renamePort(flow, sw, ['hot', 'warm'], catalog);
    expect(ends(renamed)).toContain('sw.warm m.in');
    expect(ends(renamed)).toContain('sw.default j.left');
    expect(renamed.nodes['sw']?.fallback).toEqual({ warm: 1 });
    expect(valueOf(renamed, 'm')).toBe(
      '{{ nodes.sw.warm.t + nodes.sw?.warm + nodes.sw["warm"] + input.hot }}',
    );
  });

  it('takes along the edges of an input and what the node itself reads by its name, and nothing else', () => {
    const reads = {
      ...flow,
      nodes: {
        ...flow.nodes,
        j: {
          ...flow.nodes['j'],
          operator: 'core.join',
          params: { inputs: ['left'], note: '{{ inputs.left }}' },
        },
      },
    };
    const renamed = renamePort(reads, { node: 'j', side: 'input' }, ['left', 'first'], catalog);
    expect(ends(renamed)).toContain('sw.default j.first');
    expect(renamed.nodes['j']?.params?.['note']).toBe('{{ inputs.first }}');
    expect(valueOf(renamed, 'n')).toBe('{{ nodes.j.left + inputs.left }}');
  });

  it.each([
    ['an unknown node', { ...sw, node: 'nobody' }, 'hot', 'warm'],
    ['a name that is taken', sw, 'hot', 'default'],
    ['a name that is not allowed', sw, 'hot', 'Too hot'],
    ['its own name', sw, 'hot', 'hot'],
  ] as const)('changes nothing for %s', (_, port, from, to) => {
    expect(renamePort(flow, port, [from, to], catalog)).toBe(flow);
  });
});
