import { expect, test } from 'vitest';
import {
  type AgentTool,
  descriptionOf,
  targetOf,
  TOOL_KINDS,
  type ToolKind,
  toolName,
  toolsIn,
  whyNotCalled,
  withDescription,
  withTarget,
} from './agent-tools.ts';

const kind = (type: string): ToolKind => TOOL_KINDS.find((one) => one.type === type) as ToolKind;
const orders: AgentTool = { type: 'flow', name: 'orders', value: 'orders' };

test('a description makes the value an object, and is gone without a trace', () => {
  const described = { ...orders, value: withDescription(orders, kind('flow'), 'Finds orders.') };
  expect(described.value).toEqual({ flow: 'orders', description: 'Finds orders.' });
  expect([targetOf(described, kind('flow')), descriptionOf(described)]).toEqual(['orders', 'Finds orders.']);
  expect(withDescription(described, kind('flow'), '')).toBe('orders');
});

test('what else the value holds stays', () => {
  const given = { ...orders, value: { flow: 'orders', trigger: 'chat' } };
  expect(withTarget(given, kind('flow'), 'others')).toEqual({ flow: 'others', trigger: 'chat' });
  expect(withDescription(given, kind('flow'), '')).toEqual({ flow: 'orders', trigger: 'chat' });
});

test('names are what models accept, each once', () => {
  expect(toolName('Order status!', [])).toBe('order_status');
  expect(toolName('Orders', ['orders', 'orders_2'])).toBe('orders_3');
  expect(toolName('…', [])).toBe('tool');
});

test('whatever a file holds is a list of tools', () => {
  expect(toolsIn('{{ input }}')).toEqual([]);
  expect(toolsIn([null, { type: 'mcp', name: 1 }])).toEqual([
    { type: 'flow', name: '', value: undefined },
    { type: 'mcp', name: '', value: undefined },
  ]);
});

test('what may keep a model from calling a tool is told', () => {
  const facts = { model: 'demo/chat', isDraft: true, isUndescribed: true };
  expect(whyNotCalled(orders, kind('flow'), facts)).toHaveLength(3);
  expect(
    whyNotCalled(orders, kind('flow'), { model: 'openai/x', isDraft: false, isUndescribed: false }),
  ).toEqual([]);
});
