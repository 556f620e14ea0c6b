import { describe, expect, it } from 'vitest';
import { graphText } from '../show/graph-text.ts';
import { flowOf, http, map, template } from '../testing/temp-project.ts';

describe('the graph as text', () => {
  it('shows each node once below what it needs, with its level, operator and sources', () => {
    const nodes = {
      answer: template('{{ input }}'),
      by_size: { operator: 'logic.switch', params: { cases: [{ name: 'small', when: '{{ true }}' }] } },
      join: { operator: 'core.join', params: { inputs: [{ name: 'a' }, { name: 'b' }] } },
      left: map('1'),
      request: http('/items//:id/', { methods: ['GET', 'POST'] }),
      right: map('2'),
    };
    const edges = [
      'request > by_size',
      'by_size.small > left',
      'by_size.default > right',
      'left > join.a',
      'right > join.b',
      'join > answer',
    ];
    expect(graphText(flowOf('f', nodes, edges))).toEqual([
      'request         trigger.http   GET|POST /items/:id',
      '  by_size       logic.switch   ← request',
      '    left        core.map       ← by_size.small',
      '    right       core.map       ← by_size.default',
      '      join      core.join      ← a=left, b=right',
      '        answer  text.template  ← join',
    ]);
  });

  it('puts a node that two levels lead to below the lower one', () => {
    const nodes = { a: map('1'), b: map('1'), m: { operator: 'core.merge' }, t: http('/x') };
    const lines = graphText(flowOf('f', nodes, ['t > a', 'a > b', 't > m', 'b > m']));
    expect(lines.map((line) => line.slice(0, 8).trimEnd())).toEqual(['t', '  a', '    b', '      m']);
  });

  it('marks a disabled node, and shows nodes of a cycle too', () => {
    const nodes = { a: map('1'), b: map('1'), off: { ...map('1'), disabled: true } };
    const lines = graphText(flowOf('f', nodes, ['a > b', 'b > a']));
    expect(lines).toHaveLength(3);
    expect(lines.find((line) => line.startsWith('off'))).toMatch(/\(disabled\)$/);
  });

  it('says of a node that it runs for each item, and how many nodes its body has', () => {
    const inner = {
      operator: 'core.group',
      body: { start: 'in', nodes: { a: map('1'), b: map('1') }, edges: [] },
    };
    const loop = { operator: 'data.for-each', body: { start: 'item', nodes: { inner }, edges: [] } };
    const lines = graphText(
      flowOf('f', { t: http('/x'), loop, one: { ...map('1'), each: {} } }, ['t > loop', 'loop > one']),
    );
    expect(lines[1]).toMatch(/← t {2}\(a body of 3 nodes\)$/);
    expect(lines[2]).toMatch(/← loop {2}\(for each item\)$/);
  });

  it('stays readable for a chain of 10,000 nodes', () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => `n${i}`);
    const nodes = Object.fromEntries(ids.map((id) => [id, map('1')]));
    const edges = ids.slice(1).map((id, i) => `n${i} > ${id}`);
    const lines = graphText(flowOf('f', nodes, edges));
    expect(lines.at(-1)).toBe('… and 9800 more nodes');
    expect(lines).toHaveLength(201);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(100);
  });

  it('lets no control character of a file through to the terminal', () => {
    const nodes = { a: { operator: 'core.\u001b[2Jmap' } };
    expect(graphText(flowOf('f', nodes)).join('')).not.toContain('\u001b');
  });
});
