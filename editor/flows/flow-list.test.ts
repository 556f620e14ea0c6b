import { describe, expect, test } from 'vitest';
import type { FlowSummary } from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { copyOf, freeId, idFrom, lastRunOf, searchFlows, sortFlows } from './flow-list.ts';

function flow(id: string, more: Partial<FlowSummary> = {}): FlowSummary {
  return {
    id,
    file: `${id}.json`,
    state: 'live',
    revision: 'r',
    hasDraft: false,
    readOnly: false,
    problems: [],
    triggers: [],
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}

function run(id: string, of: string, startedAt: number): RunSummary {
  return {
    run: id,
    flow: of,
    version: 'v',
    trigger: 't',
    source: 'http',
    startedAt,
    status: 'ok',
    recorded: true,
  };
}

describe('ids', () => {
  test.each([
    ['Order triage', 'order_triage'],
    ['  Größe & Übermaß (2) ', 'gro_e_uberma_2'],
    ['42 answers', 'answers'],
    ['日本', ''],
    ['', ''],
  ])('%j becomes %j', (name, id) => {
    expect(idFrom(name)).toBe(id);
  });

  test('a taken id gets the first number that is free', () => {
    expect(freeId('a', new Set(['b']))).toBe('a');
    expect(freeId('a', new Set(['a', 'a_2']))).toBe('a_3');
  });
});

describe('searching and sorting', () => {
  const flows = [
    flow('orders', {
      name: 'Order triage',
      triggers: [{ node: 't', operator: 'trigger.http', path: '/shop/orders', methods: ['POST'] }],
    }),
    flow('report', { name: 'Daily report', state: 'draft', updatedAt: '2026-02-01T00:00:00.000Z' }),
  ];
  const ids = (list: readonly FlowSummary[]): string[] => list.map(({ id }) => id);

  test('every word must be found: in name, id, state, path or method', () => {
    expect(ids(searchFlows(flows, 'triage'))).toEqual(['orders']);
    expect(ids(searchFlows(flows, 'POST /shop'))).toEqual(['orders']);
    expect(ids(searchFlows(flows, 'draft daily'))).toEqual(['report']);
    expect(ids(searchFlows(flows, 'draft triage'))).toEqual([]);
    expect(ids(searchFlows(flows, ' '))).toEqual(['orders', 'report']);
  });

  test('flows are sorted by name, by change or by their last run', () => {
    const last = lastRunOf([run('2', 'orders', 200), run('1', 'orders', 100)]);
    expect(last.get('orders')?.run).toBe('2');
    expect(ids(sortFlows(flows, 'name', last))).toEqual(['report', 'orders']);
    expect(ids(sortFlows(flows, 'changed', last))).toEqual(['report', 'orders']);
    expect(ids(sortFlows(flows, 'run', last))).toEqual(['orders', 'report']);
  });
});

describe('copies', () => {
  const original = {
    format: 1 as const,
    id: 'a',
    name: 'A',
    nodes: {
      in: { operator: 'trigger.http', params: { path: '/shop/orders/{id}', methods: ['POST'] } },
      say: { operator: 'text.template', params: { path: '/shop/orders/{id}' } },
    },
    edges: [],
  };

  test('a copy has its own id, name and trigger path', () => {
    const copy = copyOf(original, 'b', 'B', new Set(['/shop/orders/{id}']));
    expect(copy).toMatchObject({ id: 'b', name: 'B' });
    expect(copy.nodes['in']?.params).toEqual({ path: '/shop/b/{id}', methods: ['POST'] });
    expect(copy.nodes['say']).toEqual(original.nodes.say);
  });

  test('a path that nobody serves is kept, and a path of parameters alone gets the id in front', () => {
    expect(copyOf(original, 'b', undefined, new Set()).nodes['in']?.params?.['path']).toBe(
      '/shop/orders/{id}',
    );
    expect(copyOf(original, 'b', undefined, new Set())).not.toHaveProperty('name');
    const bare = { ...original, nodes: { in: { operator: 'trigger.http', params: { path: '/{id}' } } } };
    expect(copyOf(bare, 'b', undefined, new Set(['/{id}'])).nodes['in']?.params?.['path']).toBe('/b/{id}');
  });
});
