import { describe, expect, test } from 'vitest';
import type { FlowSummary } from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { lastRunOf, searchFlows, sortFlows, triggerWords } from './flow-list.ts';

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
    calls: [],
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

test('a trigger without a path is called as in the palette, and one that is not known by its type', () => {
  expect(triggerWords('trigger.chat')).toBe('Chat message');
  expect(triggerWords('sample.tick')).toBe('sample.tick');
});
