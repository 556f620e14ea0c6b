import { describe, expect, it } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { testCatalog } from '../testing/catalog.ts';
import { flowOf } from '../testing/flows.ts';
import { check } from '../check/index.ts';
import { renameNode, renameNodes } from '../check/edit.ts';

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

describe('renaming many nodes at once', () => {
  const reading = (...ids: string[]): FlowNode => ({
    operator: 'text.template',
    params: { template: ids.map((id) => `{{ nodes.${id} }}`).join() },
  });

  it('names that are old and new at the same time do not mix', () => {
    const names = new Map([
      ['a', 'b'],
      ['b', 'a'],
    ]);
    expect(renameNodes({ a: reading('b'), b: reading('a', 'c') }, names)).toEqual({
      b: reading('a'),
      a: reading('b', 'c'),
    });
  });

  it('each text is read once, however many are renamed', () => {
    let asked = 0;
    class Counted extends Map<string, string> {
      override get(id: string): string | undefined {
        asked++;
        return super.get(id);
      }
    }
    const ids = Array.from({ length: 1000 }, (_, i) => `n${i}`);
    const names = new Counted(ids.map((id) => [id, `${id}_2`]));
    const nodes = Object.fromEntries(ids.map((id, i) => [id, reading(`n${(i + 1) % 1000}`)]));
    expect(renameNodes(nodes, names)['n0_2']).toEqual(reading('n1_2'));
    // The id of each node, and what each of them reads.
    expect(asked).toBe(2000);
  });
});
