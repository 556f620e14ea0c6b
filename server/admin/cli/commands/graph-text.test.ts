import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { KEPT_CATALOG } from '../../../base/authored/built-in.ts';
import { graphText as textOf } from '../show/graph-text.ts';
import { flowOf, http, map, template } from '../testing/temp-project.ts';

const kept = JSON.parse(readFileSync(KEPT_CATALOG, 'utf8')) as Record<string, { info: OperatorInfo }>;
const catalog: Catalog = {
  operators: Object.fromEntries(Object.entries(kept).map(([type, { info }]) => [type, info])),
};
const graphText = (flow: Parameters<typeof textOf>[0]): string[] => textOf(flow, catalog);

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
      'request         trigger.http   GET, POST /items/:id',
      '  by_size       logic.switch   true → small  ← request',
      '    left        core.map       1  ← by_size.small',
      '    right       core.map       2  ← by_size.default',
      '      join      core.join      a, b  ← a=left, b=right',
      '        answer  text.template  “input”  ← join',
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
