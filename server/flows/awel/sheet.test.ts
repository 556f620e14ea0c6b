import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { loadOperators } from '../../base/authored/load-operators.ts';
import { sheetOf } from './sheet.ts';

const { registry } = await loadOperators({ builtIn: true });

function hostsOf(...tools: readonly object[]): readonly string[] {
  const flow: Flow = {
    format: 1,
    id: 'helper',
    nodes: {
      chat: { operator: 'trigger.chat' },
      get: { operator: 'http.request', params: { url: 'https://data.example.com/{{ input.id }}' } },
      agent: { operator: 'agent.run', params: { agent: { tools } } },
    },
    edges: [],
  };
  return sheetOf(flow, new Set(), registry.catalog).hosts;
}

test('the hosts that the tools of an agent send requests to are on the sheet', () => {
  const hosts = hostsOf(
    { type: 'http', name: 'look', value: 'https://tools.example.com/{id}' },
    { type: 'mcp', name: 'more', value: { url: 'https://mcp.example.com/mcp' } },
    { type: 'flow', name: 'other', value: 'other_flow' },
  );
  expect(hosts).toEqual(['data.example.com', 'mcp.example.com', 'tools.example.com']);
});

test('an address that is only known when it runs can be any', () => {
  expect(hostsOf({ type: 'http', name: 'any', value: '{{ input.url }}' })).toEqual(['*', 'data.example.com']);
  expect(hostsOf({ type: 'http', name: 'any', value: '{"url": "https://x.example.com"}' })).toContain('*');
});

test('what the nodes of a body need is on the sheet too', () => {
  const nodes = {
    get: {
      operator: 'http.request',
      params: { url: 'https://inside.example.com/', headers: { key: { $secret: 'shop_key' } } },
    },
    run: { operator: 'code.run' },
    odd: { operator: 'own.odd' },
  };
  const group = { operator: 'core.group', body: { start: 'inside', nodes, edges: [] } };
  const flow: Flow = { format: 2, id: 'bodies', nodes: { group }, edges: [] };
  expect(sheetOf(flow, new Set(), registry.catalog)).toMatchObject({
    hosts: ['inside.example.com'],
    secrets: ['shop_key'],
    code: ['run'],
    placeholders: ['odd'],
  });
});
