import { describe, expect, test } from 'vitest';
import { produce } from 'immer';
import type { Flow } from '#shared/flow.ts';
import { catalog } from '../testing/catalog.ts';
import type { Doc, EdgeId } from './document.ts';
import { mapOnto, mapOntoEdge } from './map-path.ts';

const flow = {
  format: 2,
  id: 'x',
  nodes: {
    start: { operator: 'trigger.http', params: { path: '/x' } },
    make: { operator: 'text.template', params: { template: 'x' } },
    use: { operator: 'text.template', params: { template: 'x' } },
    later: { operator: 'core.group' },
  },
  edges: [
    { from: 'start.out', to: 'make.in' },
    { from: 'make.out', to: 'use.in', pick: 'data' },
  ],
} as unknown as Flow;
const doc: Doc = { flow, layout: { format: 1, nodes: {} } as Doc['layout'] };

function edgesAfter(path: string, to: string, node: string | undefined = 'use') {
  const change = mapOnto(doc, catalog, { path, node }, to);
  return typeof change === 'string' ? change : produce(doc, change).flow.edges;
}

describe('a value that is dropped onto an input', () => {
  test('is the field of the edge that is there, below the field that it carries already', () => {
    expect(edgesAfter('input.orders[0]', 'use.in')).toContainEqual({
      from: 'make.out',
      to: 'use.in',
      pick: 'data.orders[0]',
    });
  });

  test('comes over a new edge to another input, with strange names in quotes', () => {
    expect(edgesAfter('nodes.make["a \\"b\\" {{"].c', 'later.in')).toContainEqual({
      from: 'make.out',
      to: 'later.in',
      pick: '["a \\"b\\" {{"].c',
    });
    expect(edgesAfter('nodes.make', 'later.in')).toContainEqual({ from: 'make.out', to: 'later.in' });
  });

  test('is refused with the reason if no edge can bring it', () => {
    expect(edgesAfter('pluck(input, "a")', 'later.in')).toContain('Only a field');
    expect(edgesAfter('vars.key', 'later.in')).toContain('Only a field');
    expect(edgesAfter('nodes.nobody.a', 'later.in')).toContain('Only a field');
    expect(edgesAfter('input.a', 'later.in', 'later')).toBe('Nothing is connected there.');
    expect(edgesAfter('nodes.make.a', 'make.in')).toBe('A node cannot feed itself.');
    expect(edgesAfter('nodes.use.a', 'make.in')).toEqual(expect.any(String));
  });
});

describe('a value that is dropped onto an edge', () => {
  const onto = (path: string, node?: string) =>
    mapOntoEdge(doc, catalog, { path, node }, 'make.out>use.in' as EdgeId);

  test('is the field that the edge brings, whichever node shows it', () => {
    const picks = [onto('nodes.make.total'), onto('input.total', 'use')].map((change) => {
      if (typeof change === 'string') throw new Error(change);
      return produce(doc, change).flow.edges.find(({ to }) => to === 'use.in')?.pick;
    });
    expect(picks).toEqual(['total', 'data.total']);
  });

  test('is refused if it comes from another node, or from none', () => {
    expect(onto('nodes.start.body')).toBe('Only a field of Template can go over this edge.');
    expect(onto('vars.limit')).toMatch(/^Only a field of a node/);
  });
});
