import { describe, expect, it } from 'vitest';
import { testCatalog } from '../testing/catalog.ts';
import { flowOf } from '../testing/flows.ts';
import { check, renameNode } from './index.ts';

const code = 'const x = "{{ nodes.a }}";';
const flow = flowOf(
  {
    t: 'trigger.manual',
    a: 'core.map',
    b: {
      operator: 'core.map',
      params: { value: { list: ['{{ nodes.a.x + nodes["a"] + nodes.ab?.a }} nodes.a', 7], text: 'nodes.a' } },
    },
    c: { operator: 'code.run', params: { code } },
  },
  ['t.out > a.in', 'a.out > b.in', 'a.out > c.in'],
);

describe('renameNode', () => {
  const renamed = renameNode(flow, 'a', 'fresh', testCatalog);

  it('renames the node in its place, in its edges and in all expressions that read it', () => {
    expect(Object.keys(renamed.nodes)).toEqual(['t', 'fresh', 'b', 'c']);
    expect(renamed.edges).toEqual(
      flowOf({}, ['t.out > fresh.in', 'fresh.out > b.in', 'fresh.out > c.in']).edges,
    );
    expect(renamed.nodes['b']?.params).toEqual({
      value: { list: ['{{ nodes.fresh.x + nodes["fresh"] + nodes.ab?.a }} nodes.a', 7], text: 'nodes.a' },
    });
  });

  it('leaves params alone in which braces are plain text', () => {
    expect(renamed.nodes['c']).toBe(flow.nodes['c']);
  });

  it('makes no new problems', () => {
    const world = { routes: [], variables: [], secrets: [] };
    const codes = (f: typeof flow) => check(f, testCatalog, world).map((p) => p.code);
    expect(codes(renamed)).toEqual(codes(flow));
  });

  it.each([
    ['an unknown node', 'x', 'y'],
    ['a name that is taken', 'a', 'b'],
    ['a name that is not allowed', 'a', 'A'],
    ['a name that leads to code', 'a', 'constructor'],
    ['its own name', 'a', 'a'],
  ])('changes nothing for %s', (_, from, to) => {
    expect(renameNode(flow, from, to)).toBe(flow);
  });
});
